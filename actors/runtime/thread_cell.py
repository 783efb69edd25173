"""`ThreadCell`: a cell with its own thread."""

import queue
import threading
from collections.abc import Sequence
from typing import Any, ClassVar, cast

import pykka

from actors.runtime.actor import ActorFactory
from actors.runtime.cell import Cell
from actors.runtime.event_loop_actor import PykkaEnvelope
from actors.runtime.mailbox import Mailbox, MailboxItem
from actors.runtime.pykka_envelope import unwrap_envelope
from actors.runtime.runtime_port import CellHandle, RuntimePort
from actors.runtime.supervision import NO_RESTART, Restart
from messages.address import Address


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
        self._inbox = cast("ThreadInbox", self.actor_inbox)
        self._inbox.cell = self
        Cell.__init__(self, runtime, address, make, parent, restart, mailbox=self._inbox)

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


class ThreadInbox(Mailbox):
    """A cell's mailbox with a queue of tokens, on which the cell's thread waits."""

    __slots__ = ("_tokens", "cell")

    cell: ThreadCell

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self._tokens: queue.SimpleQueue[None] = queue.SimpleQueue()

    def put(self, envelope: PykkaEnvelope, /) -> None:
        """Add the item and wake the thread, then check whether the cell ended meanwhile."""
        self.add(unwrap_envelope(envelope, self.cell))
        self._tokens.put(None)
        if self.cell.actor_stopped.is_set():
            self.cell.on_late_items(self.clear())

    def get(self) -> Any:  # noqa: ANN401  (pykka's signature; a `MailboxItem`, or None after `clear`)
        """Wait for the next item."""
        self._tokens.get()
        return self.take()

    def empty(self) -> bool:
        """Return whether nothing is waiting."""
        return self._tokens.empty()

    def put_back(self, items: Sequence[MailboxItem]) -> None:
        """Put items in front of the mailbox; from the cell's own thread."""
        super().put_back(items)
        for _ in items:
            self._tokens.put(None)

    def clear(self) -> list[MailboxItem]:
        """Empty the lanes, and wake the thread so that it checks for the end."""
        self._tokens.put(None)
        return super().clear()
