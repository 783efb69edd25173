"""`/tree`."""

from messages.address import PRIMARY
from shell.commands.command import Command, ReplHost
from shell.view.below import Subagent, clock
from shell.view.state import State
from shell.view.subagent_rows import asking_of, doing
from shell.visible import visible_line


def tree(words: list[str], shell: ReplHost) -> str:
    """Show every agent at work: what it is at or waits for, time, tokens, how often it began."""
    return "usage: /tree" if words else "\n".join(tree_lines(shell.state, shell.now_s))


def tree_lines(state: State, now_s: float) -> list[str]:
    """Write a line for each agent, indented by its depth."""
    asking = asking_of(state)
    agent = state.session.agent if state.session else "greenroom"
    at = "waits for your approval" if PRIMARY in asking else _primary_at(state)
    rows = (_line(row, now_s, asks=row.address in asking) for row in state.below.in_order)
    return [f"primary ({agent}) · {at}", *rows]


def _primary_at(state: State) -> str:
    if state.turn is None:
        return "idle"
    titles = [tool.title for tool in state.turn.tools]
    return visible_line(titles[-1]) if titles else "writing" if state.turn.streamed else "thinking"


def _line(row: Subagent, now_s: float, *, asks: bool) -> str:
    indent = "  " * (len(row.address.names) - 1)
    begun = f"begun {row.lives} times" if row.lives > 1 else ""
    who = f"{row.address.name} ({row.agent})"
    told = (who, doing(row, asks=asks), clock(row, now_s), row.wrote, begun)
    return indent + " · ".join(filter(None, told))


TREE = Command("tree", tree)
