"""The only module that imports pykka: an actor's cell as a `pykka.Actor`.

What serves as pykka has it: construction, `ActorRef.tell`, `actor_stopped`, the two override points
that it documents for new actor types (`_create_actor_inbox`, `_start_actor_loop`), and
`ThreadingActor` with its thread. What is replaced, and why:

- the loop around the handler (`_actor_loop`): pykka stops every actor of the process when one
  raises a `BaseException`, runs `on_stop` only on one of three ways out, and knows no children;
- `stop` and the inbox: pykka's stop waits behind the mail, ours has a lane of its own. From one
  loop actor to another a parcel goes straight into the lane, which halves the cost of a tell;
- `ask`, `proxy`: they block, or lose the answer in a race with a stop; we tell, and answers are
  messages. The edge's `ask` is `ActorSystem.ask`;
- the registry: one global list, so that stopping n actors takes n² steps. Cells stay out of it.
"""

import queue
import threading
from functools import partial
from typing import Any, ClassVar, Protocol, cast

import pykka
from pykka import messages as pykka_messages

from actors.runtime.actor import ActorFactory
from actors.runtime.base_cell import BaseCell
from actors.runtime.mailbox import Mailbox, MailboxItem, StopCell
from actors.runtime.mailbox_processor import DEFAULT_STOP_TIMEOUT_S, MailboxProcessor
from actors.runtime.runtime_port import RuntimePort
from actors.runtime.supervision import NO_RESTART, Restart
from messages.address import Address


class _Enveloped(Protocol):
    message: Any
    reply_to: Any


class Cell(MailboxProcessor, pykka.Actor):
    """What both kinds of cell share."""

    def __init__(
        self,
        runtime: RuntimePort,
        address: Address,
        make: ActorFactory,
        parent: BaseCell | None,
        restart: Restart = NO_RESTART,
    ) -> None:
        """Make the pykka actor and the life in it."""
        pykka.Actor.__init__(self)
        MailboxProcessor.__init__(self, runtime, address, make, parent, restart)

    def launch(self) -> None:
        """Begin as `pykka.Actor.start` does, but without the global registry."""
        self._start_actor_loop()

    def post(self, item: MailboxItem) -> bool:
        """Put a parcel into the inbox, from any thread; False: the cell has ended."""
        try:
            self.actor_ref.tell(item)
        except pykka.ActorDeadError:
            return False
        return True

    def unwrap_envelope(self, envelope: _Enveloped) -> MailboxItem:
        """Take the parcel out of pykka's envelope; a stray pykka stop is a stop like any other."""
        stop = pykka_messages._ActorStop  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (`ActorRef.stop` sends it)
        if not isinstance(envelope.message, stop):
            parcel: MailboxItem = envelope.message
            return parcel
        if envelope.reply_to is not None:
            envelope.reply_to.set(None)  # pykka's own `ActorRef.stop` waits for it
        deadline_s = self._world.event_loop.now_s() + DEFAULT_STOP_TIMEOUT_S
        return StopCell(deadline_s, high_priority=not self.drains_before_stop)

    def on_late_items(self, items: list[MailboxItem]) -> None:
        """Count messages that came after the end."""
        self._world.dead_letter(items)


class LoopCell(Cell):
    """A cell whose turns are callbacks on the event loop, scheduled while its inbox holds mail.

    Its lanes are touched on the loop's thread only, so there is no lock and no race.
    """

    batch_size: ClassVar[int] = 32
    """Messages that it handles before the others have their turn."""

    def __init__(
        self,
        runtime: RuntimePort,
        address: Address,
        make: ActorFactory,
        parent: BaseCell | None,
        restart: Restart = NO_RESTART,
    ) -> None:
        """Bind the inbox, which pykka makes without knowing its actor."""
        super().__init__(runtime, address, make, parent, restart)
        cast("LoopInbox", self.actor_inbox).cell = self
        self._loop = runtime.event_loop
        self._lanes = Mailbox()
        self._scheduled = True

    @staticmethod
    def _create_actor_inbox() -> "LoopInbox":
        return LoopInbox()

    @staticmethod
    def _create_future() -> "pykka.Future[Any]":
        return pykka.ThreadingFuture()

    def _start_actor_loop(self) -> None:
        self._loop.call_soon(self._first_turn)

    def post(self, item: MailboxItem) -> bool:
        """Put a parcel into the inbox: on the loop's own thread without pykka's detour."""
        if not self._loop.is_current_thread():
            return super().post(item)
        if self.is_closed:
            return False
        self._lanes.add(item)
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._turn)
        return True

    def accept(self, item: MailboxItem) -> None:
        """Put a parcel that came through pykka into its lane, from any thread."""
        here = self._loop.is_current_thread()
        if not (self.post(item) if here else self._loop.call_soon(partial(self.accept, item))):
            self.on_late_items([item])

    def _first_turn(self) -> None:
        if not self.is_closed:
            self.start_incarnation()
        self._turn()

    def _turn(self) -> None:
        lanes = self._lanes
        for _ in range(self.batch_size):
            parcel = lanes.take()
            if parcel is None:
                self._scheduled = False
                return
            self.handle_item(parcel)
        self._loop.call_soon(self._turn)

    def fence(self) -> None:
        """Take no further part, and clean up on the loop's thread."""
        self.is_closed = True
        self._loop.run_on_loop(self._fence_here)

    def _fence_here(self) -> None:
        super().fence()
        self.clean_up_abandoned()

    def take_all(self) -> list[MailboxItem]:
        """Empty the lanes."""
        return self._lanes.clear()

    def put_back(self, items: list[MailboxItem]) -> None:
        """Put parcels before the others; they come in this turn or the next."""
        self._lanes.put_back(items)

    def close_mailbox(self) -> list[MailboxItem]:
        """Close the inbox; pykka's `ActorRef.tell` raises from now on."""
        self.actor_stopped.set()
        return self._lanes.clear()


