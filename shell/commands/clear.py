"""`/clear`."""

from shell.commands.command import Command, Shell
from shell.successor import Successor


def clear(words: list[str], shell: Shell) -> str:
    """Begin a new session; this one is kept."""
    if words:
        return "usage: /clear"
    shell.leave_for(Successor(None))
    return ""


CLEAR = Command("clear", clear)
