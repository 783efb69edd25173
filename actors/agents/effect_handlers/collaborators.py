"""Whom an agent talks to, and what it reaches of the world."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from actors.models.model_client import ModelClient
from actors.runtime.actor import ActorFactory
from actors.tools.subagent_types import SpawnOptions
from actors.tools.tool import ToolContext
from messages.address import Address
from messages.policy import PermissionMode, PermissionProfile
from messages.subagents import AssignTask, SubagentStarted


@dataclass(frozen=True, slots=True)
class Collaborators:
    """Whom an agent talks to."""

    journal: Address
    permissions: Address
    approvals: Address
    """Where its requests go: the parent; for the primary, the broker."""
    events_to: Address
    """Where its events go: the parent; for the primary, the console."""
    stream_subscribers: tuple[Address, ...] = ()
    """Who hears what it streams; for a subagent, nobody above it does."""


class SubagentFactory(Protocol):
    """Makes agents; one for the whole session."""

    def get_profile(self, agent: str, ceiling: PermissionMode) -> PermissionProfile:
        """Say what one of a type may that is started under this ceiling."""
        ...

    def get_spawn_options(self, agent: str, depth: int) -> SpawnOptions:
        """Say whom an agent of a type may start at its depth; one word for offering and running."""
        ...

    def make_factory(
        self, started: SubagentStarted, task: AssignTask, *, has_records: bool
    ) -> ActorFactory:
        """Say how to make one; `on_disk`: it goes on from its records."""
        ...


@dataclass(frozen=True, slots=True)
class AgentPorts:
    """What an agent reaches of the world."""

    model: ModelClient
    tool_context: ToolContext
    """With nothing seen yet."""
    subagent_factory: SubagentFactory
    """Makes the agents below it."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of every request to the model."""
