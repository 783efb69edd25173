"""`EventLoopActor`: a pykka actor type that runs as callbacks on an event loop.

It is used like `pykka.ThreadingActor` and passes pykka's own tests. It fills in the three methods
that pykka documents for new actor types (`_create_actor_inbox`, `_create_future` and
`_start_actor_loop`). The receive loop is pykka's: when the inbox is empty or the batch is complete,
`EventLoopInbox.get` raises `queue.Empty`, which leaves that loop until the next batch.
"""

import queue
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar, Protocol, TypeVar, cast

import pykka

from actors.runtime.event_loop import EventLoop, EventLoopThread

T = TypeVar("T")


class PykkaEnvelope(Protocol):
    """What pykka puts into an inbox."""

    message: Any
    reply_to: "pykka.Future[Any] | None"
    """Where the reply goes; None: the message was sent with `tell`."""


class EventLoopFuture(pykka.ThreadingFuture[T]):
    """A reply for which the loop's own thread can wait, too.

    A thread that runs all actors would wait forever for a reply from one of them. So it runs the
    actor that was asked until the reply is there.
    """

    run_asked_actor: Callable[[], bool] | None = None
    """Set by the inbox; None: the reply has arrived, or no actor was asked."""

    def get(self, *, timeout: float | None = None) -> T:
        """Wait for the reply, as pykka does.

        Raises:
            RuntimeError: the actor that was asked waits for this reply itself.
            ActorDeadError: it ended without a reply.
        """
        run_asked_actor = self.run_asked_actor  # the loop's thread may reset it at any time
        has_run = run_asked_actor is not None and run_asked_actor()
        if has_run and self.run_asked_actor is not None:
            problem = "the actor ended without a reply"
            raise pykka.ActorDeadError(problem)
        return cast("T", super().get(timeout=timeout))

    def set(self, value: T | None = None) -> None:
        """Set the reply."""
        super().set(value)
        self.run_asked_actor = None

    def set_exception(self, exc_info: Any = None) -> None:  # noqa: ANN401  (pykka's type is private)
        """Set the exception that the reply raises."""
        super().set_exception(exc_info)
        self.run_asked_actor = None


class EventLoopInbox:
    """Messages in their order; wakes the actor on each `put`, from any thread."""

    _wake: Callable[[], None]
    _run_now: Callable[[], bool]

    def __init__(self) -> None:
        """Start empty; `connect` follows, because pykka creates an inbox without its actor."""
        self._envelopes: deque[PykkaEnvelope] = deque()
        self._batch_remaining = 0

    def __len__(self) -> int:
        """Return how many messages are waiting."""
        return len(self._envelopes)

    def connect(self, wake: Callable[[], None], run_now: Callable[[], bool]) -> None:
        """Set how the actor is scheduled, and how a waiting loop thread runs it."""
        self._wake = wake
        self._run_now = run_now

    def put(self, envelope: PykkaEnvelope, /) -> None:
        """Append a message and schedule the actor."""
        if isinstance(envelope.reply_to, EventLoopFuture):
            envelope.reply_to.run_asked_actor = self._run_now
        self._envelopes.append(envelope)
        self._wake()

    def begin_batch(self, size: int) -> None:
        """Allow so many messages to be taken, so that other actors get their turn after them."""
        self._batch_remaining = size

    def get(self) -> Any:  # noqa: ANN401  (pykka's envelope has a private type)
        """Take the next message.

        Raises:
            queue.Empty: there is none, or the batch is complete.
        """
        if not self._batch_remaining or not self._envelopes:
            raise queue.Empty
        self._batch_remaining -= 1
        return self._envelopes.popleft()

    def empty(self) -> bool:
        """Return whether nothing is waiting."""
        return not self._envelopes


