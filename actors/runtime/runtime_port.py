"""What a cell may ask of the system it lives in."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from actors.runtime.actor import ActorFactory
from actors.runtime.event_loop import EventLoop
from actors.runtime.mailbox import MailboxItem
from actors.runtime.supervision import Restart
from messages.address import Address
from messages.base import Message
from messages.child_lifecycle import ChildEnded
from messages.envelope import Envelope
from messages.supervision import UndeliveredReason

if TYPE_CHECKING:  # a life needs its world at run time, a world its lives only as a type
    from actors.runtime.base_cell import BaseCell


class RuntimePort(Protocol):
    """The system, as its cells see it."""

    event_loop: EventLoop

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver, or count a dead letter."""
        ...

    def start_cell(
        self, make: ActorFactory, address: Address, parent: "BaseCell | None", restart: Restart
    ) -> "BaseCell":
        """Make a cell, enter it into the directory and schedule its first step."""
        ...

    def unregister(self, cell: "BaseCell") -> bool:
        """Take an ended cell out of the directory; False: it was given up before."""
        ...

    def abandon(self, address: Address) -> bool:
        """Fence a cell that missed its deadline, and all below it; False: it has ended."""
        ...

    def count_abandoned(self, number: int) -> None:
        """Count actors or jobs that did not end in time."""
        ...

    def watch(self, peer: Address, watcher: Address) -> None:
        """Let an actor hear of the restarts of another, who may not live yet."""
        ...

    def notify_watchers(self, peer: Address, incarnation: int) -> None:
        """Tell whoever watches that a cell has begun again."""
        ...

    def dead_letter(self, items: Iterable[MailboxItem]) -> None:
        """Count the messages among parcels that nobody will handle; those that bounce go back."""
        ...

    def report_undelivered(self, envelope: Envelope, reason: UndeliveredReason) -> None:
        """Send a message back if its class says so."""
        ...

    def quarantine(self, envelope: Envelope) -> None:
        """Count and report a message that its receiver will not take again."""
        ...

    def on_root_ended(self, end: ChildEnded, /) -> None:
        """Hear that the root has ended."""
        ...
