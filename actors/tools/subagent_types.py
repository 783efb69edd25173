"""The subagents that an agent may start or continue, for the `task` tool."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SubagentType:
    """A type of agent that may be started."""

    name: str
    description: str
    one_shot: bool = True
    """It ends when its task ends."""
    background: bool = False
    """It always runs in the background."""
    bubbles: bool = False
    """As in `SubagentStarted`."""


@dataclass(frozen=True, slots=True)
class SpawnOptions:
    """The subagent types that a `task` call may name."""

    subagent_types: tuple[SubagentType, ...] = ()
    """Empty: no subagent may be started, and the tool is not offered."""
    unavailable_reason: str = "this agent may not start subagents"
    """Why `subagent_types` is empty."""
    allows_background: bool = False
    """The agent lives on after its turn, so it may start background tasks."""

    def find(self, name: str) -> SubagentType | None:
        """Return the type with this name, if it may be started."""
        return next(
            (subagent_type for subagent_type in self.subagent_types if subagent_type.name == name),
            None,
        )


@dataclass(frozen=True, slots=True)
class ExistingSubagent:
    """A subagent that was started earlier."""

    subagent_type: str
    """The name of its type."""
    is_busy: bool
    """It is working on a task."""
    is_background: bool = False
    """Its current task, or its last one, ran in the background."""
    text: str = ""
    """How that background task is going or how it ended, for the model."""


NO_SUBAGENTS = SpawnOptions()
