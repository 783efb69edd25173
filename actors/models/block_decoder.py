"""One content block of a reply while it is streamed, and what it becomes when it closes."""

import logging
from dataclasses import dataclass, field

from pydantic import JsonValue

from actors.models.strict_json import parse_strict_object
from messages.content import (
    ContentBlock,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)

_log = logging.getLogger(__name__)

JsonFields = dict[str, JsonValue]

_CARRIED = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("thinking", "signature"),
    "input_json_delta": ("tool_use", "partial_json"),
}
"""Delta type -> the block type it belongs to, and the field that carries its text."""


@dataclass(slots=True)
class OpenBlock:
    """A block between its start and its stop; texts are joined once, at the end."""

    block_type: str
    start: JsonFields
    texts: list[str] = field(default_factory=list[str])
    signatures: list[str] = field(default_factory=list[str])


def open_block(event: JsonFields, data: bytes) -> OpenBlock:
    """Begin the block that a `content_block_start` announces.

    Raises:
        ValueError: it is not such an event.
    """
    start = event["content_block"]
    if not isinstance(start, dict):
        message = "a content block is not an object"
        raise ValueError(message)  # noqa: TRY004  (a wrong stream, not a wrong use)
    block = OpenBlock(block_type=_text(start["type"]), start=start)
    if start.get("input"):
        # Some servers send a whole input at once; it is held to the same strictness.
        parse_strict_object(data)
    for name, into in (("text", block.texts), ("thinking", block.texts)):
        if name in start:
            into.append(_text(start[name]))
    return block


def add_delta(block: OpenBlock, delta: JsonFields) -> str:
    """Add a delta to its block and return its text; unknown kinds pass by.

    Raises:
        ValueError: the delta belongs to another kind of block.
    """
    kind = str(delta["type"])
    if kind not in _CARRIED or block.block_type not in _CLOSING:
        return ""
    owner, name = _CARRIED[kind]
    if owner != block.block_type:
        message = f"a {kind} in a {block.block_type} block"
        raise ValueError(message)
    text = _text(delta[name])
    (block.signatures if name == "signature" else block.texts).append(text)
    return text


def close_block(block: OpenBlock) -> ContentBlock | None:
    """Make the finished block; None for an empty text and for kinds that we cannot represent.

    Raises:
        ValueError: the block lacks what its kind must have.
    """
    close = _CLOSING.get(block.block_type)
    if close is None:
        # We never ask for such blocks; the rest of the reply is still good.
        _log.info("left out a content block of the unknown type %r", block.block_type)
        return None
    return close(block)


def _close_text(block: OpenBlock) -> ContentBlock | None:
    text = "".join(block.texts)
    return TextBlock(text=text) if text else None


def _close_thinking(block: OpenBlock) -> ContentBlock:
    signature = _text(block.start.get("signature", "")) + "".join(block.signatures)
    return ThinkingBlock(thinking="".join(block.texts), signature=signature)


def _close_redacted(block: OpenBlock) -> ContentBlock:
    return RedactedThinkingBlock(data=_text(block.start["data"]))


def _close_tool_use(block: OpenBlock) -> ContentBlock:
    call_id, name = _text(block.start["id"]), _text(block.start["name"])
    streamed = "".join(block.texts)
    whole = block.start.get("input") or {}
    if not isinstance(whole, dict) or (whole and streamed):
        problem = "the input came both whole and in parts"
        return ToolUseBlock(id=call_id, name=name, input_error=problem)
    try:
        return ToolUseBlock(
            id=call_id, name=name, input=parse_strict_object(streamed or "{}") or whole
        )
    except (ValueError, RecursionError) as error:
        return ToolUseBlock(id=call_id, name=name, input_error=f"not one JSON object: {error}")


_CLOSING = {
    "text": _close_text,
    "thinking": _close_thinking,
    "redacted_thinking": _close_redacted,
    "tool_use": _close_tool_use,
}


def _text(value: JsonValue) -> str:
    if not isinstance(value, str):
        message = f"{type(value).__name__} where text was expected"
        raise ValueError(message)  # noqa: TRY004  (a wrong stream, not a wrong use)
    return value