class LoopInbox:
    """What pykka puts envelopes into; the lanes are the cell's."""

    cell: LoopCell

    def put(self, envelope: _Enveloped, /) -> None:
        """Hand the envelope to the cell."""
        self.cell.accept(self.cell.unwrap_envelope(envelope))

    def get(self) -> Any:  # noqa: ANN401  (pykka's signature)
        """Serve pykka's own loop, which does not run here."""
        raise NotImplementedError

    def empty(self) -> bool:
        """Serve pykka's own loop, which does not run here."""
        raise NotImplementedError


class ThreadCell(Cell, pykka.ThreadingActor):
    """A cell with a thread of its own, for behaviours that call blocking code."""

    use_daemon_thread: ClassVar[bool] = True
    """The ordered stop ends it; a stuck one must not hold the process."""

    def __init__(
        self,
        runtime: RuntimePort,
        address: Address,
        make: ActorFactory,
        parent: BaseCell | None,
        restart: Restart = NO_RESTART,
    ) -> None:
        """Bind the inbox, which pykka makes without knowing its actor."""
        super().__init__(runtime, address, make, parent, restart)
        self._inbox = cast("ThreadInbox", self.actor_inbox)
        self._inbox.cell = self

    @staticmethod
    def _create_actor_inbox() -> "ThreadInbox":
        return ThreadInbox()

    def _start_actor_loop(self) -> None:
        try:
            super()._start_actor_loop()
        except RuntimeError as error:  # no thread to be had: nobody else is here yet
            self.fail("start", error)

    def _actor_loop(self) -> None:
        threading.current_thread().name = f"greenroom {self.address}"
        if not self.is_closed:
            self.start_incarnation()
        while not self.is_closed:
            parcel = self._inbox.get()
            if parcel is not None:
                self.handle_item(parcel)
        self.clean_up_abandoned()

    def take_all(self) -> list[MailboxItem]:
        """Empty the lanes."""
        return self._inbox.clear()

    def put_back(self, items: list[MailboxItem]) -> None:
        """Put parcels before the others."""
        self._inbox.put_back(items)

    def close_mailbox(self) -> list[MailboxItem]:
        """Close the inbox; a put that races with this finds the flag and empties it itself."""
        self.actor_stopped.set()
        return self._inbox.clear()


class ThreadInbox:
    """Two lanes behind one counter that the cell's thread waits on."""

    cell: ThreadCell

    def __init__(self) -> None:
        """Start empty."""
        self._lanes = Mailbox()
        self._tokens: queue.SimpleQueue[None] = queue.SimpleQueue()

    def put(self, envelope: _Enveloped, /) -> None:
        """Add to the lane, then wake the thread; looks again whether the cell ended meanwhile."""
        self._lanes.add(self.cell.unwrap_envelope(envelope))
        self._tokens.put(None)
        if self.cell.actor_stopped.is_set():
            self.cell.on_late_items(self.clear())

    def get(self) -> Any:  # noqa: ANN401  (pykka's signature; a `MailboxItem`, or None after `clear`)
        """Wait for the next parcel."""
        self._tokens.get()
        return self._lanes.take()

    def put_back(self, items: list[MailboxItem]) -> None:
        """Put parcels before the others; from the cell's own thread."""
        self._lanes.put_back(items)
        for _ in items:
            self._tokens.put(None)

    def empty(self) -> bool:
        """Whether nothing waits."""
        return self._tokens.empty()

    def clear(self) -> list[MailboxItem]:
        """Take everything at once, and wake the thread so that it sees why."""
        self._tokens.put(None)
        return self._lanes.clear()


CELL_TYPES: dict[str, type[Cell]] = {"loop": LoopCell, "thread": ThreadCell}
"""The kinds of cell by `Actor.dispatcher`."""
