"""All cells by address, with dead letters, watchers and counts; implements `RuntimePort`."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from actors.runtime.actor import ActorFactory, check_inbox, get_behavior_class
from actors.runtime.cell import Cell
from actors.runtime.event_loop import EventLoop
from actors.runtime.loop_cell import LoopCell
from actors.runtime.mailbox import MailboxItem
from actors.runtime.reply_slot import ReplySlot
from actors.runtime.runtime_port import CellHandle, RuntimePort
from actors.runtime.supervision import MAX_CRASHES_PER_MESSAGE, NO_RESTART, Restart
from actors.runtime.thread_cell import ThreadCell
from messages.address import ROOT, Address
from messages.base import Message
from messages.child_lifecycle import ChildEnded
from messages.envelope import Envelope
from messages.supervision import PeerRestarted, Undelivered, UndeliveredReason

log = logging.getLogger("greenroom.runtime")

CellFactory = Callable[[RuntimePort, Address, ActorFactory, CellHandle | None, Restart], Cell]
CELL_TYPES: dict[str, CellFactory] = {"loop": LoopCell, "thread": ThreadCell}
"""Cell types by `Actor.dispatcher`."""


class MessageReceiver(Protocol):
    """What messages can be sent to: a cell, or something that stands for one."""

    @property
    def inbox_types(self) -> frozenset[type[Message]] | None:
        """The messages it accepts; None: all."""
        ...

    def post(self, item: Envelope, /) -> bool:
        """Take in a message; False: it cannot any more."""
        ...


class ActorRegistry:
    """All cells of one process; used from any thread."""

    def __init__(
        self,
        on_root_ended: Callable[[ChildEnded], None],
        event_loop: EventLoop,
        cell_types: Mapping[str, CellFactory] = CELL_TYPES,
        outside: "MessageReceiver | None" = None,
    ) -> None:
        """Start empty; `cell_types` are the cell types by dispatcher.

        `outside` receives the messages to addresses that are not below the root's.
        """
        self.event_loop = event_loop
        self.on_root_ended = on_root_ended
        self.reply_slots: dict[Address, ReplySlot] = {}
        self.dead_letter_count = 0
        self.abandoned_count = 0
        self.on_restart: Callable[[Address], None] | None = None
        """Called after every restart, in the context of the restarted cell."""
        self._cell_types = cell_types
        self._home = ROOT
        """The root's address."""
        self._outside = outside
        self._cells: dict[Address, Cell] = {}
        self._relays: dict[Address, Cell] = {}
        """The cells that receive the messages to all addresses below their own."""
        self._watchers: dict[Address, dict[Address, None]] = {}
        # Not sets, whose order differs between runs, so that no seed would replay.
        """Watchers by peer; the inner dicts are ordered sets."""
        self._lock = threading.Lock()

    @property
    def addresses(self) -> tuple[Address, ...]:
        """The addresses of all cells, in start order."""
        return tuple(self._cells)

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver a message, or count it as a dead letter.

        Raises:
            UnexpectedMessageError: the receiver's inbox has no such message.
        """
        envelope = Envelope(to, sender, message)
        receiver = self._cells.get(to) or self._find_receiver(to)
        if receiver is None:
            self.dead_letter([envelope])
            return
        if receiver.inbox_types is not None and type(message) not in receiver.inbox_types:
            check_inbox(message, receiver.inbox_types, to)
        if not receiver.post(envelope):
            self.dead_letter([envelope])

    def _find_receiver(self, to: Address) -> "MessageReceiver | None":
        """Return what receives the messages to an address, perhaps in another process."""
        receiver = self._cells.get(to) or self.reply_slots.get(to)
        if receiver is not None:
            return receiver
        for address, relay in tuple(self._relays.items()):
            if to.is_under(address):
                return relay
        return self._outside if self._outside and not to.is_under(self._home) else None

    def start_cell(
        self,
        make: ActorFactory,
        address: Address,
        parent: CellHandle | None,
        restart: Restart = NO_RESTART,
    ) -> Cell:
        """Create a cell, register it and schedule its start.

        Raises:
            ValueError: the address is already in use.
            TypeError: `make` makes no actor.
        """
        if address in self._cells:
            problem = f"{address} is already in use"
            raise ValueError(problem)
        cell_type = self._cell_types[get_behavior_class(make).dispatcher]
        cell = cell_type(self, address, make, parent, restart)
        self._cells[address] = cell
        if cell.relays_subtree:
            self._relays[address] = cell
        if parent is None:
            self._home = address
        cell.launch()
        return cell

    def unregister(self, cell: CellHandle) -> bool:
        """Remove an ended cell; False: it was abandoned, and its address may be in use again."""
        with self._lock:
            if self._cells.get(cell.address) is not cell:
                return False
            del self._cells[cell.address]
            self._relays.pop(cell.address, None)
        for peer in cell.watched_peers:
            self._watchers.get(peer, {}).pop(cell.address, None)
        return True

    def abandon(self, address: Address) -> bool:
        """Fence a cell that missed its deadline, with its subtree; False: it has ended.

        A stuck cell may start children meanwhile. So each cell is fenced before the table is read
        again: either the child is in the table by then, or its parent sees that it is fenced.
        """
        fenced_count = 0
        while subtree := [member for member in self.addresses if member.is_under(address)]:
            for member in subtree:
                with self._lock:
                    cell = self._cells.pop(member, None)
                    self._relays.pop(member, None)
                if cell is not None:
                    log.error("%s did not stop in time and was abandoned", member)
                    cell.fence()
                    fenced_count += 1
        self.count_abandoned(fenced_count)
        return fenced_count > 0

    def count_abandoned(self, number: int) -> None:
        """Count actors or jobs that did not end in time."""
        with self._lock:
            self.abandoned_count += number

    def watch(self, peer: Address, watcher: Address) -> None:
        """Subscribe an actor to a peer's restarts; the peer need not exist yet."""
        self._watchers.setdefault(peer, {})[watcher] = None

    def notify_watchers(self, peer: Address, incarnation: int) -> None:
        """Send `PeerRestarted` to the watchers of a cell."""
        if self.on_restart is not None:
            self.on_restart(peer)
        for watcher in tuple(self._watchers.get(peer, ())):
            self.send(watcher, PeerRestarted(peer=peer, incarnation=incarnation), peer)

    def dead_letter(self, items: Iterable[MailboxItem]) -> None:
        """Count the messages among these items; send back those that ask for it."""
        envelopes = [item for item in items if isinstance(item, Envelope)]
        if not envelopes:
            return
        with self._lock:
            self.dead_letter_count += len(envelopes)
        is_debug = log.isEnabledFor(logging.DEBUG)
        for envelope in envelopes:
            if is_debug:
                log.debug("dead letter: %s", _describe_envelope(envelope))
            self.report_undelivered(envelope, "ended")

    def report_undelivered(self, envelope: Envelope, reason: UndeliveredReason) -> None:
        """Send a message back if its class asks for it and its sender can receive it."""
        if not envelope.message.notify_undelivered:
            return
        sender = self._find_receiver(envelope.sender)
        if sender is not None and (sender.inbox_types is None or Undelivered in sender.inbox_types):
            undelivered = Undelivered(to=envelope.to, message=envelope.message, reason=reason)
            sender.post(Envelope(envelope.sender, envelope.to, undelivered))

    def quarantine(self, envelope: Envelope) -> None:
        """Count and report a message that has crashed its receiver too often."""
        with self._lock:
            self.dead_letter_count += 1
        description = _describe_envelope(envelope)
        log.error("quarantined after %d crashes: %s", MAX_CRASHES_PER_MESSAGE, description)
        self.report_undelivered(envelope, "quarantined")


def _describe_envelope(envelope: Envelope) -> str:
    """Return type, sender and receiver, without the content, which may be secret."""
    return f"{type(envelope.message).__name__} from {envelope.sender} to {envelope.to}"
