"""A tool call in the scrollback: what it was, how it went, the first lines of what it said."""

import re
from itertools import dropwhile

from messages.turns import ToolEnded, ToolStatus
from shell.console.ui_commands import UserCommandEnded
from shell.text.sanitize import sanitize_line, visible
from shell.view.approval_panel import get_diff_tone
from shell.view.styled_text import Fragment, Row, truncate, wrap

MAX_OUTPUT_LINES, MAX_DIFF_LINES = 8, 16
"""So much of the output and of a diff is shown; the rest is counted."""
_TITLE_ROWS = 3
_TASK_FRAME = re.compile(r"^(task_id: \S+|</?task_result>)(\n|\Z)", re.MULTILINE)

_MARKS: dict[ToolStatus, tuple[str, str, str]] = {
    "ok": ("●", "good", ""),
    "error": ("●", "bad", "failed"),
    "denied": ("✗", "bad", "denied"),
    "cancelled": ("◌", "warn", "cancelled"),
    "unknown": ("?", "warn", "outcome unknown"),
}


def render_tool_rows(event: ToolEnded, width: int) -> list[Row]:
    """Show one ended call."""
    rows = _ended(event.status, event.title or event.tool, get_output_text(event), width)
    return rows + _diff(event.diff, width)


def get_output_text(event: ToolEnded) -> str:
    """Say what a call said; of a task, the words of the agent without the frame for the model."""
    return _TASK_FRAME.sub("", event.text) if event.tool == "task" else event.text


def render_user_command_rows(event: UserCommandEnded, width: int) -> list[Row]:
    """Show a command of the person's own that has ended."""
    return _ended(event.status, f"! {event.command}", event.text, width)


def _ended(status: ToolStatus, told: str, text: str, width: int) -> list[Row]:
    mark, tone, word = _MARKS[status]
    title = wrap(sanitize_line(told), width - 2)
    rows: list[Row] = [((tone, mark + " "), ("strong", title[0]))]
    rows.extend((("strong", "  " + piece),) for piece in title[1:_TITLE_ROWS])
    if len(title) > _TITLE_ROWS:
        rows.append((("dim", "  …"),))
    if word:
        rows.append((("plain", "  "), (tone, truncate(word, width - 2))))
    return rows + _output(text, width)


def _output(text: str, width: int) -> list[Row]:
    lines = visible(text).rstrip("\n").split("\n")
    return _first([("dim", line) for line in lines], MAX_OUTPUT_LINES, width) if any(lines) else []


def _diff(diff: str, width: int) -> list[Row]:
    """Show what a file has become; which one it is says the title."""
    lines = visible(diff).rstrip("\n").split("\n")
    hunks = dropwhile(lambda line: not line.startswith("@@"), lines)
    return _first([(get_diff_tone(line), line) for line in hunks], MAX_DIFF_LINES, width)


def _first(lines: list[Fragment], most: int, width: int) -> list[Row]:
    fits = len(lines) <= most + 1  # a line takes no more room than the count of one
    rows = [
        (tone, truncate(line.expandtabs(4), width - 2))
        for tone, line in lines[: None if fits else most]
    ]
    if not fits:
        rows.append(("dim", truncate(f"… +{len(lines) - most:,} lines (Ctrl-O)", width - 2)))
    return [((tone, "  " + row),) for tone, row in rows]
