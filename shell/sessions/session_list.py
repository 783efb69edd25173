"""Sessions to choose from, as rows and as a preview; reads the disk, so not for a handler."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from actors.sessions.errors import LogError
from actors.sessions.log_reader import read_log, select_records_for
from actors.sessions.session_index import SessionSummary, list_session_summaries
from messages.address import PRIMARY
from messages.content import TextBlock
from messages.turns import ReplyCompleted, TurnStarted
from shell.text.sanitize import sanitize_line, visible

MAX_PREVIEW_MESSAGES = 6
"""Of prompts and answers; the last ones tell best where a session stands."""
_PREVIEW_CHARS = 600
_KIB = 1024
_STEPS = ((60, "s"), (60, "min"), (24, "h"), (365, "d"))


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session; every text fits on a line and draws nothing."""

    path: Path
    session_id: str
    age: str
    """Since it was last written to, such as `5 min`."""
    size: str
    turns: int
    state: Literal["locked", "available", "unusable"]
    title: str
    """The first prompt; of a broken one, what is wrong with it."""


def list_sessions(project_folder: Path, now_s: float) -> tuple[SessionRow, ...]:
    """List a workspace's sessions, last written first; a broken one is listed as such."""
    return tuple(_row(each, now_s) for each in list_session_summaries(project_folder))


def build_preview(path: Path) -> str:
    """Show the last of what was said in a session, or why it cannot be shown."""
    try:
        records = select_records_for(read_log(path), PRIMARY)
    except LogError as error:
        return visible(error.detail)
    said: list[str] = []
    for record in records:
        if isinstance(record, TurnStarted):
            said.append(f"> {_shortened(record.prompt)}")
        elif isinstance(record, ReplyCompleted):
            texts = (each.text for each in record.content if isinstance(each, TextBlock))
            said.extend(_shortened(text) for text in texts if text.strip())
    return "\n\n".join(said[-MAX_PREVIEW_MESSAGES:]) or "(nothing was said)"


def format_duration(seconds: float) -> str:
    """Tell a span in its largest unit."""
    value = max(0, int(seconds))
    for size, unit in _STEPS:
        if value < size or unit == "d":
            return f"{value} {unit}"
        value //= size
    return ""


def format_size(count_bytes: int) -> str:
    """Tell a size in KiB or MiB."""
    kib = count_bytes / _KIB
    return f"{kib:.1f} KiB" if kib < _KIB else f"{kib / _KIB:.1f} MiB"


def _row(each: SessionSummary, now_s: float) -> SessionRow:
    title = each.problem or each.first_prompt
    return SessionRow(
        each.path,
        sanitize_line(each.session_id),
        format_duration(now_s - each.modified_s),
        format_size(each.size_bytes),
        each.turn_count,
        each.state,
        sanitize_line(" ".join(title.split())),
    )


def _shortened(text: str) -> str:
    text = text.strip()
    return visible(text if len(text) <= _PREVIEW_CHARS else f"{text[:_PREVIEW_CHARS]}…")
