"""The actors and ports that an agent uses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from actors.models.model_client import ModelClient
from actors.models.request_gate import Gates
from actors.prompt_context.environment import EnvironmentReader
from actors.runtime.actor import ActorFactory
from actors.snapshots.snapshot_store import SnapshotStore
from actors.tools.tool import ToolContext
from messages.address import Address
from messages.policy import PermissionMode, PermissionProfile
from messages.subagents import AssignTask, SubagentStarted


@dataclass(frozen=True, slots=True)
class Collaborators:
    """Addresses of the actors an agent sends messages to."""

    journal: Address
    permissions: Address
    approvals: Address
    """Receives its approval requests: the parent, or the broker for the primary agent."""
    events_to: Address
    """Receives its events: the parent, or the console for the primary agent."""
    stream_subscribers: tuple[Address, ...] = ()
    """Actors subscribed to its stream from the start; none for a subagent."""


class SubagentFactory(Protocol):
    """Creates the subagents of a session."""

    def get_profile(self, agent: str, max_mode: PermissionMode) -> PermissionProfile:
        """Return the profile of an agent type whose mode may not be looser than `max_mode`."""
        ...

    def make_factory(
        self,
        started: SubagentStarted,
        task: AssignTask,
        ancestors: tuple[PermissionProfile, ...],
        *,
        has_records: bool,
    ) -> ActorFactory:
        """Return the factory of one subagent; `has_records`: it continues from its records."""
        ...


@dataclass(frozen=True, slots=True)
class AgentPorts:
    """An agent's ports to the outside world."""

    model: ModelClient
    gates: Gates
    """Shared by all agents of the session."""
    tool_context: ToolContext
    """Context without any observed files."""
    subagent_factory: SubagentFactory
    environment: EnvironmentReader | None = None
    """Reads what accompanies a prompt; None: prompts are sent as they are."""
    snapshots: SnapshotStore | None = None
    """Shared by all agents of the session; None: no snapshots are taken."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Added to every model request."""
