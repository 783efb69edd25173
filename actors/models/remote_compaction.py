"""Compaction by the provider: what announces, asks for and rejects a compaction block.

The block stands for earlier messages. It comes first in the requests of the model that wrote it,
and servers and gateways that do not know it reject these requests.
"""

from typing import TYPE_CHECKING, Any, cast

from actors.models.model_client import ModelRequest

if TYPE_CHECKING:
    import anthropic

COMPACTION = "compaction"
"""Type of the block, field of a request that asks for one, and capability of a model."""
COMPACTION_BETA = "compact-2026-09-04"


def has_compaction_block(request: ModelRequest) -> bool:
    """Return whether a request starts with a block."""
    content: Any = request.messages[0]["content"] if request.messages else ""
    return bool(content) and not isinstance(content, str) and content[0]["type"] == COMPACTION


def list_compaction_betas(request: ModelRequest) -> list[str]:
    """Return the betas that a request needs for its block, or to ask for one."""
    needs_beta = request.compaction is not None or has_compaction_block(request)
    return [COMPACTION_BETA] if needs_beta else []


def names_compaction(error: "anthropic.APIStatusError") -> bool:
    """Return whether an error is about a block; its code is not always part of its text."""
    return COMPACTION in f"{error} {error.error_code or ''}".lower()


def announces_compaction(model_info: "anthropic.types.ModelInfo") -> bool:
    """Return whether a model's capabilities include summaries by the provider."""
    capabilities = model_info.model_dump().get("capabilities")
    try:
        return cast("Any", capabilities)[COMPACTION]["summarize"]["supported"] is True
    except (KeyError, TypeError):
        return False
