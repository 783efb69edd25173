"""The directory of all actors, and the edges at which other threads talk to them."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from itertools import count
from typing import Any

from actors.runtime.actor import Actor, Factory, UnexpectedMessageError, behaviour_of
from actors.runtime.cell import CELLS, Cell
from actors.runtime.event_loop import EventLoop
from actors.runtime.lanes import Parcel, Post, StopOrder
from actors.runtime.life import Life
from messages.address import ROOT, Address
from messages.agents import ChildEnded
from messages.base import Message

log = logging.getLogger("greenroom.runtime")

EXIT_S = 5.0
"""Time for the ordered stop of everything."""


class Anteroom(Actor[Message]):
    """A root that only holds what the edge starts; for tests and small programs."""

    def on_receive(self, message: Message) -> None:
        """Take note of children's ends."""
        log.debug("%s: %s", self.sender, message)


class ActorSystem:
    """All actors of one process: one event loop, one tree, one directory."""

    def __init__(self, root: Factory = Anteroom) -> None:
        """Start the event loop and the actor at `/`."""
        self.event_loop = EventLoop()
        self.dead_letters = 0
        self._cells: dict[Address, Cell | _Mailbox] = {}
        self._asked = count(1)
        self._root_end: Future[ChildEnded] = Future()
        self.event_loop.start()
        self._root = self.spawn(root, ROOT, None)

    # The edges.

    def start(self, make: Callable[[], Actor[Any]], name: str) -> Address:
        """Start an actor below the root, from outside."""
        started: Future[Address] = Future()

        def begin() -> None:
            try:
                started.set_result(self._root.start_child(make, name))
            except BaseException as error:  # noqa: BLE001  (it belongs to the caller)
                started.set_exception(error)

        self.event_loop.run(begin)
        return started.result(EXIT_S)

    def tell(self, to: Address, message: Message) -> None:
        """Send from outside; the sender is the root."""
        self.send(to, message, ROOT)

    def ask(self, to: Address, message: Message, timeout_s: float) -> Message:
        """Send from outside and wait for what comes back to a one-shot address.

        Raises:
            TimeoutError: nothing came back in time.
        """
        mailbox = _Mailbox()
        address = ROOT.child(f"ask-{next(self._asked)}")
        self._cells[address] = mailbox
        try:
            self.send(to, message, address)
            return mailbox.first.result(timeout_s)
        finally:
            self.forget(address)

    def stop(self, within_s: float = EXIT_S) -> bool:
        """Stop everything in order; False: something did not end in time and was given up."""
        deadline_s = self.event_loop.now() + within_s
        self._root.post(StopOrder(deadline_s, overtakes=not self._root.behaviour_class.drains))
        in_order = self.wait(within_s)
        self.event_loop.stop()
        return in_order

    def stop_child(self, child: Address, within_s: float = EXIT_S) -> None:
        """Begin to stop one child of the root, from outside."""
        self.event_loop.run(lambda: self._root.stop_child(child, within_s))

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the root has ended; False: it has not."""
        try:
            self._root_end.result(timeout_s)
        except TimeoutError:
            return False
        return True

    @property
    def addresses(self) -> tuple[Address, ...]:
        """Everyone who lives, in the order of their start."""
        return tuple(self._cells)

    # What cells ask for.

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver a message, or count a dead letter.

        Raises:
            UnexpectedMessageError: the receiver's inbox has no such message.
        """
        receiver = self._cells.get(to)
        if receiver is None:
            self.count_dead(1, to)
            return
        kinds = receiver.kinds
        if kinds is not None and type(message) not in kinds:
            problem = f"{to} does not receive {type(message).__name__}"
            raise UnexpectedMessageError(problem)
        if not receiver.post(Post(sender, message)):
            self.count_dead(1, to)

    def spawn(self, make: Factory, address: Address, parent: Life | None) -> Cell:
        """Make a cell, enter it into the directory and schedule its first step.

        Raises:
            ValueError: the address is taken.
        """
        if address in self._cells:
            problem = f"{address} is taken"
            raise ValueError(problem)
        cell = CELLS[behaviour_of(make).dispatcher](self, address, make, parent)
        self._cells[address] = cell
        cell.run()
        return cell

    def forget(self, address: Address) -> None:
        """Take an ended cell out of the directory."""
        self._cells.pop(address, None)

    def abandon(self, address: Address) -> None:
        """Fence a cell that missed its deadline, and all below it."""
        for under in [each for each in self._cells if each.is_under(address)]:
            cell = self._cells.pop(under)
            if isinstance(cell, Cell):
                cell.fence()

    def count_dead(self, letters: int, to: Address) -> None:
        """Count messages that nobody will handle."""
        if letters:
            self.dead_letters += letters
            log.debug("%d dead letter(s) to %s", letters, to)

    def ended(self, address: Address, end: ChildEnded) -> None:
        """Hear that the root has ended."""
        log.debug("%s ended: %s", address, end)
        self._root_end.set_result(end)


class _Mailbox:
    """A one-shot address for an answer to the edge."""

    kinds = None

    def __init__(self) -> None:
        """Wait for the first message."""
        self.first: Future[Message] = Future()
        self._lock = threading.Lock()

    def post(self, parcel: Parcel) -> bool:
        """Keep the first message; later ones are dead letters."""
        with self._lock:
            if self.first.done() or not isinstance(parcel, Post):
                return False
            self.first.set_result(parcel.message)
            return True
