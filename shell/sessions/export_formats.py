"""A session as a document: what was said, what was called, how it ended."""

import json
import re
from collections.abc import Iterable

from pydantic_core import to_json

from messages.content import TextBlock, ToolUseBlock
from messages.journal import Record, SessionHeader
from messages.serialization import JournalLine
from messages.turns import (
    ReplyCompleted,
    ToolEnded,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)

_FENCES = re.compile(r"^\s*(`{3,})", re.MULTILINE)


def records_to_markdown(records: Iterable[Record]) -> str:
    """Write a conversation as Markdown; reasoning and bookkeeping are left out."""
    calls: dict[str, ToolUseBlock] = {}
    parts: list[str] = []
    for record in records:
        if isinstance(record, ReplyCompleted):
            uses = (block for block in record.content if isinstance(block, ToolUseBlock))
            calls |= {use.id: use for use in uses}
        parts.extend(_parts(record, calls))
    return "\n\n".join(parts) + "\n"


def records_to_json(lines: Iterable[JournalLine]) -> bytes:
    """Write every record as one JSON array, each with its number, time and author."""
    records = [
        {
            **line.message.model_dump(mode="json"),
            "seq": line.seq,
            "t": line.time_s,
            "by": line.recorded_by,
        }
        for line in lines
    ]
    return to_json(records, indent=2) + b"\n"


def _parts(record: Record, calls: dict[str, ToolUseBlock]) -> list[str]:
    match record:
        case SessionHeader():
            return [f"# Session {record.session_id}", f"Workspace: `{record.workspace}`"]
        case TurnStarted():
            return ["## You", record.prompt.strip() or "(nothing)"]
        case ReplyCompleted():
            texts = [each.text for each in record.content if isinstance(each, TextBlock)]
            said = "\n\n".join(text.strip() for text in texts if text.strip())
            return ["## Greenroom", said] if said else []
        case ToolEnded():
            return _call(record, calls.get(record.call_id))
        case TurnInterrupted() | TurnFailed():
            return _cut_short(record)
        case _:
            return []


def _call(ended: ToolEnded, use: ToolUseBlock | None) -> list[str]:
    asked = _asked(use) if use else ended.title
    heading = f"### {ended.tool}: {ended.status}"
    return [heading, _fenced(asked), _fenced(ended.text)]


def _asked(use: ToolUseBlock) -> str:
    command = use.input.get("command")
    if len(use.input) == 1 and isinstance(command, str):
        return command
    return json.dumps(use.input, indent=2, ensure_ascii=False)


def _cut_short(ended: TurnInterrupted | TurnFailed) -> list[str]:
    how = f"Failed: {ended.detail}" if isinstance(ended, TurnFailed) else "Interrupted."
    partial = ended.partial_text.strip()
    return [*(["## Greenroom", partial] if partial else []), f"*{how}*"]


def _fenced(text: str) -> str:
    """Fence a text so that none of its own lines ends it."""
    longest = max((len(fence) for fence in _FENCES.findall(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}"
