"""An ended tool call in the scrollback: its title, how it ended, and a part of its output."""

import re
from itertools import dropwhile

from messages.turns import ToolStatus
from shell.console.ui_commands import UserCommandEnded
from shell.text.sanitize import sanitize, sanitize_line
from shell.view.approval_panel import get_diff_tone
from shell.view.call_text import describe_ended, get_output_text
from shell.view.number_format import format_duration
from shell.view.screen_state import PrintCall
from shell.view.styled_text import Fragment, Row, measure_width, truncate, wrap

MAX_OUTPUT_LINES, MAX_FAILED_LINES, MAX_DIFF_LINES = 3, 8, 16
"""Lines of an output, of a failed or user's command, and of a diff that are shown."""
MIN_SHOWN_DURATION_S = 1.0
_MAX_TITLE_ROWS = 3
_EXIT_STATUS = re.compile(r"(?:^|\n)exit status (\d+)\s*\Z")
_CHANGE = re.compile(r"\(\+([\d,]+) -([\d,]+) lines\)$")
_MARKS: dict[ToolStatus, tuple[str, str, str]] = {
    "ok": ("●", "good", ""),
    "error": ("●", "bad", "failed"),
    "denied": ("✗", "bad", "denied"),
    "cancelled": ("◌", "warn", "cancelled"),
    "unknown": ("?", "warn", "outcome unknown"),
}


def render_tool_rows(call: PrintCall, width: int) -> list[Row]:
    """Render an ended call; of a command's output the end is shown, which tells how it went."""
    event = call.ended
    mark, tone, label = _MARKS[event.status]
    text = get_output_text(event)
    exit_status = _EXIT_STATUS.search(text) if event.tool == "bash" else None
    if exit_status:
        label, text = f"exit {exit_status[1]}", text[: exit_status.start()]
    change = _format_change(text) if event.diff else ""
    rows = _render_title(
        (tone, mark), describe_ended(event), label or change, call.duration_s, width
    )
    if event.status == "ok" and (event.diff or event.tool == "todo_write"):
        return rows + _render_diff(event.diff, width)
    max_lines = MAX_OUTPUT_LINES if event.status == "ok" else MAX_FAILED_LINES
    return rows + _render_output(text, max_lines, width, shows_end=event.tool == "bash")


def render_user_command_rows(event: UserCommandEnded, width: int) -> list[Row]:
    """Render an ended user command."""
    mark, tone, label = _MARKS[event.status]
    rows = _render_title((tone, mark), f"! {sanitize_line(event.command)}", label, None, width)
    return rows + _render_output(event.text, MAX_FAILED_LINES, width, shows_end=True)


def _render_title(
    mark: Fragment, title: str, label: str, duration_s: float | None, width: int
) -> list[Row]:
    """Render the title, followed by how the call ended and how long it took."""
    tone, sign = mark
    lines = wrap(title, width - 2)
    if len(lines) > _MAX_TITLE_ROWS:
        lines = [
            *lines[: _MAX_TITLE_ROWS - 1],
            truncate("".join(lines[_MAX_TITLE_ROWS - 1 :]), width - 2),
        ]
    rows: list[Row] = [((tone, sign + " "), ("strong", lines[0]))]
    rows.extend((("strong", "  " + line),) for line in lines[1:])
    is_long = duration_s is not None and duration_s >= MIN_SHOWN_DURATION_S
    duration = f" · {format_duration(duration_s)}" if is_long and duration_s else ""
    label_text = f" · {label}" if label else ""
    if not label and not duration:
        return rows
    if measure_width(lines[-1] + label_text + duration) > width - 2:
        rows.append((("plain", "  "), (tone, truncate(label, width - 2)), ("dim", duration)))
    else:
        rows[-1] = (*rows[-1], (tone, label_text), ("dim", duration))
    return rows


def _format_change(text: str) -> str:
    """Return how many lines a call added and removed; empty: it changed no file."""
    change = _CHANGE.search(text)
    return f"+{change[1]} −{change[2]}" if change else ""  # noqa: RUF001  (minus sign)


def _render_output(text: str, max_lines: int, width: int, *, shows_end: bool) -> list[Row]:
    lines = sanitize(text).strip("\n").split("\n")
    if not any(lines):
        return []
    more = len(lines) - max_lines
    if more <= 1:  # counting one more line would take a row, too
        return [render_output_line(line, width) for line in lines]
    count = f"… +{more:,} lines (Ctrl-O)"
    if shows_end:
        return [render_output_line(line, width) for line in (count, *lines[more:])]
    return [render_output_line(line, width) for line in (*lines[:max_lines], count)]


def render_output_line(line: str, width: int) -> Row:
    """Render a line of output below the title of its call."""
    return (("dim", truncate(f"  │ {line.expandtabs(4)}".rstrip(), width)),)


def _list_hunks(diff: str) -> list[str]:
    """Return the lines of a diff without its first ones, which name the file."""
    lines = sanitize(diff).rstrip("\n").split("\n")
    return list(dropwhile(lambda line: not line.startswith("@@"), lines))


def _render_diff(diff: str, width: int) -> list[Row]:
    """Render the hunks of a diff; the title already names the file."""
    lines: list[Fragment] = [(get_diff_tone(line), line) for line in _list_hunks(diff)]
    more = len(lines) - MAX_DIFF_LINES
    if more > 1:
        lines = [*lines[:MAX_DIFF_LINES], ("dim", f"… +{more:,} lines (Ctrl-O)")]
    return [((tone, "  " + truncate(line.expandtabs(4), width - 2)),) for tone, line in lines]
