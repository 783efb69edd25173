"""What a script reads off a request: the person's last words, and the results since then."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

Body = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Result:
    """One tool result, as the model reads it."""

    text: str
    failed: bool


def prompt_of(request: Body) -> str:
    """Return what the person said last."""
    for message in reversed(_messages(request)):
        text = _text(message.get("content"))
        if message.get("role") == "user" and text and not _results(message):
            return text
    return ""


def results_of(request: Body) -> tuple[Result, ...]:
    """Return every tool result of the conversation, oldest first."""
    return tuple(result for message in _messages(request) for result in _results(message))


def last_results_of(request: Body) -> tuple[Result, ...]:
    """Return the tool results that the model is to answer now; none when a person spoke last."""
    messages = _messages(request)
    return _results(messages[-1]) if messages else ()


def _messages(request: Body) -> list[Body]:
    return cast("list[Body]", request.get("messages") or [])


def _results(message: Body) -> tuple[Result, ...]:
    content = message.get("content")
    blocks = cast("list[Body]", content) if isinstance(content, list) else []
    return tuple(
        Result(text=_text(block.get("content")), failed=bool(block.get("is_error")))
        for block in blocks
        if block.get("type") == "tool_result"
    )


def _text(content: JsonValue) -> str:
    if isinstance(content, str):
        return content
    blocks = cast("list[Body]", content) if isinstance(content, list) else []
    return "\n".join(str(block.get("text")) for block in blocks if block.get("type") == "text")
