"""Cells: pykka actors that run a behavior. The only module that imports pykka.

What pykka does for us: construction, `ActorRef.tell`, `actor_stopped`, `ThreadingActor` with its
thread, and the two override points documented for new actor types (`_create_actor_inbox` and
`_start_actor_loop`). What we replace, and why:

- `_actor_loop`, the loop around the handler: on a `BaseException`, pykka stops every actor of the
  process; it calls `on_stop` on only one of three ways out; and it knows no children.
- `stop` and the inbox: pykka's stop waits behind the messages, ours has a priority lane. Between
  two loop actors, an item goes straight into the mailbox, which halves the cost of a `tell`.
- `ask` and `proxy`: they block, or lose the reply in a race with a stop. Here replies are messages;
  only outer threads ask, with `ActorSystem.ask`.
- `ActorRegistry`: it is one global list, so stopping n actors takes n² steps. Cells stay out of it.
"""

import queue
import threading
from functools import partial
from typing import Any, ClassVar, Protocol, cast

import pykka
from pykka import messages as pykka_messages

from actors.runtime.actor import ActorFactory
from actors.runtime.mailbox import Mailbox, MailboxItem, StopCell
from actors.runtime.mailbox_processor import DEFAULT_STOP_TIMEOUT_S, MailboxProcessor
from actors.runtime.runtime_port import CellHandle, RuntimePort
from actors.runtime.supervision import NO_RESTART, Restart
from messages.address import Address


class _PykkaEnvelope(Protocol):
    message: Any
    reply_to: Any


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
        """Create the pykka actor and the cell's own state."""
        pykka.Actor.__init__(self)
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

    def unwrap_envelope(self, envelope: _PykkaEnvelope) -> MailboxItem:
        """Take the item out of pykka's envelope; convert pykka's own stop to `StopCell`."""
        stop = pykka_messages._ActorStop  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (`ActorRef.stop` sends it)
        if not isinstance(envelope.message, stop):
            item: MailboxItem = envelope.message
            return item
        if envelope.reply_to is not None:
            envelope.reply_to.set(None)  # pykka's `ActorRef.stop` waits for it
        deadline_s = self._runtime.event_loop.now_s() + DEFAULT_STOP_TIMEOUT_S
        return StopCell(deadline_s, high_priority=not self.drains_before_stop)

    def on_late_items(self, items: list[MailboxItem]) -> None:
        """Count messages that arrived after the end."""
        self._runtime.dead_letter(items)


class LoopCell(Cell):
    """A cell that runs as callbacks on the event loop, scheduled while its mailbox has items.

    Only the loop's thread touches the mailbox, so it needs no lock and has no races.
    """

    batch_size: ClassVar[int] = 32
    """Items handled before other cells get their turn."""

    def __init__(
        self,
        runtime: RuntimePort,
        address: Address,
        make: ActorFactory,
        parent: CellHandle | None,
        restart: Restart = NO_RESTART,
    ) -> None:
        """Connect the inbox, which pykka creates without its actor."""
        super().__init__(runtime, address, make, parent, restart)
        cast("LoopInbox", self.actor_inbox).cell = self
        self._loop = runtime.event_loop
        self._mailbox = Mailbox()
        self._is_scheduled = True

    @staticmethod
    def _create_actor_inbox() -> "LoopInbox":
        return LoopInbox()

    @staticmethod
    def _create_future() -> "pykka.Future[Any]":
        return pykka.ThreadingFuture()

    def _start_actor_loop(self) -> None:
        self._loop.call_soon(self._run_first_batch)

    def post(self, item: MailboxItem) -> bool:
        """Add an item to the mailbox; on the loop's own thread without going through pykka."""
        if not self._loop.is_current_thread():
            return super().post(item)
        if self.is_closed:
            return False
        self._mailbox.add(item)
        if not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._run_batch)
        return True

    def accept(self, item: MailboxItem) -> None:
        """Add an item that came through pykka, from any thread."""
        on_loop = self._loop.is_current_thread()
        if not (self.post(item) if on_loop else self._loop.call_soon(partial(self.accept, item))):
            self.on_late_items([item])

    def _run_first_batch(self) -> None:
        if not self.is_closed:
            self.start_incarnation()
        self._run_batch()

    def _run_batch(self) -> None:
        mailbox = self._mailbox
        for _ in range(self.batch_size):
            item = mailbox.take()
            if item is None:
                self._is_scheduled = False
                return
            self.handle_item(item)
        self._loop.call_soon(self._run_batch)

    def fence(self) -> None:
        """Block all later effects at once, and clean up on the loop's thread."""
        self.is_closed = True
        self._loop.run_on_loop(self._fence_on_loop)

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

    def put(self, envelope: _PykkaEnvelope, /) -> None:
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
        """Connect the inbox, which pykka creates without its actor."""
        super().__init__(runtime, address, make, parent, restart)
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

    def _actor_loop(self) -> None:
        threading.current_thread().name = f"greenroom {self.address}"
        if not self.is_closed:
            self.start_incarnation()
        while not self.is_closed:
            item = self._inbox.get()
            if item is not None:
                self.handle_item(item)
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

    def put(self, envelope: _PykkaEnvelope, /) -> None:
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
