"""The runtime's own loop dispatcher on a simulated loop, one message a turn, overheard."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar, cast

from actors.runtime.actor import ActorFactory
from actors.runtime.cell import Cell
from actors.runtime.event_loop import EventLoop
from actors.runtime.loop_cell import LoopCell
from actors.runtime.mailbox import MailboxItem, StopCell
from actors.runtime.registry import ActorRegistry
from actors.runtime.runtime_port import CellHandle, RuntimePort
from actors.runtime.supervision import NO_RESTART, Restart
from messages.address import APPROVALS, CONSOLE, JOURNAL, ROOT, Address
from messages.base import Message
from messages.child_lifecycle import ChildCancelled, ChildEnded
from messages.envelope import Envelope
from tests.simulation.crash_injection import CrashInjector
from tests.simulation.simulated_loop import SimulatedLoop

T = TypeVar("T")
DRAINING_ACTORS = (JOURNAL, APPROVALS, CONSOLE)
"""Who handles all that came before the order to stop, whatever their code says of it."""


class SimulationObserver(Protocol):
    """Who hears of everything that the actors do, and may meddle."""

    crashes: CrashInjector

    def on_send(self, to: Address, message: Message, sender: Address) -> tuple[Message, ...]:
        """Hear of a message that was told; what really goes out."""
        ...

    def on_handle(self, to: Address, parcel: MailboxItem) -> None:
        """Hear of a parcel that is about to be handled."""
        ...

    def wrap_factory(self, address: Address, make: ActorFactory, restart: Restart) -> ActorFactory:
        """Put something around what a cell makes its behaviours with."""
        ...

    def on_started(self, address: Address) -> None:
        """Hear of a new cell."""
        ...

    def on_ended(self, address: Address) -> None:
        """Hear of a cell that came to its end by itself."""
        ...

    def on_undrained(self, letter: Envelope) -> None:
        """Hear of mail that a draining actor did not handle before its orderly end."""
        ...

    def on_root_ended(self, end: ChildEnded) -> None:
        """Hear of the root's end."""
        ...


class SimulatedEventLoop(EventLoop):
    """The runtime's event loop on a simulated one, with jobs that may fail."""

    def __init__(self, loop: SimulatedLoop, crashes: CrashInjector) -> None:
        super().__init__(loop)
        self._crashes = crashes

    def create_task(self, job: Callable[[], Awaitable[T]], name: str) -> "asyncio.Task[T]":
        return super().create_task(self._crashes.wrap_job(job, name), name)


class SimulatedCell(LoopCell):
    """A cell of either kind; the one of a thread runs here too."""

    batch_size = 1

    def __init__(
        self,
        world: RuntimePort,
        address: Address,
        make: ActorFactory,
        parent: CellHandle | None,
        restart: Restart = NO_RESTART,
    ) -> None:
        super().__init__(world, address, make, parent, restart)
        self._ears = cast("SimulatedRegistry", world).observer
        self._make = self._ears.wrap_factory(address, make, restart)
        self._told_before: list[MailboxItem] = []
        """What waited when the order to stop came."""

    def post(self, parcel: MailboxItem) -> bool:
        if isinstance(parcel, StopCell) and not self._told_before:
            self._told_before = self._waiting()
        return super().post(parcel)

    def handle_item(self, parcel: MailboxItem) -> None:
        self._ears.on_handle(self.address, parcel)
        super().handle_item(parcel)

    def _terminate(self, end: ChildEnded) -> None:
        if self.address in DRAINING_ACTORS and isinstance(end, ChildCancelled):
            for letter in self._waiting():
                early = any(each is letter for each in self._told_before)
                if early and isinstance(letter, Envelope) and letter.sender != self.address:
                    self._ears.on_undrained(letter)
        super()._terminate(end)

    def mailbox_size(self) -> int:
        """Count what is in the inbox, or held."""
        return len(self._waiting())

    def _waiting(self) -> list[MailboxItem]:
        parcels = self._mailbox.clear()
        self._mailbox.put_back(parcels)
        return [*self._mailbox.stashed, *parcels]


class SimulatedRegistry(ActorRegistry):
    """The runtime's directory, with ears."""

    def __init__(self, ears: SimulationObserver, loop: SimulatedLoop) -> None:
        event_loop = SimulatedEventLoop(loop, ears.crashes)
        kinds = {"loop": SimulatedCell, "thread": SimulatedCell}
        super().__init__(ears.on_root_ended, event_loop, kinds)
        self.observer = ears

    def send(self, to: Address, message: Message, sender: Address) -> None:
        for said in self.observer.on_send(to, message, sender):
            super().send(to, said, sender)

    def start_cell(
        self,
        make: ActorFactory,
        address: Address,
        parent: CellHandle | None,
        restart: Restart = NO_RESTART,
    ) -> Cell:
        cell = super().start_cell(make, address, parent, restart)
        self.observer.on_started(address)
        return cell

    def unregister(self, cell: CellHandle) -> bool:
        ended_by_itself = super().unregister(cell)
        self.observer.on_ended(cell.address)
        return ended_by_itself

    def stop_root(self, order: StopCell) -> None:
        """Tell the root to stop."""
        self._cells[ROOT].post(order)

    @property
    def mailbox_sizes(self) -> dict[Address, int]:
        """Who lives, with how many parcels in the inbox."""
        return {
            cell.address: cell.mailbox_size()
            for cell in self._cells.values()
            if isinstance(cell, SimulatedCell)
        }
