"""Whom an agent talks to, and what it reaches of the world."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from actors.models.client import ModelClient
from actors.runtime.actor import Factory
from actors.tools.tasks import SpawnOptions
from actors.tools.tool import ToolContext
from messages.address import Address
from messages.rules import PermissionMode, PermissionProfile
from messages.subagents import AssignTask, SubagentStarted


@dataclass(frozen=True, slots=True)
class Collaborators:
    """Whom an agent talks to."""

    journal: Address
    engine: Address
    approvals: Address
    """Where its requests go: the parent; for the primary, the broker."""
    reports: Address
    """Where its events go: the parent; for the primary, the console."""
    streams_to: tuple[Address, ...] = ()
    """Who hears what it streams; for a subagent, nobody above it does."""


class Nursery(Protocol):
    """Makes agents; one for the whole session."""

    def profile(self, agent: str, ceiling: PermissionMode) -> PermissionProfile:
        """Say what one of a type may that is started under this ceiling."""
        ...

    def offer(self, agent: str, depth: int) -> SpawnOptions:
        """Say whom an agent of a type may start at its depth; one word for offering and running."""
        ...

    def make(self, started: SubagentStarted, errand: AssignTask, *, on_disk: bool) -> Factory:
        """Say how to make one; `on_disk`: it goes on from its records."""
        ...


@dataclass(frozen=True, slots=True)
class Ports:
    """What an agent reaches of the world."""

    model: ModelClient
    tools: ToolContext
    """With nothing seen yet."""
    nursery: Nursery
    """Makes the agents below it."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of every request to the model."""
