"""`/clear`."""

from shell.commands.command import Command, ReplHost
from shell.successor import Successor


def clear(words: list[str], shell: ReplHost) -> str:
    """Begin a new session; this one is kept."""
    if words:
        return "usage: /clear"
    shell.leave_for(Successor(None))
    return ""


CLEAR = Command("clear", clear)
