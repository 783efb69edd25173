"""What a cell may ask of the system it lives in."""

from typing import TYPE_CHECKING, Protocol

from actors.runtime.actor import Factory
from actors.runtime.event_loop import EventLoop
from messages.address import Address
from messages.agents import ChildEnded
from messages.base import Message

if TYPE_CHECKING:  # a life needs its world at run time, a world its lives only as a type
    from actors.runtime.life import Life


class World(Protocol):
    """The system, as its cells see it."""

    event_loop: EventLoop

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver, or count a dead letter."""
        ...

    def spawn(self, make: Factory, address: Address, parent: "Life | None") -> "Life":
        """Make a cell, enter it into the directory and schedule its first step."""
        ...

    def forget(self, cell: "Life") -> None:
        """Take an ended cell out of the directory."""
        ...

    def give_up(self, address: Address) -> bool:
        """Fence a cell that missed its deadline, and all below it; False: it has ended."""
        ...

    def count_given_up(self, number: int) -> None:
        """Count actors or jobs that did not end in time."""
        ...

    def count_dead(self, letters: int, to: Address) -> None:
        """Count messages that nobody will handle."""
        ...

    def ended(self, end: ChildEnded, /) -> None:
        """Hear that the root has ended."""
        ...
