"""`/agents`."""

from shell.agents_command import as_text
from shell.commands.command import Command, ReplHost


def agents(words: list[str], shell: ReplHost) -> str:
    """List the agents there are, and where each is defined."""
    return "usage: /agents" if words else as_text(shell.place.agents)


AGENTS = Command("agents", agents)
