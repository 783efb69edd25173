"""Agent definitions: each agent type is data, and one behavior serves them all."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from actors.agents.definition import system_prompts
from actors.tools.tool_list import TOOL_LIST
from messages.effort import Effort
from messages.placement import Placement
from messages.policy import PermissionMode, PermissionProfile, Rule, RuleSource

AgentMode = Literal["primary", "subagent", "all"]
"""primary: talks to the user · subagent: started by another agent · all: either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """An agent type: its prompt, tools, rights and limits."""

    name: str
    description: str = ""
    """One line on when to use it, for the user and for models."""
    system_prompt: str
    """The working directory and the instruction files are appended to it."""
    mode: AgentMode = "all"
    tools: tuple[str, ...] = ("*",)
    """Names of its tools; `*` matches any text."""
    disallowed_tools: tuple[str, ...] = ()
    """Names of tools it does not have, even if `tools` matches them."""
    rules: tuple[Rule, ...] = ()
    permission_mode: PermissionMode = "yolo"
    """The loosest mode it may use: a definition only tightens."""
    read_only: bool = False
    subagents: tuple[str, ...] = ("*",)
    """Names of the agent types it may start."""
    delegates: tuple[str, ...] = ()
    """Tools that its subagents may use even if it may not."""
    model: str = ""
    """Empty: the model of the agent that starts it."""
    effort: Effort | None = None
    """None: the effort of the agent that starts it; for a primary agent, the configured one."""
    max_turns: int | None = None
    time_limit_s: float | None = None
    interactive: bool = False
    """As a subagent, it stays available after its task and accepts more prompts."""
    background: bool = False
    """As a subagent, it always runs in the background."""
    placement: Placement | None = None
    """As a subagent; its own subagents run where it does. None: `background_placement` applies."""
    bubbles: bool = False
    """In the background, its approval requests are shown to the user; others are rejected."""
    is_standalone: bool = False
    """Its prompt is complete: no instruction files are added, and no prompt for subagents."""
    never_asks: bool = False
    """Calls that need approval are denied."""
    from_project: bool = False
    """A project file defines it, so its rules never allow anything."""
    source: str = "built-in"
    """Where it is defined, for the user."""


_FILE_READING_TOOLS = tuple(tool.name for tool in TOOL_LIST if tool.category in ("read", "search"))
BUILD_AGENT = Definition(
    name="build",
    description="Reads and changes files, and runs commands; asks for approval when needed.",
    system_prompt=system_prompts.BUILD_PROMPT,
    mode="primary",
    disallowed_tools=("plan_exit",),
)
PLAN_AGENT = Definition(
    name="plan",
    description="Explores the code and writes a plan for the build agent; changes nothing else.",
    # The same as of build, so that switching keeps the cached prefix and the thinking valid. What
    # plan mode means is a message (`agent_switch`), and the permission engine enforces it.
    system_prompt=system_prompts.BUILD_PROMPT,
    mode="primary",
    disallowed_tools=("plan_enter",),
    permission_mode="plan",
)
GENERAL_AGENT = Definition(
    name="general",
    description="Handles self-contained, multistep tasks; start several to work in parallel.",
    system_prompt=system_prompts.WORK_PROMPT,
    mode="subagent",
)
EXPLORE_AGENT = Definition(
    name="explore",
    description="Explores the code by reading and searching only; say how thorough it should be.",
    system_prompt=system_prompts.EXPLORE_PROMPT,
    tools=(*_FILE_READING_TOOLS, "todo_write", "bash"),
    read_only=True,
)
SANDBOXED_AGENT = Definition(
    name="sandboxed",
    description="Like general, but cannot run commands or start other agents.",
    system_prompt=system_prompts.WORK_PROMPT,
    mode="subagent",
    disallowed_tools=("bash", "task"),
)
BUILT_IN_DEFINITIONS = (BUILD_AGENT, PLAN_AGENT, GENERAL_AGENT, EXPLORE_AGENT, SANDBOXED_AGENT)


def build_profile(definition: Definition) -> PermissionProfile:
    """Return the permission profile that a definition describes."""
    rules = RuleSource(
        name=f"agent {definition.name} ({definition.source})", rules=definition.rules
    )
    return PermissionProfile(
        agent=definition.name,
        rules=rules if definition.rules else None,
        tools=definition.tools,
        disallowed_tools=definition.disallowed_tools,
        max_mode=definition.permission_mode,
        delegates=definition.delegates,
        read_only=definition.read_only,
        from_project=definition.from_project,
    )


def find_definition(
    name: str, definitions: Iterable[Definition] = BUILT_IN_DEFINITIONS
) -> Definition | None:
    """Return the definition with this name."""
    return next((definition for definition in definitions if definition.name == name), None)
