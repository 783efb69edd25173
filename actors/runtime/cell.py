"""Cells: pykka actors that run a behavior. README.md lists what pykka does here, and what not."""

import queue
import threading
from functools import partial
from typing import Any, ClassVar, cast, get_args

import pykka
from pykka import messages as pykka_messages

from actors.runtime.actor import ActorFactory
from actors.runtime.event_loop_actor import EventLoopActor, PykkaEnvelope
from actors.runtime.mailbox import Mailbox, MailboxItem, StopCell
from actors.runtime.mailbox_processor import DEFAULT_STOP_TIMEOUT_S, MailboxProcessor
from actors.runtime.runtime_port import CellHandle, RuntimePort
from actors.runtime.supervision import NO_RESTART, Restart
from messages.address import Address

ITEM_TYPES = frozenset(get_args(MailboxItem))


class NotACellMessageError(TypeError):
    """Something that pykka can send, but that no cell handles; raised in the sender."""

    def __init__(self, address: Address, *, is_ask: bool) -> None:
        """Describe what to use instead."""
        if is_ask:
            problem = "replies with messages, not to `ask` or `proxy`; use ActorSystem.ask"
        else:
            problem = "receives only mailbox items; use ActorSystem.tell"
        super().__init__(f"{address} {problem}")


class Cell(MailboxProcessor, pykka.Actor):
    """What both types of cell share."""

    def __init__(
        self,
        runtime: RuntimePort,
        address: Address,
        make: ActorFactory,
        parent: CellHandle | None,
        restart: Restart = NO_RESTART,
    ) -> None:
        """Create the cell's own state; the subclass creates the pykka actor."""
        MailboxProcessor.__init__(self, runtime, address, make, parent, restart)

    def launch(self) -> None:
        """Start as `pykka.Actor.start` does, but without the global registry."""
        self._start_actor_loop()

    def post(self, item: MailboxItem) -> bool:
        """Add an item to the mailbox, from any thread; False: the cell has ended."""
        try:
            self.actor_ref.tell(item)
        except pykka.ActorDeadError:
            return False
        return True

    def unwrap_envelope(self, envelope: PykkaEnvelope) -> MailboxItem:
        """Take the item out of pykka's envelope; convert pykka's own stop to `StopCell`.

        A handler returns nothing, so `ActorRef.ask` and `proxy` could only wait forever. Their
        caller gets the exception instead.

        Raises:
            TypeError: it is not an item, so no handler would understand it.
        """
        message: Any = envelope.message
        reply_to = envelope.reply_to
        if type(message) in ITEM_TYPES and reply_to is None:
            item: MailboxItem = message
            return item
        stop = pykka_messages._ActorStop  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (`ActorRef.stop` sends it)
        if not isinstance(message, stop):
            raise NotACellMessageError(self.address, is_ask=reply_to is not None)
        if reply_to is not None:
            reply_to.set(None)  # pykka's `ActorRef.stop` waits for it
        deadline_s = self._runtime.event_loop.now_s() + DEFAULT_STOP_TIMEOUT_S
        return StopCell(deadline_s, high_priority=not self.drains_before_stop)

    def on_late_items(self, items: list[MailboxItem]) -> None:
        """Count messages that arrived after the end."""
        self._runtime.dead_letter(items)


class LoopCell(Cell, EventLoopActor):
    """A cell on the event loop, scheduled while its mailbox has items.

    Only the loop's thread touches the mailbox, so it needs no lock and has no races.
    """

    def __init__(
        self,
        runtime: RuntimePort,
        address: Address,
        make: ActorFactory,
        parent: CellHandle | None,
        restart: Restart = NO_RESTART,
    ) -> None:
        """Create the cell and its pykka actor."""
        self.event_loop = runtime.event_loop
        EventLoopActor.__init__(self)
        Cell.__init__(self, runtime, address, make, parent, restart)
        self._mailbox = Mailbox()

    @staticmethod
    def _create_actor_inbox() -> "LoopInbox":
        return LoopInbox()

    def _connect_inbox(self) -> None:
        cast("LoopInbox", self.actor_inbox).cell = self

    def _actor_loop_setup(self) -> None:
        if not self.is_closed:
            self.start_incarnation()

    def post(self, item: MailboxItem) -> bool:
        """Add an item to the mailbox; on the loop's own thread without going through pykka."""
        if not self.event_loop.is_current_thread():
            return super().post(item)
        if self.is_closed:
            return False
        self._mailbox.add(item)
        if not self._is_scheduled:  # as `_wake` does, without the call
            self._is_scheduled = True
            self.event_loop.call_soon(self._run_batch)
        return True

    def accept(self, item: MailboxItem) -> None:
        """Add an item that came through pykka, from any thread."""
        on_loop = self.event_loop.is_current_thread()
        if not (
            self.post(item) if on_loop else self.event_loop.call_soon(partial(self.accept, item))
        ):
            self.on_late_items([item])

    def _run_batch(self) -> None:
        mailbox = self._mailbox
        for _ in range(self.batch_size):
            item = mailbox.take()
            if item is None:
                self._is_scheduled = False
                return
            self.handle_item(item)
        self.event_loop.call_soon(self._run_batch)

    def fence(self) -> None:
        """Block all later effects at once, and clean up on the loop's thread."""
        self.is_closed = True
        self.event_loop.run_on_loop(self._fence_on_loop)

    def _fence_on_loop(self) -> None:
        super().fence()
        self.clean_up_abandoned()

    def take_all(self) -> list[MailboxItem]:
        """Empty the mailbox."""
        return self._mailbox.clear()

    def put_back(self, items: list[MailboxItem]) -> None:
        """Put items in front of the mailbox; they are handled in this batch or the next."""
        self._mailbox.put_back(items)

    def close_mailbox(self) -> list[MailboxItem]:
        """Close the mailbox; from now on pykka's `ActorRef.tell` raises."""
        self.actor_stopped.set()
        return self._mailbox.clear()


