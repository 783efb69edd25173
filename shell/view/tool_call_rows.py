"""An ended tool call in the scrollback: its title, status and the first lines of its output."""

import re
from itertools import dropwhile

from messages.turns import ToolEnded, ToolStatus
from shell.console.ui_commands import UserCommandEnded
from shell.text.sanitize import sanitize, sanitize_line
from shell.view.approval_panel import get_diff_tone
from shell.view.styled_text import Fragment, Row, truncate, wrap

MAX_OUTPUT_LINES, MAX_DIFF_LINES = 8, 16
"""Lines of an output and of a diff that are shown; further lines are counted."""
_MAX_TITLE_ROWS = 3
_TASK_TAGS = re.compile(r"^(task_id: \S+|</?task_result>)(\n|\Z)", re.MULTILINE)

_MARKS: dict[ToolStatus, tuple[str, str, str]] = {
    "ok": ("●", "good", ""),
    "error": ("●", "bad", "failed"),
    "denied": ("✗", "bad", "denied"),
    "cancelled": ("◌", "warn", "cancelled"),
    "unknown": ("?", "warn", "outcome unknown"),
}


def render_tool_rows(event: ToolEnded, width: int) -> list[Row]:
    """Render an ended call."""
    rows = _render_call(event.status, event.title or event.tool, get_output_text(event), width)
    return rows + _render_diff(event.diff, width)


def get_output_text(event: ToolEnded) -> str:
    """Return the output of a call for the user.

    The tags of a `task` call are left out, and so are the new lines that the diff shows anyway.
    """
    if event.diff:
        return event.text.partition("\n")[0]
    return _TASK_TAGS.sub("", event.text) if event.tool == "task" else event.text


def render_user_command_rows(event: UserCommandEnded, width: int) -> list[Row]:
    """Render an ended user command."""
    return _render_call(event.status, f"! {event.command}", event.text, width)


def _render_call(status: ToolStatus, title: str, text: str, width: int) -> list[Row]:
    mark, tone, label = _MARKS[status]
    lines = wrap(sanitize_line(title), width - 2)
    rows: list[Row] = [((tone, mark + " "), ("strong", lines[0]))]
    rows.extend((("strong", "  " + line),) for line in lines[1:_MAX_TITLE_ROWS])
    if len(lines) > _MAX_TITLE_ROWS:
        rows.append((("dim", "  …"),))
    if label:
        rows.append((("plain", "  "), (tone, truncate(label, width - 2))))
    return rows + _render_output(text, width)


def _render_output(text: str, width: int) -> list[Row]:
    lines = sanitize(text).rstrip("\n").split("\n")
    if not any(lines):
        return []
    return _render_first([("dim", line) for line in lines], MAX_OUTPUT_LINES, width)


def _render_diff(diff: str, width: int) -> list[Row]:
    """Render the hunks of a diff; the title already names the file."""
    lines = sanitize(diff).rstrip("\n").split("\n")
    hunks = dropwhile(lambda line: not line.startswith("@@"), lines)
    return _render_first([(get_diff_tone(line), line) for line in hunks], MAX_DIFF_LINES, width)


def _render_first(lines: list[Fragment], max_lines: int, width: int) -> list[Row]:
    fits = len(lines) <= max_lines + 1  # counting one more line would take a row, too
    rows = [
        (tone, truncate(line.expandtabs(4), width - 2))
        for tone, line in lines[: None if fits else max_lines]
    ]
    if not fits:
        rows.append(("dim", truncate(f"… +{len(lines) - max_lines:,} lines (Ctrl-O)", width - 2)))
    return [((tone, "  " + row),) for tone, row in rows]
