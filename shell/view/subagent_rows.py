"""One row for each subagent at work: what it does now, how long, how much it wrote. Pure."""

from messages.address import Address
from shell.text.sanitize import sanitize_line
from shell.view.screen_state import ScreenState
from shell.view.styled_text import Row, measure_width, truncate
from shell.view.subagent_list import Subagent, format_elapsed

MAX_SUBAGENT_ROWS = 6
_DOT = " · "
_LEAST_TOLD = 24
"""So much of what it does comes before how long and how much it wrote."""
_LEAST_ABOUT = 6
"""Fewer characters of what it is for say nothing."""
_MARKS = {"queued": "○ ", "idle": "○ "}


def render_subagent_rows(state: ScreenState, now_s: float, width: int) -> list[Row]:
    """Draw those that work; where there are many, the last line counts the others."""
    rows = state.subagents.running_in_tree_order
    shown = rows if len(rows) <= MAX_SUBAGENT_ROWS else rows[: MAX_SUBAGENT_ROWS - 1]
    asking = find_waiting_agents(state)
    drawn = [_row(row, now_s, width, asks=row.address in asking) for row in shown]
    more = len(rows) - len(shown)
    told: Row = (("dim", truncate(f"  … and {more} more; /tree shows all", width)),)
    return [*drawn, told] if more else drawn


def find_waiting_agents(state: ScreenState) -> frozenset[Address]:
    """Name the agents that wait for the person."""
    return frozenset(request.agent for request in state.approvals.parked)


def format_phase(row: Subagent, *, is_waiting: bool) -> str:
    """Say in a few words what an agent is at."""
    if is_waiting:
        return "waits for your approval"
    at = sanitize_line(row.phase_detail)
    return f"{row.phase} {at}" if row.phase == "queued" else at or row.phase


def _row(row: Subagent, now_s: float, width: int, *, asks: bool) -> Row:
    indent = "  " * (len(row.address.segments) - 2)
    name = f"{indent}{row.address.name} "
    told = format_phase(row, is_waiting=asks)
    tail = _tail(row, now_s, width - 2 - len(name) - min(measure_width(told), _LEAST_TOLD))
    room = max(width - 2 - len(name) - len(tail), 1)
    about = truncate(sanitize_line(row.description), max(room - measure_width(told) - len(_DOT), 0))
    told = about + _DOT + told if len(about) >= _LEAST_ABOUT else told
    return (
        ("warn" if asks else "person", truncate(_MARKS.get(row.phase, "● "), width)),
        ("plain", truncate(name, max(width - 2, 0))),
        ("dim", truncate(told, room)),
        ("dim", tail),
    )


def _tail(row: Subagent, now_s: float, room: int) -> str:
    """Say how long and how much; in little room only how long, or nothing."""
    passed = _DOT + format_elapsed(row, now_s)
    whole = passed + (_DOT + row.token_text if row.token_text else "")
    return next((tail for tail in (whole, passed) if len(tail) <= room), "")
