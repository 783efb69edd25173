"""One row per running subagent: its activity, elapsed time and tokens. Pure."""

from messages.address import Address
from shell.text.sanitize import sanitize_line
from shell.view.pending_request import format_pending_request
from shell.view.screen_state import ScreenState
from shell.view.styled_text import Row, measure_width, truncate
from shell.view.subagent_states import Subagent, format_elapsed

MAX_SUBAGENT_ROWS = 6
_SEPARATOR = " · "
_MIN_PHASE_COLUMNS = 24
"""Columns of the activity that take precedence over elapsed time and tokens."""
_MIN_DESCRIPTION_CHARS = 6
"""A shorter description is useless."""
_MARKS = {"queued": "○ ", "idle": "○ "}


def render_subagent_rows(state: ScreenState, now_s: float, width: int) -> list[Row]:
    """Render the running subagents; if there are many, the last row counts the rest."""
    subagents = state.subagents.running_in_tree_order
    first = subagents if len(subagents) <= MAX_SUBAGENT_ROWS else subagents[: MAX_SUBAGENT_ROWS - 1]
    waiting = find_waiting_agents(state)
    rows = [
        _render_row(subagent, now_s, width, is_waiting=subagent.address in waiting)
        for subagent in first
    ]
    more = len(subagents) - len(first)
    last_row: Row = (("dim", truncate(f"  … and {more} more; /tree shows all", width)),)
    return [*rows, last_row] if more else rows


def find_waiting_agents(state: ScreenState) -> frozenset[Address]:
    """Return the agents that wait for the user."""
    return frozenset(request.agent for request in state.approvals.parked)


def format_phase(subagent: Subagent, now_s: float, *, is_waiting: bool) -> str:
    """Return in a few words what a subagent is doing."""
    if is_waiting:
        return "needs your approval"
    if subagent.phase == "waiting" and subagent.pending_request:
        return format_pending_request(subagent.pending_request, now_s)
    return sanitize_line(subagent.phase_detail) or subagent.phase


def _render_row(subagent: Subagent, now_s: float, width: int, *, is_waiting: bool) -> Row:
    indent = "  " * (len(subagent.address.segments) - 2)
    name = f"{indent}{subagent.address.name} "
    text = format_phase(subagent, now_s, is_waiting=is_waiting)
    reserved = min(measure_width(text), _MIN_PHASE_COLUMNS)
    usage = _format_usage(subagent, now_s, width - 2 - len(name) - reserved)
    room = max(width - 2 - len(name) - len(usage), 1)
    description = truncate(
        sanitize_line(subagent.description),
        max(room - measure_width(text) - len(_SEPARATOR), 0),
    )
    if len(description) >= _MIN_DESCRIPTION_CHARS:
        text = description + _SEPARATOR + text
    return (
        ("warn" if is_waiting else "user", truncate(_MARKS.get(subagent.phase, "● "), width)),
        ("plain", truncate(name, max(width - 2, 0))),
        ("dim", truncate(text, room)),
        ("dim", usage),
    )


def _format_usage(subagent: Subagent, now_s: float, room: int) -> str:
    """Return elapsed time and tokens; only the time, or nothing, where they do not fit."""
    elapsed = _SEPARATOR + format_elapsed(subagent, now_s)
    full = elapsed + (_SEPARATOR + subagent.token_text if subagent.token_text else "")
    return next((text for text in (full, elapsed) if len(text) <= room), "")
