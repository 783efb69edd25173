"""A tool call in the scrollback: what it was, how it went, the first lines of what it said."""

import re

from messages.turns import ToolEnded, ToolStatus
from shell.intents import OwnCommandEnded
from shell.view.ink import Row, cut, wrapped
from shell.visible import visible, visible_line

OUTPUT_LINES = 8
"""So much of the output is shown; the rest is counted."""
_TITLE_ROWS = 3
_TASK_FRAME = re.compile(r"^(task_id: \S+|</?task_result>)(\n|\Z)", re.MULTILINE)

_MARKS: dict[ToolStatus, tuple[str, str, str]] = {
    "ok": ("●", "good", ""),
    "error": ("●", "bad", "failed"),
    "denied": ("✗", "bad", "denied"),
    "cancelled": ("◌", "warn", "cancelled"),
    "unknown": ("?", "warn", "outcome unknown"),
}


def tool_rows(event: ToolEnded, width: int) -> list[Row]:
    """Show one ended call; of a task, the words of the agent without the frame for the model."""
    text = _TASK_FRAME.sub("", event.text) if event.tool == "task" else event.text
    return _ended(event.status, event.title or event.tool, text, width)


def own_rows(event: OwnCommandEnded, width: int) -> list[Row]:
    """Show a command of the person's own that has ended."""
    return _ended(event.status, f"! {event.command}", event.text, width)


def _ended(status: ToolStatus, told: str, text: str, width: int) -> list[Row]:
    mark, tone, word = _MARKS[status]
    title = wrapped(visible_line(told), width - 2)
    rows: list[Row] = [((tone, mark + " "), ("strong", title[0]))]
    rows.extend((("strong", "  " + piece),) for piece in title[1:_TITLE_ROWS])
    if len(title) > _TITLE_ROWS:
        rows.append((("dim", "  …"),))
    if word:
        rows.append((("plain", "  "), (tone, cut(word, width - 2))))
    return rows + _output(text, width)


def _output(text: str, width: int) -> list[Row]:
    lines = visible(text).rstrip("\n").split("\n")
    if lines == [""]:
        return []
    fits = len(lines) <= OUTPUT_LINES + 1  # a line takes no more room than the count of one
    shown = lines if fits else lines[:OUTPUT_LINES]
    rows = [cut(line.expandtabs(4), width - 2) for line in shown]
    if not fits:
        rows.append(cut(f"… +{len(lines) - OUTPUT_LINES:,} lines (Ctrl-O)", width - 2))
    return [(("dim", "  " + row),) for row in rows]
