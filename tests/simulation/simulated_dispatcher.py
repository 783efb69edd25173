"""The runtime's loop dispatcher on a simulated loop: one message per turn, all of it observed."""

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
"""Actors that must handle everything sent before the stop request, whatever their code declares."""


class SimulationObserver(Protocol):
    """Observes everything that the actors do, and may change it."""

    crashes: CrashInjector

    def on_send(self, to: Address, message: Message, sender: Address) -> tuple[Message, ...]:
        """Observe a message; return the messages to deliver instead."""
        ...

    def on_handle(self, to: Address, item: MailboxItem) -> None:
        """Observe an item that is about to be handled."""
        ...

    def wrap_factory(self, address: Address, make: ActorFactory, restart: Restart) -> ActorFactory:
        """Return the factory that a cell uses in place of `make`."""
        ...

    def on_started(self, address: Address) -> None:
        """Observe a new cell."""
        ...

    def on_ended(self, address: Address) -> None:
        """Observe the end of a cell."""
        ...

    def on_undrained(self, envelope: Envelope) -> None:
        """Observe a message that a draining actor left unhandled when it stopped."""
        ...

    def on_root_ended(self, end: ChildEnded) -> None:
        """Observe the end of the root."""
        ...


class SimulatedEventLoop(EventLoop):
    """The runtime's event loop on a simulated one, with jobs that may raise."""

    def __init__(self, loop: SimulatedLoop, crashes: CrashInjector) -> None:
        super().__init__(loop)
        self._crashes = crashes

    def create_task(self, job: Callable[[], Awaitable[T]], name: str) -> "asyncio.Task[T]":
        return super().create_task(self._crashes.wrap_job(job, name), name)


class SimulatedCell(LoopCell):
    """A cell on the loop, also for actors that normally have their own thread."""

    batch_size = 1

    def __init__(
        self,
        runtime: RuntimePort,
        address: Address,
        make: ActorFactory,
        parent: CellHandle | None,
        restart: Restart = NO_RESTART,
    ) -> None:
        super().__init__(runtime, address, make, parent, restart)
        self._observer = cast("SimulatedRegistry", runtime).observer
        self._make = self._observer.wrap_factory(address, make, restart)
        self._items_before_stop: list[MailboxItem] = []
        """Items in the mailbox when the stop request arrived."""

    def post(self, item: MailboxItem) -> bool:
        if isinstance(item, StopCell) and not self._items_before_stop:
            self._items_before_stop = self._pending_items()
        return super().post(item)

    def handle_item(self, item: MailboxItem) -> None:
        self._observer.on_handle(self.address, item)
        super().handle_item(item)

    def _terminate(self, end: ChildEnded) -> None:
        if self.address in DRAINING_ACTORS and isinstance(end, ChildCancelled):
            for item in self._pending_items():
                was_before = any(earlier_item is item for earlier_item in self._items_before_stop)
                if was_before and isinstance(item, Envelope) and item.sender != self.address:
                    self._observer.on_undrained(item)
        super()._terminate(end)

    def mailbox_size(self) -> int:
        """Return the number of unhandled items, stashed ones included."""
        return len(self._pending_items())

    def _pending_items(self) -> list[MailboxItem]:
        items = self._mailbox.clear()
        self._mailbox.put_back(items)
        return [*self._mailbox.stashed, *items]


class SimulatedRegistry(ActorRegistry):
    """The runtime's registry with an observer."""

    def __init__(self, observer: SimulationObserver, loop: SimulatedLoop) -> None:
        event_loop = SimulatedEventLoop(loop, observer.crashes)
        cell_types = {"loop": SimulatedCell, "thread": SimulatedCell}
        super().__init__(observer.on_root_ended, event_loop, cell_types)
        self.observer = observer

    def send(self, to: Address, message: Message, sender: Address) -> None:
        for delivered in self.observer.on_send(to, message, sender):
            super().send(to, delivered, sender)

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
        was_registered = super().unregister(cell)
        self.observer.on_ended(cell.address)
        return was_registered

    def stop_root(self, request: StopCell) -> None:
        """Stop all actors."""
        self._cells[ROOT].post(request)

    @property
    def mailbox_sizes(self) -> dict[Address, int]:
        """Number of unhandled items of each running actor."""
        return {
            cell.address: cell.mailbox_size()
            for cell in self._cells.values()
            if isinstance(cell, SimulatedCell)
        }
