"""What an agent is, as data: one behaviour serves them all."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from actors.agents.definition import system_prompts
from messages.policy import PermissionMode, PermissionProfile, Rule, RuleSource

AgentMode = Literal["primary", "subagent", "all"]
"""primary: talks with the person · subagent: is started by another agent · all: either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """Who an agent is and what it may; plain values, wherever they come from."""

    name: str
    description: str = ""
    """When to use it, in a line for people and models."""
    system_prompt: str
    """Its system prompt; where it works and the instructions are said after it."""
    mode: AgentMode = "all"
    tools: tuple[str, ...] = ("*",)
    """Names of the tools that it has; `*` is any run of characters."""
    disallowed_tools: tuple[str, ...] = ()
    """Names of those that it has not, all the same."""
    rules: tuple[Rule, ...] = ()
    permission_mode: PermissionMode = "yolo"
    """The loosest mode that it works in: a definition only tightens."""
    read_only: bool = False
    subagents: tuple[str, ...] = ("*",)
    """Names of the types that it may start."""
    delegates: tuple[str, ...] = ()
    """Tools that those below it may use though it may not."""
    model: str = ""
    """Empty: that of whoever starts it."""
    max_turns: int | None = None
    time_limit_s: float | None = None
    interactive: bool = False
    """As a subagent it stays after its task, and takes further prompts."""
    from_project: bool = False
    """A file of the project made it: it never allows."""
    source: str = "built in"
    """Where it stands, as a person reads it."""


BUILD_AGENT = Definition(
    name="build",
    description="Does the work: reads, changes and runs, and asks where it must.",
    system_prompt=system_prompts.BUILD_PROMPT,
    mode="primary",
    disallowed_tools=("plan_exit",),
)
PLAN_AGENT = Definition(
    name="plan",
    description="Only reads, and writes a plan for build to work by.",
    system_prompt=system_prompts.PLAN_PROMPT,
    mode="primary",
    disallowed_tools=("plan_enter",),
    permission_mode="plan",
)
GENERAL_AGENT = Definition(
    name="general",
    description="For work of several steps that stands by itself, or several such at once.",
    system_prompt="",
    mode="subagent",
)
EXPLORE_AGENT = Definition(
    name="explore",
    description="Finds things out by reading and searching only; say how thorough it should be.",
    system_prompt=system_prompts.EXPLORE_PROMPT,
    tools=("read", "ls", "glob", "grep", "todo_write", "bash"),
    read_only=True,
)
SANDBOXED_AGENT = Definition(
    name="sandboxed",
    description="As general, but it runs no commands and starts no other agents.",
    system_prompt="",
    mode="subagent",
    disallowed_tools=("bash", "task"),
)
BUILT_IN_DEFINITIONS = (BUILD_AGENT, PLAN_AGENT, GENERAL_AGENT, EXPLORE_AGENT, SANDBOXED_AGENT)


def build_profile(definition: Definition) -> PermissionProfile:
    """Say what a definition means for the permission engine."""
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
    """Look a definition up."""
    return next((each for each in definitions if each.name == name), None)
