"""The runtime's own loop dispatcher on a simulated loop, one message a turn, overheard."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar, cast

from actors.runtime.actor import Factory
from actors.runtime.cell import Cell, LoopCell
from actors.runtime.directory import ActorRegistry
from actors.runtime.event_loop import EventLoop
from actors.runtime.household import Household
from actors.runtime.lanes import MailboxItem, StopOrder
from actors.runtime.supervision import NEVER, Restart
from actors.runtime.world import World as RuntimeWorld
from messages.address import APPROVALS, CONSOLE, JOURNAL, ROOT, Address
from messages.agents import ChildCancelled, ChildEnded
from messages.base import Message
from messages.envelope import Envelope
from tests.simulation.crashes import Crashes
from tests.simulation.loop import SimLoop

T = TypeVar("T")
DRAINED = (JOURNAL, APPROVALS, CONSOLE)
"""Who handles all that came before the order to stop, whatever their code says of it."""


class Overhearing(Protocol):
    """Who hears of everything that the actors do, and may meddle."""

    crashes: Crashes

    def sent(self, to: Address, message: Message, sender: Address) -> tuple[Message, ...]:
        """Hear of a message that was told; what really goes out."""
        ...

    def handling(self, to: Address, parcel: MailboxItem) -> None:
        """Hear of a parcel that is about to be handled."""
        ...

    def embodied(self, address: Address, make: Factory, restart: Restart) -> Factory:
        """Put something around what a cell makes its behaviours with."""
        ...

    def started(self, address: Address) -> None:
        """Hear of a new cell."""
        ...

    def ended(self, address: Address) -> None:
        """Hear of a cell that came to its end by itself."""
        ...

    def undrained(self, letter: Envelope) -> None:
        """Hear of mail that a draining actor did not handle before its orderly end."""
        ...

    def root_ended(self, end: ChildEnded) -> None:
        """Hear of the root's end."""
        ...


class SimulatedEventLoop(EventLoop):
    """The runtime's event loop on a simulated one, with jobs that may fail."""

    def __init__(self, loop: SimLoop, crashes: Crashes) -> None:
        super().__init__(loop)
        self._crashes = crashes

    def launch(self, job: Callable[[], Awaitable[T]], name: str) -> "asyncio.Task[T]":
        return super().launch(self._crashes.around(job, name), name)


class SimulatedCell(LoopCell):
    """A cell of either kind; the one of a thread runs here too."""

    batch = 1

    def __init__(
        self,
        world: RuntimeWorld,
        address: Address,
        make: Factory,
        parent: Household | None,
        restart: Restart = NEVER,
    ) -> None:
        super().__init__(world, address, make, parent, restart)
        self._ears = cast("SimulatedDirectory", world).ears
        self._make = self._ears.embodied(address, make, restart)
        self._told_before: list[MailboxItem] = []
        """What waited when the order to stop came."""

    def post(self, parcel: MailboxItem) -> bool:
        if isinstance(parcel, StopOrder) and not self._told_before:
            self._told_before = self._waiting()
        return super().post(parcel)

    def handle(self, parcel: MailboxItem) -> None:
        self._ears.handling(self.address, parcel)
        super().handle(parcel)

    def _finish_life(self, end: ChildEnded) -> None:
        if self.address in DRAINED and isinstance(end, ChildCancelled):
            for letter in self._waiting():
                early = any(each is letter for each in self._told_before)
                if early and isinstance(letter, Envelope) and letter.sender != self.address:
                    self._ears.undrained(letter)
        super()._finish_life(end)

    def waiting(self) -> int:
        """Count what is in the inbox, or held."""
        return len(self._waiting())

    def _waiting(self) -> list[MailboxItem]:
        parcels = self.take_all()
        self.put_back(parcels)
        return [*self._held, *parcels]


class SimulatedDirectory(ActorRegistry):
    """The runtime's directory, with ears."""

    def __init__(self, ears: Overhearing, loop: SimLoop) -> None:
        event_loop = SimulatedEventLoop(loop, ears.crashes)
        kinds = {"loop": SimulatedCell, "thread": SimulatedCell}
        super().__init__(ears.root_ended, event_loop, kinds)
        self.ears = ears

    def send(self, to: Address, message: Message, sender: Address) -> None:
        for said in self.ears.sent(to, message, sender):
            super().send(to, said, sender)

    def spawn(
        self, make: Factory, address: Address, parent: Household | None, restart: Restart = NEVER
    ) -> Cell:
        cell = super().spawn(make, address, parent, restart)
        self.ears.started(address)
        return cell

    def forget(self, cell: Household) -> bool:
        ended_by_itself = super().forget(cell)
        self.ears.ended(cell.address)
        return ended_by_itself

    def stop_root(self, order: StopOrder) -> None:
        """Tell the root to stop."""
        self._cells[ROOT].post(order)

    @property
    def waiting(self) -> dict[Address, int]:
        """Who lives, with how many parcels in the inbox."""
        return {
            cell.address: cell.waiting()
            for cell in self._cells.values()
            if isinstance(cell, SimulatedCell)
        }
