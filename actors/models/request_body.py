"""The body of a model request, as the Messages API expects it."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue
from pydantic_core import to_json

from actors.models.model_client import ModelRequest
from actors.models.optional_settings import OptionalSetting, wants_thinking

_CACHE_CONTROL: Any = {"type": "ephemeral"}
# Five minutes for the conversation: each request moves its end, and reading it keeps it for another
# five minutes. An hour for the tools and system prompt before it: written once at twice instead of
# 1.25 times the price of input, they outlive the breaks of a user who answers later, and other
# sessions and subagents read them too. The API wants the longer time first, as it is here.
_PREFIX_CACHE_CONTROL: Any = {**_CACHE_CONTROL, "ttl": "1h"}
_THINKING: dict[str, JsonValue] = {
    "type": "adaptive",
    # The newest models send only signatures by default; the user can read a summary.
    "display": "summarized",
}


def list_optional_settings(request: ModelRequest) -> set[OptionalSetting]:
    """Return the settings of a request that can be left out."""
    settings: set[OptionalSetting] = {"cache time"} if request.system else set()
    if request.effort is not None:
        settings.add("effort")
    if wants_thinking(request.model, request.effort):
        settings.add("thinking")
    return settings


def describe_setting(setting: OptionalSetting, request: ModelRequest) -> str:
    """Return a setting as the user reads it; each level of effort is accepted or not."""
    return f"{setting} {request.effort}" if setting == "effort" else setting


def build_request_body(
    request: ModelRequest,
    settings: set[OptionalSetting],
    thinking_fields: Mapping[str, JsonValue],
) -> bytes:
    """Encode a request with these settings and cache markers.

    One marker ends the tools and system prompt, a prefix that other conversations share. The
    marker of the whole request moves with the conversation and does not change its bytes.
    """
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "cache_control": _CACHE_CONTROL,
        "stream": True,
        "messages": request.messages,
    }
    if "thinking" in settings:
        body["thinking"] = {**_THINKING, **thinking_fields}
    if "effort" in settings:
        body["output_config"] = {"effort": request.effort}
    if request.system:
        marker = _PREFIX_CACHE_CONTROL if "cache time" in settings else _CACHE_CONTROL
        body["system"] = [{"type": "text", "text": request.system, "cache_control": marker}]
    if request.tools:
        body["tools"] = request.tools
    if request.compaction is not None:
        body["compaction"] = request.compaction
    return to_json(body)
