"""`LoopCell`: a cell that runs as callbacks on the event loop."""

from functools import partial
from typing import Any, cast

from actors.runtime.actor import ActorFactory
from actors.runtime.cell import Cell
from actors.runtime.event_loop_actor import EventLoopActor, PykkaEnvelope
from actors.runtime.mailbox import Mailbox, MailboxItem
from actors.runtime.pykka_envelope import unwrap_envelope
from actors.runtime.runtime_port import CellHandle, RuntimePort
from actors.runtime.supervision import NO_RESTART, Restart
from messages.address import Address


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
        mailbox = cast("LoopInbox", self.actor_inbox)
        Cell.__init__(self, runtime, address, make, parent, restart, mailbox=mailbox)

    @staticmethod
    def _create_actor_inbox() -> "LoopInbox":
        return LoopInbox()

    def _connect_inbox(self) -> None:
        cast("LoopInbox", self.actor_inbox).cell = self

    def _start_on_loop(self) -> None:
        if not self.is_closed:
            self.start_incarnation()
        self._run_batch()

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
        if self.event_loop.is_current_thread():
            is_accepted = self.post(item)
        else:
            is_accepted = self.event_loop.call_soon(partial(self.accept, item))
        if not is_accepted:
            self.on_late_items([item])

    def _run_batch(self) -> None:
        mailbox = self._mailbox
        for _ in range(self.batch_size):
            item = mailbox.take()
            if item is None:
                self._is_scheduled = False
                return
            self.handle_item(item)
        self.event_loop.call_soon(self._run_batch)  # behind the batches of other actors

    def fence(self) -> None:
        """Block all later effects at once, and clean up on the loop's thread."""
        self.is_closed = True
        self.event_loop.run_on_loop(self._fence_on_loop)

    def _fence_on_loop(self) -> None:
        super().fence()
        self.clean_up_abandoned()


class LoopInbox(Mailbox):
    """A cell's mailbox as the inbox that pykka puts envelopes into."""

    __slots__ = ("cell",)

    cell: LoopCell

    def put(self, envelope: PykkaEnvelope, /) -> None:
        """Pass the item on to the cell, which adds it on the loop's thread."""
        self.cell.accept(unwrap_envelope(envelope, self.cell))

    def get(self) -> Any:  # noqa: ANN401  (pykka's signature)
        """Fail: only pykka's own loop calls this, and it does not run here."""
        raise NotImplementedError

    def empty(self) -> bool:
        """Fail: only pykka's own loop calls this, and it does not run here."""
        raise NotImplementedError
