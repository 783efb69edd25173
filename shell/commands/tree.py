"""`/tree`."""

from messages.address import PRIMARY
from shell.commands.command import Command, ReplHost
from shell.text.sanitize import sanitize_line
from shell.view.screen_state import ScreenState
from shell.view.subagent_rows import find_waiting_agents, format_phase
from shell.view.subagent_states import Subagent, format_elapsed
from shell.view.waiting_model_request import format_pending_request


def tree(words: list[str], host: ReplHost) -> str:
    """Show all running agents with their activity, time and tokens."""
    return "usage: /tree" if words else "\n".join(format_tree(host.state, host.now_s))


def format_tree(state: ScreenState, now_s: float) -> list[str]:
    """Return a line for each agent, indented by depth."""
    waiting = find_waiting_agents(state)
    agent = state.session.agent if state.session else "greenroom"
    activity = "needs your approval" if PRIMARY in waiting else _get_primary_activity(state, now_s)
    rows = (
        _format_row(subagent, now_s, is_waiting=subagent.address in waiting)
        for subagent in state.subagents.running_in_tree_order
    )
    return [f"primary ({agent}) · {activity}", *rows]


def _get_primary_activity(state: ScreenState, now_s: float) -> str:
    if state.turn is None:
        return "idle"
    if state.turn.running_tools:
        return sanitize_line(state.turn.running_tools[-1].title)
    if state.turn.pending_request:
        return format_pending_request(state.turn.pending_request, now_s)
    if not state.turn.has_reply_begun:
        return "waits for the model"
    return "writing" if state.turn.has_streamed_text else "thinking"


def _format_row(subagent: Subagent, now_s: float, *, is_waiting: bool) -> str:
    indent = "  " * (len(subagent.address.segments) - 1)
    task = f"task {subagent.task_number}" if subagent.task_number > 1 else ""
    parts = (
        f"{subagent.address.name} ({subagent.agent})",
        format_phase(subagent, now_s, is_waiting=is_waiting),
        format_elapsed(subagent, now_s),
        subagent.token_text,
        task,
    )
    return indent + " · ".join(filter(None, parts))


TREE = Command("tree", tree)
