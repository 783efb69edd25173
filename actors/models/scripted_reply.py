"""Replies of a scripted model, and their event stream."""

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import JsonValue
from pydantic_core import to_json

from actors.models.scripted_model_input import RequestBody

StreamEvent: TypeAlias = dict[str, JsonValue]

_CHARS_PER_TOKEN = 4
_INPUT_CHUNK_CHARS = 12


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A tool call in a script."""

    name: str
    input: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ReplyPlan:
    """One reply of a script: reasoning, text and tool calls; empty parts are left out."""

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    thinking: str = ""
    stop_reason: str = ""
    """Empty: `tool_use` if there are calls, else `end_turn`."""


def generate_events(plan: ReplyPlan, request: RequestBody, reply_id: str) -> Iterator[StreamEvent]:
    """Yield a reply as Messages API events, one word or piece of tool input at a time."""
    yield _message_start(request, reply_id)
    index = itertools.count()
    if plan.thinking:
        start: StreamEvent = {"type": "thinking", "thinking": "", "signature": ""}
        deltas = [
            {"type": "thinking_delta", "thinking": word} for word in split_words(plan.thinking)
        ]
        deltas.append({"type": "signature_delta", "signature": "c2NyaXB0"})
        yield from _block_events(next(index), start, deltas)
    if plan.text:
        deltas = [{"type": "text_delta", "text": word} for word in split_words(plan.text)]
        yield from _block_events(next(index), {"type": "text", "text": ""}, deltas)
    for number, call in enumerate(plan.calls):
        start = {"type": "tool_use", "id": f"{reply_id}_{number}", "name": call.name, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": p} for p in _split_input(call.input)]
        yield from _block_events(next(index), start, deltas)
    yield _message_delta(plan)
    yield {"type": "message_stop"}


def split_words(text: str) -> list[str]:
    """Split text into words, each with the space before it; joining them restores the text."""
    return re.findall(r"\s*\S+|\s+$", text)


def _block_events(
    index: int, start: StreamEvent, deltas: list[dict[str, str]]
) -> Iterator[StreamEvent]:
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": {**delta}}
    yield {"type": "content_block_stop", "index": index}


def _split_input(arguments: Mapping[str, JsonValue]) -> list[str]:
    encoded = to_json(arguments).decode()
    return [encoded[i : i + _INPUT_CHUNK_CHARS] for i in range(0, len(encoded), _INPUT_CHUNK_CHARS)]


def _message_start(request: RequestBody, reply_id: str) -> StreamEvent:
    usage: StreamEvent = {
        "input_tokens": len(to_json(request)) // _CHARS_PER_TOKEN,
        "output_tokens": 1,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }
    message: StreamEvent = {
        "id": f"msg_{reply_id}",
        "type": "message",
        "role": "assistant",
        "model": request.get("model", "scripted"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    return {"type": "message_start", "message": message}


def _message_delta(plan: ReplyPlan) -> StreamEvent:
    chars = len(plan.thinking) + len(plan.text) + sum(len(to_json(c.input)) for c in plan.calls)
    stop_reason = plan.stop_reason or ("tool_use" if plan.calls else "end_turn")
    return {
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason, "stop_sequence": None},
        "usage": {"output_tokens": 1 + chars // _CHARS_PER_TOKEN},
    }
