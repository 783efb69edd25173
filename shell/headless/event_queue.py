"""What reaches the main thread of a run without a person: events from the actors, and signals."""

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

HeadlessEvent = AgentEvent | ShowApproval | DismissApproval


@dataclass(frozen=True, slots=True)
class QueuedEvent:
    """An event of the tree."""

    source: Address
    message: HeadlessEvent
    ends_turn: bool
    """It ends the prompt's turn."""


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is over before its turn ended: by a signal, or because the system ended itself."""

    exit_status: int
    error: str


QueueItem = QueuedEvent | RunEnded
MAX_UNSIGNALED_EVENTS = 16
"""Of what wakes nobody; each may be a long reply, so that they must not gather without end."""


class EventQueue:
    """A queue that a signal's handler may put into while the same thread waits on it.

    `queue.SimpleQueue` promises that too, and on Python 3.13.0 an item put so was lost: here the
    wait is a `select` on a pipe, which every put and, through the wake-up descriptor, every signal
    writes to.
    """

    def __init__(self) -> None:
        """Open the pipe; it lives as long as the process."""
        self.prompt_turn = 0
        """The prompt's turn, once it was sent; it outlives a crash of who sent it."""
        self._waiting: deque[QueueItem] = deque()
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)

    def put(self, item: QueueItem, *, wake: bool = True) -> None:
        """Add a happening, from any thread or signal handler; what is not for `soon` waits for it.

        The main thread would be woken in the middle of the others' work.
        """
        self._waiting.append(item)
        if not wake and len(self._waiting) < MAX_UNSIGNALED_EVENTS:
            return
        try:
            os.write(self._write, b"\0")
        except BlockingIOError:  # the pipe is full of wake-ups: one of them will do
            return

    def assign_prompt_turn(self, turn: int) -> int:
        """Say which turn is the prompt's: this one, unless it was sent before."""
        self.prompt_turn = self.prompt_turn or turn
        return self.prompt_turn

    def get(self) -> QueueItem:
        """Wait for the next happening; on the main thread only."""
        while not self._waiting:
            select.select([self._read], [], [])
            os.read(self._read, 65_536)
        return self._waiting.popleft()

    @contextmanager
    def wake_on_signals(self) -> Generator[None]:
        """Let every signal end a wait, so that its handler runs."""
        before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
