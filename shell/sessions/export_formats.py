"""Formats a session as a document: prompts, replies, tool calls and how turns ended."""

import json
import re
from collections.abc import Iterable
from operator import itemgetter
from typing import cast

from pydantic_core import to_json

from actors.sessions.damage import DamagedRecords
from actors.sessions.log_reader import LogContents, select_lines_for
from messages.address import PRIMARY
from messages.compaction import Compacted
from messages.content import TextBlock, ToolUseBlock
from messages.journal import Record, SessionHeader
from messages.reviews import ReviewEnded
from messages.serialization import JournalLine
from messages.steering import PromptDelivered
from messages.subagents import NotificationDelivered
from messages.turns import (
    ReplyCompleted,
    ToolEnded,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from shell.view.compaction_text import format_compaction
from shell.view.review_text import format_review_markdown
from shell.view.status_notices import format_attached_files, list_attachment_problems

_FENCES = re.compile(r"^\s*(`{3,})", re.MULTILINE)


def session_to_markdown(contents: LogContents) -> str:
    """Return a session's conversation as Markdown; damaged records are named where they were."""
    lines = [
        (line.seq, cast("Record", line.message)) for line in select_lines_for(contents, PRIMARY)
    ]
    damage = [(part.first_seq, part) for part in contents.damage]
    entries = sorted([*damage, *lines], key=itemgetter(0))
    return records_to_markdown(entry for _, entry in entries)


def records_to_markdown(records: Iterable[Record | DamagedRecords]) -> str:
    """Return a conversation as Markdown, without reasoning and internal records."""
    calls: dict[str, ToolUseBlock] = {}
    parts: list[str] = []
    for record in records:
        if isinstance(record, ReplyCompleted):
            uses = (block for block in record.content if isinstance(block, ToolUseBlock))
            calls |= {use.id: use for use in uses}
        if isinstance(record, DamagedRecords):
            parts.append(f"*{record.describe()}*")
        else:
            parts.extend(_format_record(record, calls))
    return "\n\n".join(parts) + "\n"


def session_to_json(contents: LogContents) -> bytes:
    """Return every record as one JSON array, each with its number, time and author.

    What is damaged is an object of the type `damaged_records`, where the records were.
    """
    records = [_line_to_json(line) for line in contents.lines]
    for damage in reversed(contents.damage):
        records.insert(damage.index, _damage_to_json(damage))
    return to_json(records, indent=2) + b"\n"


def _damage_to_json(damage: DamagedRecords) -> dict[str, object]:
    return {
        "type": "damaged_records",
        "line": damage.line,
        "first_seq": damage.first_seq,
        "last_seq": damage.last_seq,
        "detail": damage.describe(),
    }


def _line_to_json(line: JournalLine) -> dict[str, object]:
    stamps = {"seq": line.seq, "t": line.time_s, "by": line.recorded_by}
    return {**line.message.model_dump(mode="json"), **stamps}


def _format_record(record: Record, calls: dict[str, ToolUseBlock]) -> list[str]:  # noqa: C901, PLR0911  (one case per record)
    match record:
        case SessionHeader():
            return [f"# Session {record.session_id}", f"Workspace: `{record.workspace}`"]
        case TurnStarted(has_prompt=False):
            return []
        case NotificationDelivered():
            return ["## A background task has ended", _fence(record.text)]
        case TurnStarted():
            notices = [format_attached_files(record), *list_attachment_problems(record)]
            attachments = [f"*{notice}*" for notice in notices if notice]
            return ["## You", record.prompt.strip() or "(empty)", *attachments]
        case PromptDelivered():
            return ["## You (during the turn)", record.prompt.strip() or "(empty)"]
        case ReplyCompleted():
            texts = [block.text for block in record.content if isinstance(block, TextBlock)]
            text = "\n\n".join(text.strip() for text in texts if text.strip())
            return ["## Greenroom", text] if text else []
        case ToolEnded():
            return _format_call(record, calls.get(record.call_id))
        case ReviewEnded():
            return ["## Review", format_review_markdown(record)]
        case Compacted():
            notice, _ = format_compaction(record)
            return [f"*{notice} From here on, the model reads a summary.*"]
        case TurnInterrupted() | TurnFailed():
            return _format_unfinished_turn(record)
        case _:
            return []


def _format_call(ended: ToolEnded, use: ToolUseBlock | None) -> list[str]:
    arguments = _format_arguments(use) if use else ended.title
    heading = f"### {ended.tool}: {ended.status}"
    return [heading, _fence(arguments), _fence(ended.text)]


def _format_arguments(use: ToolUseBlock) -> str:
    command = use.input.get("command")
    if len(use.input) == 1 and isinstance(command, str):
        return command
    return json.dumps(use.input, indent=2, ensure_ascii=False)


def _format_unfinished_turn(ended: TurnInterrupted | TurnFailed) -> list[str]:
    outcome = f"Failed: {ended.detail}" if isinstance(ended, TurnFailed) else "Interrupted."
    partial = ended.partial_text.strip()
    return [*(["## Greenroom", partial] if partial else []), f"*{outcome}*"]


def _fence(text: str) -> str:
    """Put text into a fence that is longer than any fence inside it."""
    longest = max((len(fence) for fence in _FENCES.findall(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}"
