"""`/context`."""

from messages.compaction import GetContextUsage
from shell.commands.command import Command, ReplHost


def context(words: list[str], host: ReplHost) -> str:
    """Show what fills the model's context window."""
    if words:
        return "usage: /context"
    if host.state.session is None:
        return "The agent has not started yet."
    host.post(GetContextUsage())
    return ""


CONTEXT = Command("context", context)
