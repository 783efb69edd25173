"""A definition prepared for use in one session."""

from collections.abc import Iterable
from dataclasses import dataclass

from actors.agents.definition.definition import Definition, build_profile
from actors.agents.definition.system_prompts import Instructions, build_system_prompt
from actors.paths.workspace import Workspace
from actors.permissions.rule_matching import can_use_tool
from actors.tools.subagent_types import NO_SUBAGENTS, SpawnOptions
from actors.tools.tool import AnyTool
from messages.policy import PermissionProfile, ToolDeclaration


@dataclass(frozen=True, slots=True)
class PreparedAgent:
    """A definition with its full system prompt, its tools and its permission profile."""

    name: str
    system_prompt: str
    tools: tuple[AnyTool, ...]
    profile: PermissionProfile
    ancestors: tuple[PermissionProfile, ...] = ()
    """The profiles of the agents above it, the nearest first."""
    spawn_options: SpawnOptions = NO_SUBAGENTS
    """The types of subagents that it may start."""
    max_tokens: int = 32_000
    """Longest reply to request, in tokens; the model's own limit may be lower."""


def prepare_agent(
    definition: Definition,
    workspace: Workspace,
    instructions: tuple[Instructions, ...],
    tools: Iterable[AnyTool],
    ancestors: tuple[PermissionProfile, ...] = (),
) -> PreparedAgent:
    """Build the system prompt, tool set and permission profile of a definition.

    `ancestors` are the profiles of the agents above it, the nearest first.
    """
    profile = build_profile(definition)
    chain = (profile, *ancestors)
    return PreparedAgent(
        name=definition.name,
        system_prompt=build_system_prompt(definition.system_prompt, workspace, instructions),
        tools=tuple(tool for tool in tools if is_offered(tool.declaration, chain)),
        profile=profile,
        ancestors=ancestors,
    )


def is_offered(tool: ToolDeclaration, chain: tuple[PermissionProfile, ...]) -> bool:
    """Return whether an agent is offered a tool: no agent of its chain makes every call fail."""
    is_read_only = any(profile.read_only for profile in chain)
    if is_read_only and tool.category in ("change", "external"):
        return False
    return all(
        can_use_tool(profile, tool.name, is_ancestor=index > 0)
        for index, profile in enumerate(chain)
    )
