"""The root supervisor: starts the session's actors in order and stops them in reverse order."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from actors.runtime.actor import Actor, ActorFactory
from actors.runtime.supervision import Restart
from actors.supervisor.concurrency import AgentNames, SlotPool, SpawnLimiter
from messages.address import APPROVALS, CONSOLE, PERMISSIONS, PRIMARY, Address
from messages.approvals import ApproverAvailabilityChanged
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.permissions import RegisterAgent
from messages.policy import PermissionProfile
from messages.subagents import (
    AcquireSlot,
    ExtendSpawns,
    ReleaseSlots,
    RequestSpawn,
    SlotAcquired,
    SlotPending,
    SpawnAdmitted,
    SpawnRejected,
)
from messages.supervision import PeerRestarted

RESTART_POLICY = Restart(limit=3, window_s=30.0)
CONSOLE_LOST_NOTICE = "Input is no longer processed. Exit with /quit."
CONSOLE_GONE = ApproverAvailabilityChanged(can_decide=False, reason="the console is not running")


@dataclass(frozen=True, slots=True)
class ChildFactories:
    """Factories for the root's children, and the limits that the root enforces."""

    journal: ActorFactory
    permissions: ActorFactory
    approvals: ActorFactory
    console: ActorFactory
    primary: ActorFactory
    primary_profile: PermissionProfile
    """The primary agent's initial profile; it registers later changes itself."""
    slot_limit: int = 10
    """Subagents that may run at the same time."""
    max_spawns: int | None = None
    """Subagents that may be started in one run; None: no limit."""
    used_agent_names: tuple[str, ...] = ()
    """Names of the subagents that earlier runs of the session started."""
    on_console_lost: Callable[[str], None] | None = None
    """Shows a notice without the console, and the session continues; None: the session ends."""


RootSupervisorInbox = (
    ChildEnded | PeerRestarted | RequestSpawn | ExtendSpawns | AcquireSlot | ReleaseSlots
)


class RootSupervisor(Actor[RootSupervisorInbox]):
    """The root of the actor tree.

    Children are restarted after a crash, a limited number of times. The session ends without its
    journal, engine, broker or primary agent. Without its console it continues, but approvals are
    unavailable. The root also owns the concurrency slots, the spawn limits and the agent names.
    """

    def __init__(self, factories: ChildFactories) -> None:
        """Take the factories; nothing is started yet."""
        self._factories = factories
        self._has_console = True
        self._slots = SlotPool(factories.slot_limit)
        self._spawns = SpawnLimiter(factories.max_spawns, factories.slot_limit)
        self._names = AgentNames(factories.used_agent_names)

    def on_start(self) -> None:
        """Start the children; each may use the ones before it."""
        factories = self._factories
        self.start(factories.journal, "journal", RESTART_POLICY)
        self.start(factories.permissions, "permissions", RESTART_POLICY)
        self.start(factories.approvals, "approvals", RESTART_POLICY)
        self.start(factories.console, "console", RESTART_POLICY)
        self.watch(APPROVALS)
        self.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=factories.primary_profile))
        self.start(factories.primary, "primary", RESTART_POLICY)

    def on_receive(self, message: RootSupervisorInbox) -> None:
        """Dispatch one message."""
        match message:
            case PeerRestarted():
                self._on_peer_restarted(message.peer)
            case RequestSpawn():
                self._admit_or_reject_spawn(message)
            case ExtendSpawns():
                self._spawns.extend(message.limit)
            case AcquireSlot():
                self._acquire_slot()
            case ReleaseSlots():
                for agent in self._slots.release(message.under, self_only=message.self_only):
                    self.tell(agent, SlotAcquired())
            case ChildCompleted() | ChildCancelled() | ChildFailed():
                self._on_child_ended(message)
            case _:
                assert_never(message)

    def _admit_or_reject_spawn(self, request: RequestSpawn) -> None:
        problem = self._spawns.try_admit(asyncio.get_running_loop().time())
        if problem:
            limit = self._spawns.limit if self._spawns.is_exhausted else None
            rejected = SpawnRejected(call_id=request.call_id, detail=problem, limit=limit)
            self.tell(self.sender, rejected)
        else:
            name = request.task_id or self._names.allocate(request.agent_type)
            self.tell(self.sender, SpawnAdmitted(call_id=request.call_id, name=name))

    def _acquire_slot(self) -> None:
        if self._slots.acquire(self.sender):
            self.tell(self.sender, SlotAcquired())
        else:
            self.tell(self.sender, SlotPending(slot_limit=self._slots.slot_limit))

    def _on_child_ended(self, end: ChildEnded) -> None:
        """Continue without a console if there is another way to notify the user; else end."""
        if end.child == CONSOLE and self._factories.on_console_lost is not None:
            self._has_console = False
            self.tell(APPROVALS, CONSOLE_GONE)
            self._factories.on_console_lost(
                f"The console {describe_end(end)}. {CONSOLE_LOST_NOTICE}"
            )
        else:
            self.finish(f"{end.child} {describe_end(end)}")

    def _on_peer_restarted(self, peer: Address) -> None:
        """Resend what the restarted broker does not know."""
        if peer == APPROVALS and not self._has_console:
            self.tell(APPROVALS, CONSOLE_GONE)


def format_restart_notice(peer: Address) -> str:
    """Return the notice for the user after an actor was restarted."""
    return (
        f"{peer} crashed and was restarted; unanswered requests are sent again. "
        "See greenroom.log in the state folder for the cause."
    )


def describe_end(end: ChildEnded) -> str:
    """Return a phrase that says how a child ended."""
    match end:
        case ChildCompleted():
            return "ended"
        case ChildCancelled():
            return "was stopped"
        case ChildFailed():
            return f"failed ({end.cause}): {end.detail}"
