"""The queue to the main thread of a headless run: events from the actors, and signals."""

import os
import select
import signal
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from messages.address import Address
from messages.approvals import DismissApproval, ShowApproval
from messages.turns import AgentEvent
from shell.headless.background_wait import BackgroundWait

HeadlessEvent = AgentEvent | ShowApproval | DismissApproval


@dataclass(frozen=True, slots=True)
class QueuedEvent:
    """An event of the tree."""

    source: Address
    message: HeadlessEvent
    ends_run: bool
    """The event ends the last turn of the run, or its review."""
    awaited_agents: tuple[str, ...] = ()
    """The event ends a turn, and these background agents are still running."""


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run ended before its turn: by a signal, or because the session shut down."""

    exit_status: int
    error: str


QueueItem = QueuedEvent | RunEnded
MAX_UNSIGNALED_EVENTS = 16
"""Events that may wait without waking the reader; bounded, since each may be a long reply."""


class EventQueue:
    """A queue that a signal handler may put into while the same thread waits on it.

    `queue.SimpleQueue` is documented to support that, but lost such an item on Python 3.13.0. Here
    the reader waits with `select` on a pipe, and every put and every signal (through the wakeup
    descriptor) writes to it.
    """

    def __init__(self) -> None:
        """Open the pipe; it stays open until the process ends."""
        self.prompt_turn = 0
        """Turn of the prompt, once sent; the queue stores it because the console may crash."""
        self.background = BackgroundWait()
        """What the run waits for; stored here for the same reason."""
        self._items: deque[QueueItem] = deque()
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)

    def put(self, item: QueueItem, *, wake: bool = True) -> None:
        """Add an item, from any thread or signal handler.

        Without `wake`, the item may wait for the next one, so that the main thread does not
        interrupt the work of the others.
        """
        self._items.append(item)
        if not wake and len(self._items) < MAX_UNSIGNALED_EVENTS:
            return
        try:
            os.write(self._write, b"\0")
        except BlockingIOError:  # the pipe is full, so the reader will wake up anyway
            return

    def assign_prompt_turn(self, turn: int) -> int:
        """Return the turn of the prompt: `turn`, unless it was assigned before."""
        self.prompt_turn = self.prompt_turn or turn
        return self.prompt_turn

    def get(self) -> QueueItem:
        """Wait for the next item; on the main thread only."""
        while not self._items:
            select.select([self._read], [], [])
            os.read(self._read, 65_536)
        return self._items.popleft()

    @contextmanager
    def wake_on_signals(self) -> Generator[None]:
        """Let every signal end a wait, so that its handler runs."""
        old_descriptor = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(old_descriptor)
