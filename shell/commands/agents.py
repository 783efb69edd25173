"""`/agents`."""

from shell.commands.command import Command, ReplHost
from shell.config.agent_list_format import format_agents


def agents(words: list[str], host: ReplHost) -> str:
    """List the agents and where each one is defined."""
    return "usage: /agents" if words else format_agents(host.session_context.agents)


AGENTS = Command("agents", agents)
