"""`/clear`."""

from shell.commands.command import Command, ReplHost
from shell.sessions.next_session import NextSession


def clear(words: list[str], host: ReplHost) -> str:
    """Start a new session; this one is kept."""
    if words:
        return "usage: /clear"
    host.switch_session(NextSession(None))
    return ""


CLEAR = Command("clear", clear)
