"""What a scripted model answers, and the event stream that says it."""

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import JsonValue
from pydantic_core import to_json

StreamEvent: TypeAlias = dict[str, JsonValue]

_CHARS_PER_TOKEN = 4
_INPUT_PIECE_CHARS = 12


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A tool call of a script."""

    name: str
    input: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ReplyPlan:
    """One reply of a script: reasoning, text, tool calls; what is empty is left out."""

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    thinking: str = ""
    stop_reason: str = ""
    """Empty: `tool_use` with calls, `end_turn` without."""


def generate_events(
    plan: ReplyPlan, request: Mapping[str, JsonValue], reply_id: str
) -> Iterator[StreamEvent]:
    """Tell a plan as the events of the Messages API, a word or a piece of input at a time."""
    yield _message_start(request, reply_id)
    index = itertools.count()
    if plan.thinking:
        start: StreamEvent = {"type": "thinking", "thinking": "", "signature": ""}
        deltas = [
            {"type": "thinking_delta", "thinking": word} for word in split_words(plan.thinking)
        ]
        deltas.append({"type": "signature_delta", "signature": "c2NyaXB0"})
        yield from _block(next(index), start, deltas)
    if plan.text:
        deltas = [{"type": "text_delta", "text": word} for word in split_words(plan.text)]
        yield from _block(next(index), {"type": "text", "text": ""}, deltas)
    for number, call in enumerate(plan.calls):
        start = {"type": "tool_use", "id": f"{reply_id}_{number}", "name": call.name, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": p} for p in _pieces(call.input)]
        yield from _block(next(index), start, deltas)
    yield _message_delta(plan)
    yield {"type": "message_stop"}


def split_words(text: str) -> list[str]:
    """Cut a text into its words, each with the space before it; nothing is lost."""
    return re.findall(r"\s*\S+|\s+$", text)


def _block(index: int, start: StreamEvent, deltas: list[dict[str, str]]) -> Iterator[StreamEvent]:
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": {**delta}}
    yield {"type": "content_block_stop", "index": index}


def _pieces(arguments: Mapping[str, JsonValue]) -> list[str]:
    whole = to_json(arguments).decode()
    return [whole[i : i + _INPUT_PIECE_CHARS] for i in range(0, len(whole), _INPUT_PIECE_CHARS)]


def _message_start(request: Mapping[str, JsonValue], reply_id: str) -> StreamEvent:
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
        "model": request.get("model", "rehearsal"),
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