class EventLoopActor(pykka.Actor):
    """Base class of actors that share the thread of an event loop.

    The same loop can run thousands of them, and also jobs. A handler that blocks delays them all.
    The loop must not end before its actors have.
    """

    event_loop: EventLoop
    """The loop; if a subclass sets none, the one that all such actors of the process share."""
    batch_size: ClassVar[int] = 32
    """Messages handled before other actors get their turn."""

    _is_started = False
    _is_running = False
    """Whether a method of this actor is on the stack of the loop's thread."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  (pykka's signature)
        """Create the actor; `start` calls this in the thread of the caller."""
        super().__init__(*args, **kwargs)
        if not hasattr(self, "event_loop"):
            self.event_loop = start_shared_event_loop()
        self._is_scheduled = True  # until the first batch, which `_start_actor_loop` schedules
        self._connect_inbox()

    @staticmethod
    def _create_actor_inbox() -> Any:  # noqa: ANN401  (a subclass may have another type of inbox)
        return EventLoopInbox()

    @staticmethod
    def _create_future() -> "pykka.Future[Any]":
        return EventLoopFuture()

    def _start_actor_loop(self) -> None:
        self._schedule(self._start_on_loop)

    def _connect_inbox(self) -> None:
        cast("EventLoopInbox", self.actor_inbox).connect(self._wake, self._run_now)

    def _wake(self) -> None:
        """Schedule a batch unless one is scheduled.

        Two threads may both find that none is. Then the second batch finds an empty inbox.
        """
        if not self._is_scheduled:
            self._is_scheduled = True
            self._schedule(self._run_batch)

    def _schedule(self, call: Callable[[], None]) -> None:
        if not self.event_loop.call_soon(call):  # the loop has ended, and the actor with it
            pykka.ActorRegistry.unregister(self.actor_ref)
            self.actor_stopped.set()
            self._is_scheduled = False
            self._fail_pending_asks()

    def _start_on_loop(self) -> None:
        self._ensure_started()
        self._run_batch()

    def _ensure_started(self) -> None:
        if not self._is_started:
            self._is_started = self._is_running = True
            try:
                self._actor_loop_setup()
            finally:
                self._is_running = False

    def _run_batch(self) -> None:
        self._run(self.batch_size)

    def _run_now(self) -> bool:
        """Handle all that is waiting, if it is the loop's own thread that waits for a reply.

        Raises:
            RuntimeError: this actor is on the stack already, so neither could continue.
        """
        if not self.event_loop.is_current_thread():
            return False
        if self._is_running:
            problem = f"{self} cannot wait for its own reply"
            raise RuntimeError(problem)
        self._ensure_started()
        self._run(len(cast("EventLoopInbox", self.actor_inbox)))
        return True

    def _run(self, batch_size: int) -> None:
        """Handle messages until the batch or the inbox is exhausted, or the actor has stopped.

        The flag is cleared before the inbox is checked. A message that is put before that is seen
        by the check, and one put later schedules the next batch itself. The same holds after a
        stop, so a concurrent `ask` fails with `ActorDeadError`.
        """
        inbox = cast("EventLoopInbox", self.actor_inbox)
        inbox.begin_batch(batch_size)
        self._is_running = True
        try:
            self._actor_loop_running()
            self._fail_pending_asks()
        except queue.Empty:
            pass
        finally:
            self._is_running = self._is_scheduled = False
            if not inbox.empty():
                self._wake()

    def _fail_pending_asks(self) -> None:
        """Fail every `ask` that still waits for a reply, because the actor has stopped."""
        cast("EventLoopInbox", self.actor_inbox).begin_batch(sys.maxsize)
        self._actor_loop_teardown()


_shared_event_loops: list[EventLoop] = []
_lock = threading.Lock()


def start_shared_event_loop() -> EventLoop:
    """Return the loop of all actors that set none; its daemon thread starts at the first call."""
    with _lock:
        if not _shared_event_loops:
            event_loop = EventLoopThread()
            event_loop.start()
            _shared_event_loops.append(event_loop)
        return _shared_event_loops[0]
