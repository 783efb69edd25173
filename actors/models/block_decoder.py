"""Decoding of one content block, from its start event to the finished block."""

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

_DELTA_FIELDS = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("thinking", "signature"),
    "input_json_delta": ("tool_use", "partial_json"),
}
"""The block type of each delta type, and the field with its text."""


@dataclass(slots=True)
class OpenBlock:
    """A block between its start and its stop; its texts are joined once, at the end."""

    block_type: str
    start: JsonFields
    texts: list[str] = field(default_factory=list[str])
    signatures: list[str] = field(default_factory=list[str])


def open_block(event: JsonFields, data: bytes) -> OpenBlock:
    """Open the block that a `content_block_start` event announces.

    Raises:
        ValueError: the event is malformed.
    """
    start = event["content_block"]
    if not isinstance(start, dict):
        message = "a content block is not an object"
        raise ValueError(message)  # noqa: TRY004  (a bad stream, not wrong use)
    block = OpenBlock(block_type=_require_text(start["type"]), start=start)
    if start.get("input"):
        # Some servers send the whole input here; it must pass the same strict parser.
        parse_strict_object(data)
    for name in ("text", "thinking"):
        if name in start:
            block.texts.append(_require_text(start[name]))
    return block


def add_delta(block: OpenBlock, delta: JsonFields) -> str:
    """Add a delta to its block and return its text; ignore unknown delta types.

    Raises:
        ValueError: the delta belongs to another type of block.
    """
    delta_type = str(delta["type"])
    if delta_type not in _DELTA_FIELDS or block.block_type not in _CLOSERS:
        return ""
    block_type, name = _DELTA_FIELDS[delta_type]
    if block_type != block.block_type:
        message = f"a {delta_type} in a {block.block_type} block"
        raise ValueError(message)
    text = _require_text(delta[name])
    (block.signatures if name == "signature" else block.texts).append(text)
    return text


def close_block(block: OpenBlock) -> ContentBlock | None:
    """Return the finished block; None for empty text and for types that we cannot represent.

    Raises:
        ValueError: the block lacks a required field.
    """
    close = _CLOSERS.get(block.block_type)
    if close is None:
        # We never request such blocks; the rest of the reply is still usable.
        _log.info("skipped a content block of unknown type %r", block.block_type)
        return None
    return close(block)


def _close_text(block: OpenBlock) -> ContentBlock | None:
    text = "".join(block.texts)
    return TextBlock(text=text) if text else None


def _close_thinking(block: OpenBlock) -> ContentBlock:
    signature = _require_text(block.start.get("signature", "")) + "".join(block.signatures)
    return ThinkingBlock(thinking="".join(block.texts), signature=signature)


def _close_redacted(block: OpenBlock) -> ContentBlock:
    return RedactedThinkingBlock(data=_require_text(block.start["data"]))


def _close_tool_use(block: OpenBlock) -> ContentBlock:
    call_id, name = _require_text(block.start["id"]), _require_text(block.start["name"])
    streamed_input = "".join(block.texts)
    initial_input = block.start.get("input") or {}
    if not isinstance(initial_input, dict) or (initial_input and streamed_input):
        problem = "the input was sent both whole and in parts"
        return ToolUseBlock(id=call_id, name=name, input_error=problem)
    try:
        return ToolUseBlock(
            id=call_id,
            name=name,
            input=parse_strict_object(streamed_input or "{}") or initial_input,
        )
    except (ValueError, RecursionError) as error:
        return ToolUseBlock(id=call_id, name=name, input_error=str(error))


_CLOSERS = {
    "text": _close_text,
    "thinking": _close_thinking,
    "redacted_thinking": _close_redacted,
    "tool_use": _close_tool_use,
}


def _require_text(value: JsonValue) -> str:
    if not isinstance(value, str):
        message = f"expected text, not {type(value).__name__}"
        raise ValueError(message)  # noqa: TRY004  (a bad stream, not wrong use)
    return value
