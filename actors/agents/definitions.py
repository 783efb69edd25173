"""What an agent is, as data: one behaviour serves them all."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from actors.agents import prompts
from messages.rules import PermissionMode, PermissionProfile, Rule, RuleSource

AgentMode = Literal["primary", "subagent", "all"]
"""primary: talks with the person · subagent: is started by another agent · all: either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """Who an agent is and what it may; plain values, wherever they come from."""

    name: str
    description: str = ""
    """When to use it, in a line for people and models."""
    prompt: str
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
    of_project: bool = False
    """A file of the project made it: it never allows."""
    source: str = "built in"
    """Where it stands, as a person reads it."""


BUILD = Definition(
    name="build",
    description="Does the work: reads, changes and runs, and asks where it must.",
    prompt=prompts.BUILD,
    mode="primary",
    disallowed_tools=("plan_exit",),
)
PLAN = Definition(
    name="plan",
    description="Only reads, and writes a plan for build to work by.",
    prompt=prompts.PLAN,
    mode="primary",
    disallowed_tools=("plan_enter",),
    permission_mode="plan",
)
GENERAL = Definition(
    name="general",
    description="For work of several steps that stands by itself, or several such at once.",
    prompt="",
    mode="subagent",
)
EXPLORE = Definition(
    name="explore",
    description="Finds things out by reading and searching only; say how thorough it should be.",
    prompt=prompts.EXPLORE,
    tools=("read", "ls", "glob", "grep", "todo_write", "bash"),
    read_only=True,
)
SANDBOXED = Definition(
    name="sandboxed",
    description="As general, but it runs no commands and starts no other agents.",
    prompt="",
    mode="subagent",
    disallowed_tools=("bash", "task"),
)
BUILT_IN = (BUILD, PLAN, GENERAL, EXPLORE, SANDBOXED)


def profile_of(definition: Definition) -> PermissionProfile:
    """Say what a definition means for the permission engine."""
    rules = RuleSource(
        name=f"agent {definition.name} ({definition.source})", rules=definition.rules
    )
    return PermissionProfile(
        agent=definition.name,
        rules=rules if definition.rules else None,
        tools=definition.tools,
        disallowed_tools=definition.disallowed_tools,
        mode=definition.permission_mode,
        delegates=definition.delegates,
        read_only=definition.read_only,
        of_project=definition.of_project,
    )


def find(name: str, definitions: Iterable[Definition] = BUILT_IN) -> Definition | None:
    """Look a definition up."""
    return next((each for each in definitions if each.name == name), None)
