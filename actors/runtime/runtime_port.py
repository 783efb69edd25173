"""The system as its cells see it: what a cell may ask of the registry."""

from collections.abc import Iterable
from typing import Protocol

from actors.runtime.actor import ActorFactory
from actors.runtime.children import ChildCell
from actors.runtime.event_loop import EventLoop
from actors.runtime.mailbox import MailboxItem
from actors.runtime.supervision import Restart
from messages.address import Address
from messages.base import Message
from messages.child_lifecycle import ChildEnded
from messages.envelope import Envelope
from messages.supervision import UndeliveredReason


class CellHandle(ChildCell, Protocol):
    """A cell, as the system and its own children see it."""

    watched_peers: dict[Address, None]
    """Peers whose restarts it subscribed to."""


class RuntimePort(Protocol):
    """What a cell may ask of the system. `ActorRegistry` implements it."""

    event_loop: EventLoop

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver a message, or count it as a dead letter."""
        ...

    def start_cell(
        self, make: ActorFactory, address: Address, parent: CellHandle | None, restart: Restart
    ) -> ChildCell:
        """Create a cell, register it and schedule its start."""
        ...

    def unregister(self, cell: CellHandle) -> bool:
        """Remove an ended cell; False: it was abandoned before."""
        ...

    def abandon(self, address: Address) -> bool:
        """Fence a cell that missed its deadline, with its subtree; False: it has ended."""
        ...

    def count_abandoned(self, number: int) -> None:
        """Count actors or jobs that did not end in time."""
        ...

    def watch(self, peer: Address, watcher: Address) -> None:
        """Subscribe an actor to a peer's restarts; the peer need not exist yet."""
        ...

    def notify_watchers(self, peer: Address, incarnation: int) -> None:
        """Send `PeerRestarted` to the watchers of a cell."""
        ...

    def dead_letter(self, items: Iterable[MailboxItem]) -> None:
        """Count the messages among these items; send back those that ask for it."""
        ...

    def report_undelivered(self, envelope: Envelope, reason: UndeliveredReason) -> None:
        """Send a message back if its class asks for it."""
        ...

    def quarantine(self, envelope: Envelope) -> None:
        """Count and report a message that has crashed its receiver too often."""
        ...

    def on_root_ended(self, end: ChildEnded, /) -> None:
        """Handle the end of the root actor."""
        ...
