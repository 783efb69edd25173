"""The root supervisor: starts its children in order and stops them in reverse."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from actors.places import AgentNames, SlotPool, SpawnLimiter
from actors.runtime.actor import Actor
from actors.runtime.supervision import Restart
from messages.address import APPROVALS, CONSOLE, PERMISSIONS, PRIMARY, Address
from messages.agents import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.approvals import ApproverAvailabilityChanged
from messages.permissions import RegisterAgent
from messages.rules import PermissionProfile
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

Make = Callable[[], Actor[Any]]
RESTART = Restart(limit=3, window_s=30.0)
UNHEARD = "Nothing that you send is heard any more; /quit ends."
GONE = ApproverAvailabilityChanged(can_answer=False, reason="the terminal is gone")


@dataclass(frozen=True, slots=True)
class ChildFactories:
    """How to make each child of the root."""

    journal: Make
    permissions: Make
    approvals: Make
    console: Make
    primary: Make
    profile: PermissionProfile
    """What the primary begins with; what it works by later it tells itself."""
    slot_limit: int = 10
    """So many subagents may work at once."""
    spawns: int | None = None
    """So many may be started in all; None: no limit."""
    names: tuple[str, ...] = ()
    """Of the subagents that earlier runs of the session have started."""
    console_gone: Callable[[str], None] | None = None
    """Shows a line past the console when it has ended, and the session goes on; None: it ends."""


RootInbox = ChildEnded | PeerRestarted | RequestSpawn | AcquireSlot | ReleaseSlots


class RootSupervisor(Actor[RootInbox]):
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
        self._spawns = SpawnLimiter(factories.spawns, factories.slot_limit)
        self._names = AgentNames(factories.names)

    def on_start(self) -> None:
        """Start the children; each finds those before it."""
        make = self._factories
        self.start(make.journal, "journal", RESTART)
        self.start(make.permissions, "permissions", RESTART)
        self.start(make.approvals, "approvals", RESTART)
        self.start(make.console, "console", RESTART)
        self.watch(APPROVALS)
        self.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=make.profile))
        self.start(make.primary, "primary", RESTART)

    def on_receive(self, message: RootInbox) -> None:
        """Take one message."""
        match message:
            case PeerRestarted():
                self._tell_again(message.peer)
            case RequestSpawn():
                self._spawn(message)
            case AcquireSlot():
                self._take_place()
            case ReleaseSlots():
                for served in self._places.leave(message.under, alone=message.alone):
                    self.tell(served, SlotAcquired())
            case _:
                self._ended(message)

    def _spawn(self, asked: RequestSpawn) -> None:
        refusal = self._spawns.refusal(asyncio.get_running_loop().time())
        if refusal:
            self.tell(self.sender, SpawnRejected(call_id=asked.call_id, detail=refusal))
        else:
            name = asked.task_id or self._names.new(asked.agent)
            self.tell(self.sender, SpawnAdmitted(call_id=asked.call_id, name=name))

    def _take_place(self) -> None:
        if self._places.take(self.sender):
            self.tell(self.sender, SlotAcquired())
        else:
            self.tell(self.sender, SlotPending(slot_limit=self._places.limit))

    def _ended(self, message: ChildEnded) -> None:
        """Go on without a console where that is of use, end without anyone else."""
        if message.child == CONSOLE and self._factories.console_gone is not None:
            self._has_console = False
            self.tell(APPROVALS, GONE)
            self._factories.console_gone(f"The screen's own actor {how(message)}. {UNHEARD}")
        else:
            self.finish(f"{message.child} {how(message)}")

    def _tell_again(self, peer: Address) -> None:
        """Say what a restarted child does not know any more."""
        if peer == APPROVALS and not self._has_console:
            self.tell(APPROVALS, GONE)


def begun_again(peer: Address) -> str:
    """Say that somebody crashed and lives on, in one line."""
    return (
        f"{peer} crashed and was started again; what was sent to it last may be lost. "
        "The log in the state folder says why."
    )


def how(end: ChildEnded) -> str:
    """Say how a child ended, in one line."""
    match end:
        case ChildCompleted():
            return "ended by itself"
        case ChildCancelled():
            return "was stopped"
        case ChildFailed():
            return f"failed ({end.cause}): {end.detail}"
