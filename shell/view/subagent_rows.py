"""One row for each subagent at work: what it does now, how long, how much it wrote. Pure."""

from messages.address import Address
from shell.view.below import Subagent, clock
from shell.view.ink import Row, cut, width_of
from shell.view.state import State
from shell.visible import visible_line

MOST_ROWS = 6
_DOT = " · "
_LEAST_TOLD = 24
"""So much of what it does comes before how long and how much it wrote."""
_LEAST_ABOUT = 6
"""Fewer characters of what it is for say nothing."""
_MARKS = {"queued": "○ ", "idle": "○ "}


def subagent_rows(state: State, now_s: float, width: int) -> list[Row]:
    """Draw those that work; where there are many, the last line counts the others."""
    rows = state.below.in_order
    shown = rows if len(rows) <= MOST_ROWS else rows[: MOST_ROWS - 1]
    asking = asking_of(state)
    drawn = [_row(row, now_s, width, asks=row.address in asking) for row in shown]
    more = len(rows) - len(shown)
    told: Row = (("dim", cut(f"  … and {more} more; /tree shows all", width)),)
    return [*drawn, told] if more else drawn


def asking_of(state: State) -> frozenset[Address]:
    """Name the agents that wait for the person."""
    return frozenset(request.agent for request in state.requests.parked)


def doing(row: Subagent, *, asks: bool) -> str:
    """Say in a few words what an agent is at."""
    if asks:
        return "waits for your approval"
    at = visible_line(row.at)
    return f"{row.doing} {at}" if row.doing == "queued" else at or row.doing


def _row(row: Subagent, now_s: float, width: int, *, asks: bool) -> Row:
    indent = "  " * (len(row.address.names) - 2)
    name = f"{indent}{row.address.name} "
    told = doing(row, asks=asks)
    tail = _tail(row, now_s, width - 2 - len(name) - min(width_of(told), _LEAST_TOLD))
    room = max(width - 2 - len(name) - len(tail), 1)
    about = cut(visible_line(row.description), max(room - width_of(told) - len(_DOT), 0))
    told = about + _DOT + told if len(about) >= _LEAST_ABOUT else told
    return (
        ("warn" if asks else "person", cut(_MARKS.get(row.doing, "● "), width)),
        ("plain", cut(name, max(width - 2, 0))),
        ("dim", cut(told, room)),
        ("dim", tail),
    )


def _tail(row: Subagent, now_s: float, room: int) -> str:
    """Say how long and how much; in little room only how long, or nothing."""
    passed = _DOT + clock(row, now_s)
    whole = passed + (_DOT + row.wrote if row.wrote else "")
    return next((tail for tail in (whole, passed) if len(tail) <= room), "")
