"""The root supervisor: starts its children in order and stops them in reverse."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from actors.runtime.actor import Actor
from actors.runtime.supervision import Restart
from actors.supervisor.concurrency import AgentNames, SlotPool, SpawnLimiter
from messages.address import APPROVALS, CONSOLE, PERMISSIONS, PRIMARY, Address
from messages.approvals import ApproverAvailabilityChanged
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.permissions import RegisterAgent
from messages.policy import PermissionProfile
from messages.subagents import (
    AcquireSlot,
    ReleaseSlots,
    RequestSpawn,
    SlotAcquired,
    SlotPending,
    SpawnAdmitted,
    SpawnRejected,
)
from messages.supervision import PeerRestarted

ActorFactory = Callable[[], Actor[Any]]
RESTART_POLICY = Restart(limit=3, window_s=30.0)
CONSOLE_LOST_NOTICE = "Nothing that you send is heard any more; /quit ends."
TERMINAL_GONE = ApproverAvailabilityChanged(can_answer=False, reason="the terminal is gone")


@dataclass(frozen=True, slots=True)
class ChildFactories:
    """How to make each child of the root."""

    journal: ActorFactory
    permissions: ActorFactory
    approvals: ActorFactory
    console: ActorFactory
    primary: ActorFactory
    primary_profile: PermissionProfile
    """What the primary begins with; what it works by later it tells itself."""
    slot_limit: int = 10
    """So many subagents may work at once."""
    max_spawns: int | None = None
    """So many may be started in all; None: no limit."""
    used_agent_names: tuple[str, ...] = ()
    """Of the subagents that earlier runs of the session have started."""
    on_console_lost: Callable[[str], None] | None = None
    """Shows a line past the console when it has ended, and the session goes on; None: it ends."""


RootSupervisorInbox = ChildEnded | PeerRestarted | RequestSpawn | AcquireSlot | ReleaseSlots


class RootSupervisor(Actor[RootSupervisorInbox]):
    """The top of the tree.

    Each child may crash and live on, a few times. Without its journal, engine, broker or primary
    the session cannot go on; without its console it can, and nobody can answer. It also keeps the
    places, and counts and names who is started.
    """

    def __init__(self, factories: ChildFactories) -> None:
        """Know whom to start."""
        self._factories = factories
        self._has_console = True
        self._places = SlotPool(factories.slot_limit)
        self._spawns = SpawnLimiter(factories.max_spawns, factories.slot_limit)
        self._names = AgentNames(factories.used_agent_names)

    def on_start(self) -> None:
        """Start the children; each finds those before it."""
        make = self._factories
        self.start(make.journal, "journal", RESTART_POLICY)
        self.start(make.permissions, "permissions", RESTART_POLICY)
        self.start(make.approvals, "approvals", RESTART_POLICY)
        self.start(make.console, "console", RESTART_POLICY)
        self.watch(APPROVALS)
        self.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=make.primary_profile))
        self.start(make.primary, "primary", RESTART_POLICY)

    def on_receive(self, message: RootSupervisorInbox) -> None:
        """Take one message."""
        match message:
            case PeerRestarted():
                self._tell_again(message.peer)
            case RequestSpawn():
                self._spawn(message)
            case AcquireSlot():
                self._take_place()
            case ReleaseSlots():
                for served in self._places.release(message.under, self_only=message.self_only):
                    self.tell(served, SlotAcquired())
            case _:
                self._ended(message)

    def _spawn(self, asked: RequestSpawn) -> None:
        refusal = self._spawns.try_admit(asyncio.get_running_loop().time())
        if refusal:
            self.tell(self.sender, SpawnRejected(call_id=asked.call_id, detail=refusal))
        else:
            name = asked.task_id or self._names.allocate(asked.agent_type)
            self.tell(self.sender, SpawnAdmitted(call_id=asked.call_id, name=name))

    def _take_place(self) -> None:
        if self._places.acquire(self.sender):
            self.tell(self.sender, SlotAcquired())
        else:
            self.tell(self.sender, SlotPending(slot_limit=self._places.slot_limit))

    def _ended(self, message: ChildEnded) -> None:
        """Go on without a console where that is of use, end without anyone else."""
        if message.child == CONSOLE and self._factories.on_console_lost is not None:
            self._has_console = False
            self.tell(APPROVALS, TERMINAL_GONE)
            self._factories.on_console_lost(
                f"The screen's own actor {describe_end(message)}. {CONSOLE_LOST_NOTICE}"
            )
        else:
            self.finish(f"{message.child} {describe_end(message)}")

    def _tell_again(self, peer: Address) -> None:
        """Say what a restarted child does not know any more."""
        if peer == APPROVALS and not self._has_console:
            self.tell(APPROVALS, TERMINAL_GONE)


def format_restart_notice(peer: Address) -> str:
    """Say that somebody crashed and lives on, in one line."""
    return (
        f"{peer} crashed and was started again; what was sent to it last may be lost. "
        "The log in the state folder says why."
    )


def describe_end(end: ChildEnded) -> str:
    """Say how a child ended, in one line."""
    match end:
        case ChildCompleted():
            return "ended by itself"
        case ChildCancelled():
            return "was stopped"
        case ChildFailed():
            return f"failed ({end.cause}): {end.detail}"
