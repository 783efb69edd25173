"""Whom an agent may start: what the model is offered, and what a call is held against."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SubagentType:
    """A type of agent that may be started."""

    name: str
    description: str
    one_shot: bool = True
    """It ends with its task."""


@dataclass(frozen=True, slots=True)
class SpawnOptions:
    """Everything a `task` call may name."""

    subagent_types: tuple[SubagentType, ...] = ()
    """None: nobody may be started, and the tool is not offered."""
    unavailable_reason: str = "this agent may not start any"
    """Why there are none."""

    def find(self, name: str) -> SubagentType | None:
        """Look a type up."""
        return next((kind for kind in self.subagent_types if kind.name == name), None)


@dataclass(frozen=True, slots=True)
class ExistingSubagent:
    """One that was started earlier."""

    subagent_type: str
    """Its type."""
    is_busy: bool
    """It is at a task."""


NO_SUBAGENTS = SpawnOptions()
