"""The request to drop thinking that does not fit the conversation, instead of failing.

The newest models accept a thinking block only if everything before it is unchanged. We send no
other thinking, but a proxy may change what we send. Gateways often reject the request to drop it.
"""

from collections.abc import Iterable
from typing import Any

from pydantic import JsonValue

from actors.models.model_client import ModelRequest
from actors.models.model_names import is_claude_version
from messages.content import THINKING_TYPES

DROP_BETA = "thinking-binding-controls-2026-08-01"
DROP_FIELDS: dict[str, JsonValue] = {"block_binding": {"prefix_mismatch_behavior": "drop_block"}}
"""Fields of `thinking`, which every model that binds its thinking has."""
REJECTED_STATUSES = (400, 422)
"""Statuses with which a gateway rejects a field or header that it does not know."""
_FIRST_BINDING_VERSION = (5, 1)


def has_bound_thinking(request: ModelRequest) -> bool:
    """Return whether the request contains thinking that its model checks."""
    binds = is_claude_version(request.model, _FIRST_BINDING_VERSION)
    return binds and _has_thinking(reversed(request.messages))


def _has_thinking(messages: Iterable[dict[str, Any]]) -> bool:
    return any(
        block["type"] in THINKING_TYPES
        for message in messages
        if message["role"] == "assistant"
        for block in message["content"]
    )
