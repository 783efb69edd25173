"""What an agent needs of a definition while it works by it."""

from collections.abc import Iterable
from dataclasses import dataclass

from actors.agents.definition.definition import Definition, build_profile
from actors.agents.definition.system_prompts import Instructions, build_system_prompt
from actors.paths.workspace import Workspace
from actors.permissions.rules import has_tool
from actors.tools.tool import AnyTool
from messages.policy import PermissionProfile


@dataclass(frozen=True, slots=True)
class PreparedAgent:
    """A definition made ready for one session: its prompt written out, its tools found."""

    name: str
    system_prompt: str
    tools: tuple[AnyTool, ...]
    profile: PermissionProfile
    """What the permission engine goes by."""
    max_tokens: int = 32_000
    """Longest reply that is asked for, in tokens; a model may give less."""


def prepare_agent(
    definition: Definition,
    workspace: Workspace,
    instructions: tuple[Instructions, ...],
    tools: Iterable[AnyTool],
) -> PreparedAgent:
    """Make a definition ready."""
    profile = build_profile(definition)
    return PreparedAgent(
        name=definition.name,
        system_prompt=build_system_prompt(definition.system_prompt, workspace, instructions),
        tools=tuple(tool for tool in tools if has_tool(profile, tool.name)),
        profile=profile,
    )
