"""What a script reads from a request: the user's prompts and the tool results."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from pydantic import JsonValue

from messages.content import CONTEXT_TAGS

JsonObject: TypeAlias = Mapping[str, JsonValue]
RequestBody: TypeAlias = JsonObject
_CONTEXT_STARTS = tuple(f"<{tag}>" for tag in CONTEXT_TAGS)
"""What accompanies a prompt is not one."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """One tool result, as the model reads it."""

    text: str
    is_error: bool


def get_last_prompt(request: RequestBody) -> str:
    """Return the user's last prompt; consecutive prompts may share one message."""
    prompts = _get_prompts(request)
    return prompts[-1] if prompts else ""


def get_first_prompt(request: RequestBody) -> str:
    """Return the first prompt of the conversation."""
    prompts = _get_prompts(request)
    return prompts[0] if prompts else ""


def get_tool_results(request: RequestBody) -> tuple[ToolResult, ...]:
    """Return every tool result of the conversation, oldest first."""
    return tuple(
        _to_tool_result(block) for block in _user_blocks(request) if _is_tool_result(block)
    )


def get_latest_tool_results(request: RequestBody) -> tuple[ToolResult, ...]:
    """Return the tool results to answer now; none if the last message ends with a prompt."""
    messages = _messages(request)
    blocks = _blocks(messages[-1].get("content")) if messages else []
    last = list(itertools.takewhile(_is_tool_result, reversed(blocks)))
    return tuple(_to_tool_result(block) for block in reversed(last))


def _get_prompts(request: RequestBody) -> list[str]:
    texts = (block.get("text") for block in _user_blocks(request) if block.get("type") == "text")
    return [str(text) for text in texts if not str(text).startswith(_CONTEXT_STARTS)]


def _user_blocks(request: RequestBody) -> Iterator[JsonObject]:
    for message in _messages(request):
        if message.get("role") == "user":
            yield from _blocks(message.get("content"))


def _messages(request: RequestBody) -> list[JsonObject]:
    return cast("list[JsonObject]", request.get("messages") or [])


def _blocks(content: JsonValue) -> list[JsonObject]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return cast("list[JsonObject]", content or [])


def _is_tool_result(block: JsonObject) -> bool:
    return block.get("type") == "tool_result"


def _to_tool_result(block: JsonObject) -> ToolResult:
    parts = _blocks(block.get("content"))
    text = "\n".join(str(part.get("text")) for part in parts if part.get("type") == "text")
    return ToolResult(text=text, is_error=bool(block.get("is_error")))
