"""The subagents that an agent may start or continue, for the `task` tool."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SubagentType:
    """A type of agent that may be started."""

    name: str
    description: str
    one_shot: bool = True
    """It ends when its task ends."""


@dataclass(frozen=True, slots=True)
class SpawnOptions:
    """The subagent types that a `task` call may name."""

    subagent_types: tuple[SubagentType, ...] = ()
    """Empty: no subagent may be started, and the tool is not offered."""
    unavailable_reason: str = "this agent may not start subagents"
    """Why `subagent_types` is empty."""

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


NO_SUBAGENTS = SpawnOptions()
