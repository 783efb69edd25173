"""A definition prepared for use in one session."""

from collections.abc import Iterable
from dataclasses import dataclass

from actors.agents.definition.definition import Definition, build_profile
from actors.agents.definition.system_prompts import Instructions, build_system_prompt
from actors.paths.workspace import Workspace
from actors.permissions.rule_matching import has_tool
from actors.tools.tool import AnyTool
from messages.policy import PermissionProfile


@dataclass(frozen=True, slots=True)
class PreparedAgent:
    """A definition with its full system prompt, its tools and its permission profile."""

    name: str
    system_prompt: str
    tools: tuple[AnyTool, ...]
    profile: PermissionProfile
    max_tokens: int = 32_000
    """Longest reply to request, in tokens; the model's own limit may be lower."""


def prepare_agent(
    definition: Definition,
    workspace: Workspace,
    instructions: tuple[Instructions, ...],
    tools: Iterable[AnyTool],
) -> PreparedAgent:
    """Build the system prompt, tool set and permission profile of a definition."""
    profile = build_profile(definition)
    return PreparedAgent(
        name=definition.name,
        system_prompt=build_system_prompt(definition.system_prompt, workspace, instructions),
        tools=tuple(tool for tool in tools if has_tool(profile, tool.name)),
        profile=profile,
    )
