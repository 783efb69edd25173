"""Lists and previews the sessions of a workspace. Reads the disk, so not for a handler."""

from dataclasses import dataclass
from pathlib import Path

from actors.sessions.damage import describe_damage
from actors.sessions.errors import LogError
from actors.sessions.log_reader import read_damaged_log, select_records_for
from actors.sessions.session_summaries import (
    SessionState,
    SessionSummary,
    list_session_summaries,
)
from messages.address import PRIMARY
from messages.content import TextBlock
from messages.steering import PromptDelivered
from messages.turns import ReplyCompleted, TurnStarted
from shell.sessions.session_names import read_session_names
from shell.text.sanitize import sanitize, sanitize_line
from shell.view.number_format import format_age, format_size

MAX_PREVIEW_MESSAGES = 6
"""Prompts and replies in a preview; the last ones best show where the session stopped."""
MAX_PREVIEW_CHARS = 600


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session; each text is one line without control characters."""

    path: Path
    session_id: str
    age: str
    """Time since the last write, such as `5 min`."""
    size: str
    turns: int
    state: SessionState
    title: str
    """The user's name for it, the first prompt, or what is wrong with the session file."""


def list_sessions(project_folder: Path, now_s: float) -> tuple[SessionRow, ...]:
    """List a workspace's sessions, last written first, including damaged ones."""
    names = read_session_names(project_folder)
    return tuple(
        _make_row(summary, names.get(summary.session_id, ""), now_s)
        for summary in list_session_summaries(project_folder)
    )


def build_preview(path: Path) -> str:
    """Return the last messages of a session, or why they cannot be read."""
    try:
        contents = read_damaged_log(path)
    except LogError as error:
        return sanitize(error.detail)
    messages: list[str] = []
    records = select_records_for(contents, PRIMARY)
    for record in records:
        if isinstance(record, TurnStarted) and not record.has_prompt:
            continue
        if isinstance(record, TurnStarted | PromptDelivered):
            messages.append(f"> {_shorten(record.prompt)}")
        elif isinstance(record, ReplyCompleted):
            texts = (block.text for block in record.content if isinstance(block, TextBlock))
            messages.extend(_shorten(text) for text in texts if text.strip())
    preview = "\n\n".join(messages[-MAX_PREVIEW_MESSAGES:]) or "(no messages)"
    damage = sanitize(describe_damage(contents.damage))
    return f"Damaged. {damage}\n\n{preview}" if damage else preview


def _make_row(summary: SessionSummary, name: str, now_s: float) -> SessionRow:
    title = summary.problem or name or summary.first_prompt
    return SessionRow(
        summary.path,
        sanitize_line(summary.session_id),
        format_age(now_s - summary.modified_s),
        format_size(summary.size_bytes),
        summary.turn_count,
        summary.state,
        sanitize_line(" ".join(title.split())),
    )


def _shorten(text: str) -> str:
    text = text.strip()
    return sanitize(text if len(text) <= MAX_PREVIEW_CHARS else f"{text[:MAX_PREVIEW_CHARS]}…")
