"""`/compact`."""

from messages.compaction import StartCompaction
from shell.commands.command import Command, ReplHost


def compact(words: list[str], host: ReplHost) -> str:
    """Replace earlier messages with a summary; add what it should concentrate on."""
    if host.state.session is None:
        return "The agent has not started yet."
    host.post(StartCompaction(instructions=" ".join(words)))
    return ""


COMPACT = Command("compact", compact)
