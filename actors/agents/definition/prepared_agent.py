"""A definition prepared for use in one session."""

from collections.abc import Sequence
from dataclasses import dataclass

from actors.agents.definition.definition import Definition, build_profile
from actors.agents.definition.system_prompts import Instructions, build_system_prompt
from actors.paths.workspace import Workspace
from actors.permissions.rule_matching import can_use_tool
from actors.tools.subagent_types import NO_SUBAGENTS, SpawnOptions
from actors.tools.tool import AnyTool
from actors.tools.tool_list import PLAN_ENTER, PLAN_EXIT
from messages.policy import PermissionProfile, ToolDeclaration

PLAN_TOOLS = (PLAN_ENTER.name, PLAN_EXIT.name)


@dataclass(frozen=True, slots=True)
class PreparedAgent:
    """A definition with its full system prompt, its tools and its permission profile."""

    name: str
    system_prompt: str
    tools: tuple[AnyTool, ...]
    """The tools that it can use."""
    offered_tools: tuple[AnyTool, ...]
    """The tools in the requests to the model: these, and the other one of the plan tools.

    A turn keeps its tools when the user agrees to plan or to stop planning during it.
    """
    profile: PermissionProfile
    ancestors: tuple[PermissionProfile, ...] = ()
    """The profiles of the agents above it, the nearest first."""
    spawn_options: SpawnOptions = NO_SUBAGENTS
    """The types of subagents that it may start."""


def prepare_agent(
    definition: Definition,
    workspace: Workspace,
    instructions: tuple[Instructions, ...],
    tools: Sequence[AnyTool],
    ancestors: tuple[PermissionProfile, ...] = (),
) -> PreparedAgent:
    """Build the system prompt, tool set and permission profile of a definition.

    `ancestors` are the profiles of the agents above it, the nearest first.
    """
    profile = build_profile(definition)
    chain = (profile, *ancestors)
    names = {tool.name for tool in tools if is_offered(tool.declaration, chain)}
    offered_names = names | set(PLAN_TOOLS) if names.intersection(PLAN_TOOLS) else names
    # An agent that plans cannot enter plan mode, and one that does not cannot leave it.
    names.discard(PLAN_ENTER.name if definition.permission_mode == "plan" else PLAN_EXIT.name)
    return PreparedAgent(
        name=definition.name,
        system_prompt=build_system_prompt(definition.system_prompt, workspace, instructions),
        tools=tuple(tool for tool in tools if tool.name in names),
        offered_tools=tuple(tool for tool in tools if tool.name in offered_names),
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
