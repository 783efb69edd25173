"""One row per running subagent: its activity, elapsed time and tokens. Pure."""

from messages.address import Address
from messages.subagents import SubagentStatus
from shell.text.sanitize import sanitize_line
from shell.view.approval_queue import format_call
from shell.view.number_format import format_duration
from shell.view.screen_state import ScreenState
from shell.view.styled_text import Row, measure_width, truncate
from shell.view.subagent_states import Subagent, format_elapsed
from shell.view.waiting_model_request import format_pending_request

MAX_SUBAGENT_ROWS = 6
_SEPARATOR = " · "
_MIN_PHASE_COLUMNS = 24
"""Columns of the activity that take precedence over elapsed time and tokens."""
_MIN_DESCRIPTION_CHARS = 6
"""A shorter description is useless."""
_MARKS = {"queued": "○ ", "idle": "○ ", "paused": "○ "}
_PROGRESSING_PHASES = ("starting", "waiting", "thinking", "writing", "working")
MIN_PROGRESS_AGE_S = 5.0
STUCK_AFTER_S = 300.0
"""Without any event for this long, the task view says that an agent may be stuck."""
OUTCOMES: dict[SubagentStatus, str] = {
    "completed": "done",
    "cancelled": "stopped",
    "limit_reached": "limit reached",
    "failed": "failed",
}


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


def format_outcome(status: SubagentStatus, detail: str) -> str:
    """Return in a few words how a task ended."""
    has_detail = detail and status not in ("completed", "cancelled")
    return OUTCOMES[status] + (f": {sanitize_line(detail)}" if has_detail else "")


def describe_work(state: ScreenState, subagent: Subagent, now_s: float) -> str:
    """Return what an agent does or waits for, or how it ended."""
    if subagent.phase == "ended":
        return format_outcome(subagent.outcome or "completed", subagent.phase_detail)
    is_waiting = subagent.address in find_waiting_agents(state)
    if is_waiting:
        request = next(iter(state.approvals.of_agent(subagent.address)))
        return f"needs your approval: {format_call(request)}"
    children = [
        agent.address.name
        for agent in state.subagents.running
        if agent.address.parent == subagent.address and not agent.is_background
        if agent.phase != "idle"
    ]
    if children:
        return f"waits for {', '.join(children)}"
    return format_phase(subagent, now_s, is_waiting=False)


def format_progress_age(subagent: Subagent, now_s: float) -> str:
    """Return for how long nothing has happened in a working agent; empty: only a moment."""
    age_s = now_s - subagent.progress_s
    is_working = subagent.phase in _PROGRESSING_PHASES and subagent.pending_request is None
    if not is_working or age_s < MIN_PROGRESS_AGE_S:
        return ""
    label = "may be stuck, " if age_s >= STUCK_AFTER_S else ""
    return f" · {label}last progress {format_duration(age_s)} ago"


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
