"""Who lives under which address, and what was lost or given up; the world of the cells."""

import logging
import threading
from collections.abc import Callable, Mapping

from actors.runtime.actor import Factory, behaviour_of, check
from actors.runtime.cell import CELLS, Cell
from actors.runtime.event_loop import EventLoop
from actors.runtime.life import Life
from actors.runtime.mailbox import Mailbox
from messages.address import Address
from messages.agents import ChildEnded
from messages.base import Message
from messages.envelope import Envelope

log = logging.getLogger("greenroom.runtime")


class Directory:
    """All cells of one process; used from any thread."""

    def __init__(
        self,
        ended: Callable[[ChildEnded], None],
        event_loop: EventLoop,
        kinds: Mapping[str, type[Cell]] = CELLS,
    ) -> None:
        """Start empty; `ended` hears of the root's end, `kinds` are the cells by dispatcher."""
        self.event_loop = event_loop
        self.ended = ended
        self.mailboxes: dict[Address, Mailbox] = {}
        self.dead_letters = 0
        self.given_up = 0
        self._kinds = kinds
        self._cells: dict[Address, Cell] = {}
        self._lock = threading.Lock()

    @property
    def addresses(self) -> tuple[Address, ...]:
        """Everyone who lives, in the order of their start."""
        return tuple(self._cells)

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver a message, or count a dead letter.

        Raises:
            UnexpectedMessageError: the receiver's inbox has no such message.
        """
        receiver = self._cells.get(to) or self.mailboxes.get(to)
        if receiver is None:
            self.count_dead(1, to)
            return
        if receiver.kinds is not None and type(message) not in receiver.kinds:
            check(message, receiver.kinds, to)
        if not receiver.post(Envelope(to, sender, message)):
            self.count_dead(1, to)

    def spawn(self, make: Factory, address: Address, parent: Life | None) -> Cell:
        """Make a cell, enter it and schedule its first step.

        Raises:
            ValueError: the address is taken.
            TypeError: `make` is no actor's.
        """
        if address in self._cells:
            problem = f"{address} is taken"
            raise ValueError(problem)
        cell = self._kinds[behaviour_of(make).dispatcher](self, address, make, parent)
        self._cells[address] = cell
        cell.run()
        return cell

    def forget(self, cell: Life) -> None:
        """Take an ended cell out; its name may have passed to another."""
        if self._cells.get(cell.address) is cell:
            self._cells.pop(cell.address, None)

    def give_up(self, address: Address) -> bool:
        """Fence a cell that missed its deadline, and all below it; False: there is none.

        A stuck one may start children meanwhile. So each is fenced before the table is read
        again: either the child is found there, or its parent finds itself fenced.
        """
        fenced = 0
        while under := [each for each in self.addresses if each.is_under(address)]:
            for each in under:
                cell = self._cells.pop(each, None)
                if cell is not None:
                    log.error("%s did not stop in time and was given up", each)
                    cell.fence()
                    fenced += 1
        self.count_given_up(fenced)
        return fenced > 0

    def count_given_up(self, number: int) -> None:
        """Count actors or jobs that did not end in time."""
        with self._lock:
            self.given_up += number

    def count_dead(self, letters: int, to: Address) -> None:
        """Count messages that nobody will handle."""
        if letters:
            with self._lock:
                self.dead_letters += letters
            log.debug("%d dead letter(s) to %s", letters, to)
