"""`/tree`."""

from messages.address import PRIMARY
from shell.commands.command import Command, ReplHost
from shell.text.sanitize import sanitize_line
from shell.view.screen_state import ScreenState
from shell.view.subagent_list import Subagent, format_elapsed
from shell.view.subagent_rows import find_waiting_agents, format_phase


def tree(words: list[str], host: ReplHost) -> str:
    """Show every agent at work: what it is at or waits for, time, tokens, how often it began."""
    return "usage: /tree" if words else "\n".join(format_tree(host.state, host.now_s))


def format_tree(state: ScreenState, now_s: float) -> list[str]:
    """Write a line for each agent, indented by its depth."""
    asking = find_waiting_agents(state)
    agent = state.session.agent if state.session else "greenroom"
    at = "waits for your approval" if PRIMARY in asking else _primary_at(state)
    rows = (
        _line(row, now_s, asks=row.address in asking)
        for row in state.subagents.running_in_tree_order
    )
    return [f"primary ({agent}) · {at}", *rows]


def _primary_at(state: ScreenState) -> str:
    if state.turn is None:
        return "idle"
    titles = [tool.title for tool in state.turn.running_tools]
    return (
        sanitize_line(titles[-1])
        if titles
        else "writing"
        if state.turn.has_streamed_text
        else "thinking"
    )


def _line(row: Subagent, now_s: float, *, asks: bool) -> str:
    indent = "  " * (len(row.address.segments) - 1)
    begun = f"begun {row.task_number} times" if row.task_number > 1 else ""
    who = f"{row.address.name} ({row.agent})"
    told = (
        who,
        format_phase(row, is_waiting=asks),
        format_elapsed(row, now_s),
        row.token_text,
        begun,
    )
    return indent + " · ".join(filter(None, told))


TREE = Command("tree", tree)
