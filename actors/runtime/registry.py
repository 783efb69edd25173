"""Who lives under which address, and what was lost or given up; the world of the cells."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping

from actors.runtime.actor import ActorFactory, check_inbox, get_behavior_class
from actors.runtime.base_cell import BaseCell
from actors.runtime.cell import CELL_TYPES, Cell
from actors.runtime.event_loop import EventLoop
from actors.runtime.mailbox import MailboxItem
from actors.runtime.reply_slot import Mailbox
from actors.runtime.supervision import MAX_CRASHES_PER_MESSAGE, NO_RESTART, Restart
from messages.address import Address
from messages.base import Message
from messages.child_lifecycle import ChildEnded
from messages.envelope import Envelope
from messages.supervision import PeerRestarted, Undelivered, UndeliveredReason

log = logging.getLogger("greenroom.runtime")


class ActorRegistry:
    """All cells of one process; used from any thread."""

    def __init__(
        self,
        on_root_ended: Callable[[ChildEnded], None],
        event_loop: EventLoop,
        cell_types: Mapping[str, type[Cell]] = CELL_TYPES,
    ) -> None:
        """Start empty; `ended` hears of the root's end, `kinds` are the cells by dispatcher."""
        self.event_loop = event_loop
        self.on_root_ended = on_root_ended
        self.reply_slots: dict[Address, Mailbox] = {}
        self.dead_letter_count = 0
        self.abandoned_count = 0
        self.on_restart: Callable[[Address], None] | None = None
        """Hears of every restart, on the thread of whoever was restarted."""
        self._kinds = cell_types
        self._cells: dict[Address, Cell] = {}
        self._watchers: dict[Address, dict[Address, None]] = {}
        """By whom is watched; dicts, since sets have no order."""
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
        letter = Envelope(to, sender, message)
        receiver = self._cells.get(to) or self.reply_slots.get(to)
        if receiver is None:
            self.dead_letter([letter])
            return
        if receiver.inbox_types is not None and type(message) not in receiver.inbox_types:
            check_inbox(message, receiver.inbox_types, to)
        if not receiver.post(letter):
            self.dead_letter([letter])

    def start_cell(
        self,
        make: ActorFactory,
        address: Address,
        parent: BaseCell | None,
        restart: Restart = NO_RESTART,
    ) -> Cell:
        """Make a cell, enter it and schedule its first step.

        Raises:
            ValueError: the address is taken.
            TypeError: `make` is no actor's.
        """
        if address in self._cells:
            problem = f"{address} is taken"
            raise ValueError(problem)
        kind = self._kinds[get_behavior_class(make).dispatcher]
        cell = kind(self, address, make, parent, restart)
        self._cells[address] = cell
        cell.launch()
        return cell

    def unregister(self, cell: BaseCell) -> bool:
        """Take an ended cell out; False: it was given up, and its name may be another's."""
        with self._lock:
            if self._cells.get(cell.address) is not cell:
                return False
            del self._cells[cell.address]
        for peer in cell.watched_peers:
            self._watchers.get(peer, {}).pop(cell.address, None)
        return True

    def abandon(self, address: Address) -> bool:
        """Fence a cell that missed its deadline, and all below it; False: there is none.

        A stuck one may start children meanwhile. So each is fenced before the table is read
        again: either the child is found there, or its parent finds itself fenced.
        """
        fenced = 0
        while under := [each for each in self.addresses if each.is_under(address)]:
            for each in under:
                with self._lock:
                    cell = self._cells.pop(each, None)
                if cell is not None:
                    log.error("%s did not stop in time and was given up", each)
                    cell.fence()
                    fenced += 1
        self.count_abandoned(fenced)
        return fenced > 0

    def count_abandoned(self, number: int) -> None:
        """Count actors or jobs that did not end in time."""
        with self._lock:
            self.abandoned_count += number

    def watch(self, peer: Address, watcher: Address) -> None:
        """Let an actor hear of the restarts of another, who may not live yet."""
        self._watchers.setdefault(peer, {})[watcher] = None

    def notify_watchers(self, peer: Address, incarnation: int) -> None:
        """Tell whoever watches that a cell has begun again."""
        if self.on_restart is not None:
            self.on_restart(peer)
        for watcher in tuple(self._watchers.get(peer, ())):
            self.send(watcher, PeerRestarted(peer=peer, incarnation=incarnation), peer)

    def dead_letter(self, items: Iterable[MailboxItem]) -> None:
        """Count the messages among parcels that nobody will handle; those that bounce go back."""
        letters = [parcel for parcel in items if isinstance(parcel, Envelope)]
        if not letters:
            return
        with self._lock:
            self.dead_letter_count += len(letters)
        for letter in letters if log.isEnabledFor(logging.DEBUG) else ():
            log.debug("dead letter: %s", _outside(letter))
        for letter in letters:
            self.report_undelivered(letter, "ended")

    def report_undelivered(self, envelope: Envelope, reason: UndeliveredReason) -> None:
        """Send a message back if its class says so, and its sender can take it."""
        if not envelope.message.notify_undelivered:
            return
        sender = self._cells.get(envelope.sender) or self.reply_slots.get(envelope.sender)
        if sender is not None and (sender.inbox_types is None or Undelivered in sender.inbox_types):
            said = Undelivered(to=envelope.to, message=envelope.message, reason=reason)
            sender.post(Envelope(envelope.sender, envelope.to, said))

    def quarantine(self, envelope: Envelope) -> None:
        """Count and report a message that its receiver will not take again."""
        with self._lock:
            self.dead_letter_count += 1
        log.error("set aside after %d crashes: %s", MAX_CRASHES_PER_MESSAGE, _outside(envelope))
        self.report_undelivered(envelope, "quarantined")


def _outside(letter: Envelope) -> str:
    """Write what an envelope shows; what is in it may be secret."""
    return f"{type(letter.message).__name__} from {letter.sender} to {letter.to}"