class LoopInbox:
    """The inbox that pykka puts envelopes into; the items go to the cell's mailbox."""

    cell: LoopCell

    def put(self, envelope: PykkaEnvelope, /) -> None:
        """Pass the item on to the cell."""
        self.cell.accept(self.cell.unwrap_envelope(envelope))

    def get(self) -> Any:  # noqa: ANN401  (pykka's signature)
        """Fail: only pykka's own loop calls this, and it does not run here."""
        raise NotImplementedError

    def empty(self) -> bool:
        """Fail: only pykka's own loop calls this, and it does not run here."""
        raise NotImplementedError


class ThreadCell(Cell, pykka.ThreadingActor):
    """A cell with its own thread, for behaviors that call blocking code."""

    use_daemon_thread: ClassVar[bool] = True
    """A stop ends the thread in order; a stuck one must not keep the process alive."""

    def __init__(
        self,
        runtime: RuntimePort,
        address: Address,
        make: ActorFactory,
        parent: CellHandle | None,
        restart: Restart = NO_RESTART,
    ) -> None:
        """Create the cell and its pykka actor, and connect the inbox."""
        pykka.ThreadingActor.__init__(self)
        Cell.__init__(self, runtime, address, make, parent, restart)
        self._inbox = cast("ThreadInbox", self.actor_inbox)
        self._inbox.cell = self

    @staticmethod
    def _create_actor_inbox() -> "ThreadInbox":
        return ThreadInbox()

    def _start_actor_loop(self) -> None:
        try:
            super()._start_actor_loop()
        except RuntimeError as error:  # no thread could be started, so no other thread is involved
            self.fail("start", error)

    def _actor_loop_setup(self) -> None:
        threading.current_thread().name = f"greenroom {self.address}"
        if not self.is_closed:
            self.start_incarnation()

    def _actor_loop_running(self) -> None:
        while not self.is_closed:
            item = self._inbox.get()
            if item is not None:
                self.handle_item(item)

    def _actor_loop_teardown(self) -> None:
        self.clean_up_abandoned()

    def take_all(self) -> list[MailboxItem]:
        """Empty the mailbox."""
        return self._inbox.clear()

    def put_back(self, items: list[MailboxItem]) -> None:
        """Put items in front of the mailbox."""
        self._inbox.put_back(items)

    def close_mailbox(self) -> list[MailboxItem]:
        """Close the mailbox; a concurrent `put` sees the flag and empties it itself."""
        self.actor_stopped.set()
        return self._inbox.clear()


class ThreadInbox:
    """A mailbox with a queue of tokens, on which the cell's thread waits."""

    cell: ThreadCell

    def __init__(self) -> None:
        """Start empty."""
        self._mailbox = Mailbox()
        self._tokens: queue.SimpleQueue[None] = queue.SimpleQueue()

    def put(self, envelope: PykkaEnvelope, /) -> None:
        """Add the item and wake the thread, then check whether the cell ended meanwhile."""
        self._mailbox.add(self.cell.unwrap_envelope(envelope))
        self._tokens.put(None)
        if self.cell.actor_stopped.is_set():
            self.cell.on_late_items(self.clear())

    def get(self) -> Any:  # noqa: ANN401  (pykka's signature; a `MailboxItem`, or None after `clear`)
        """Wait for the next item."""
        self._tokens.get()
        return self._mailbox.take()

    def put_back(self, items: list[MailboxItem]) -> None:
        """Put items in front of the mailbox; from the cell's own thread."""
        self._mailbox.put_back(items)
        for _ in items:
            self._tokens.put(None)

    def empty(self) -> bool:
        """Return whether nothing is waiting."""
        return self._tokens.empty()

    def clear(self) -> list[MailboxItem]:
        """Remove and return all items, and wake the thread so that it checks for the end."""
        self._tokens.put(None)
        return self._mailbox.clear()


CELL_TYPES: dict[str, type[Cell]] = {"loop": LoopCell, "thread": ThreadCell}
"""Cell types by `Actor.dispatcher`."""
