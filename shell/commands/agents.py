"""`/agents`."""

from shell.cli.agents_command import format_agents
from shell.commands.command import Command, ReplHost


def agents(words: list[str], host: ReplHost) -> str:
    """List the agents there are, and where each is defined."""
    return "usage: /agents" if words else format_agents(host.session_context.agents)


AGENTS = Command("agents", agents)
