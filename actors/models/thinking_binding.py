"""The request to drop thinking that does not fit the conversation, instead of failing.

The newest models accept a thinking block only if everything before it is unchanged. We send no
other thinking, but a proxy may change what we send. Gateways often reject the request to drop it.
"""

import re
from collections.abc import Iterable
from typing import Any

from pydantic import JsonValue

from actors.models.model_client import ModelRequest
from messages.content import THINKING_TYPES

DROP_HEADERS = {"anthropic-beta": "thinking-binding-controls-2026-08-01"}
DROP_FIELDS: dict[str, JsonValue] = {
    # Adaptive thinking is the default of every model that binds its thinking.
    "thinking": {
        "type": "adaptive",
        "block_binding": {"prefix_mismatch_behavior": "drop_block"},
    }
}
REJECTED_STATUSES = (400, 422)
"""Statuses with which a gateway rejects a field or header that it does not know."""
_FIRST_BINDING_VERSION = (5, 1)
_VERSION = re.compile(r"claude-[a-z]+-(\d{1,2})[-.](\d{1,2})(?!\d)")


def has_bound_thinking(request: ModelRequest) -> bool:
    """Return whether the request contains thinking that its model checks."""
    version = _VERSION.search(request.model)
    binds = version is not None and (int(version[1]), int(version[2])) >= _FIRST_BINDING_VERSION
    return binds and _has_thinking(reversed(request.messages))


def _has_thinking(messages: Iterable[dict[str, Any]]) -> bool:
    return any(
        block["type"] in THINKING_TYPES
        for message in messages
        if message["role"] == "assistant"
        for block in message["content"]
    )
