"""What a script reads off a request: the person's last words, and the results since then."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

RequestBody = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """One tool result, as the model reads it."""

    text: str
    is_error: bool


def get_last_prompt(request: RequestBody) -> str:
    """Return what the person said last; neighbouring prompts may share one message."""
    texts = [str(block.get("text")) for block in _heard(request) if block.get("type") == "text"]
    return texts[-1] if texts else ""


def get_first_prompt(request: RequestBody) -> str:
    """Return what the conversation began with."""
    texts = (str(block.get("text")) for block in _heard(request) if block.get("type") == "text")
    return next(texts, "")


def get_tool_results(request: RequestBody) -> tuple[ToolResult, ...]:
    """Return every tool result of the conversation, oldest first."""
    return tuple(_result(block) for block in _heard(request) if _is_result(block))


def get_latest_tool_results(request: RequestBody) -> tuple[ToolResult, ...]:
    """Return the tool results that the model is to answer now; none when a person spoke last."""
    messages = _messages(request)
    blocks = _blocks(messages[-1].get("content")) if messages else []
    last = list(itertools.takewhile(_is_result, reversed(blocks)))
    return tuple(_result(block) for block in reversed(last))


def _heard(request: RequestBody) -> Iterator[RequestBody]:
    for message in _messages(request):
        if message.get("role") == "user":
            yield from _blocks(message.get("content"))


def _messages(request: RequestBody) -> list[RequestBody]:
    return cast("list[RequestBody]", request.get("messages") or [])


def _blocks(content: JsonValue) -> list[RequestBody]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return cast("list[RequestBody]", content or [])


def _is_result(block: RequestBody) -> bool:
    return block.get("type") == "tool_result"


def _result(block: RequestBody) -> ToolResult:
    parts = _blocks(block.get("content"))
    text = "\n".join(str(part.get("text")) for part in parts if part.get("type") == "text")
    return ToolResult(text=text, is_error=bool(block.get("is_error")))
