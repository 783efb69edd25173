"""The one event loop that carries the loop actors and all their work."""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

from actors.runtime.daemon_executor import DaemonThreadExecutor

T = TypeVar("T")

log = logging.getLogger("greenroom.runtime")

MAX_CLEANUP_ITERATIONS = 16
"""Turns of the loop in which tasks that nobody waits for may clean up at its end."""


class JobCrashError(Exception):  # noqa: N818  (named for what happened)
    """A job raised what would have ended the event loop."""


class EventLoop:
    """Turns, timers and work on an asyncio loop that is run by whoever made this, on that thread.

    It is the only clock: with a loop of virtual time, time is virtual everywhere.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Use `loop`, which is not running yet."""
        self._loop = loop
        self._loop.set_exception_handler(_log_context)
        self._thread_id = threading.get_ident()
        self._from_outside: deque[Callable[[], object]] = deque()
        """What other threads want called, until the loop has been woken."""
        self._is_woken = False

    @property
    def thread_id(self) -> int:
        """The thread that the loop runs on; 0: it does not."""
        return self._thread_id

    def now_s(self) -> float:
        """The loop's clock, in seconds."""
        return self._loop.time()

    def is_current_thread(self) -> bool:
        """Whether the caller is on the loop's thread."""
        return threading.get_ident() == self._thread_id

    def call_soon(self, call: Callable[[], object]) -> bool:
        """Schedule a call, from any thread; False: the loop has ended, and nothing happens."""
        try:
            if self.is_current_thread():
                self._loop.call_soon(call)
            else:
                self._wake_for(call)
        except RuntimeError:  # the loop is closed: the program is past its end
            return False
        return True

    def _wake_for(self, call: Callable[[], object]) -> None:
        """Wake the loop once for all that is there by then: each time takes a system call.

        What is added before `_let_in` looks is taken with it; what comes later finds the mark gone.
        """
        self._from_outside.append(call)
        if not self._is_woken or self._loop.is_closed():
            self._is_woken = True
            self._loop.call_soon_threadsafe(self._let_in)

    def _let_in(self) -> None:
        self._is_woken = False
        while self._from_outside:
            self._loop.call_soon(self._from_outside.popleft())

    def run_on_loop(self, call: Callable[[], object]) -> bool:
        """Call at once on the loop's thread, else schedule it there, in order."""
        if self.is_current_thread():
            call()
            return True
        return self.call_soon(call)

    def call_at(self, when_s: float, call: Callable[[], object]) -> asyncio.TimerHandle:
        """Call at a time of the loop's clock; on the loop's thread only."""
        return self._loop.call_at(when_s, call)

    def create_task(self, job: Callable[[], Awaitable[T]], name: str) -> "asyncio.Task[T]":
        """Start a job as a task; on the loop's thread only."""
        return self._loop.create_task(_contained(job, name), name=name)


class EventLoopThread(EventLoop):
    """An asyncio loop on a daemon thread of its own, which survives whatever a job raises."""

    def __init__(self) -> None:
        """Make the loop; `start` runs it."""
        super().__init__(asyncio.new_event_loop())
        self._loop.set_default_executor(DaemonThreadExecutor())
        self._thread = threading.Thread(target=self._run, name="greenroom-loop", daemon=True)
        self._thread_id = 0
        self._stopping = False

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, timeout_s: float = 0.25) -> None:
        """Cancel what is left, stop the loop and wait for its thread."""
        self._stopping = True
        self.call_soon(self._loop.stop)
        self._thread.join(timeout_s)

    def _run(self) -> None:
        self._thread_id = threading.get_ident()
        asyncio.set_event_loop(self._loop)
        while not self._stopping:
            _survive(self._loop.run_forever)
        _survive(lambda: self._loop.run_until_complete(_end_rest()))
        self._thread_id = 0  # the system gives the number of an ended thread to a later one
        self._loop.close()


class ResettableTimer:
    """One call at a time of the loop's clock; set, moved and cancelled from any one thread.

    A cancelled alarm holds on to nothing, so that an ended cell does not live until its deadline.
    """

    def __init__(self, event_loop: EventLoop, on_due: Callable[[], object]) -> None:
        """Set nothing yet."""
        self._event_loop = event_loop
        self._ring = on_due
        self._handle: asyncio.TimerHandle | None = None

    def set(self, when_s: float) -> None:
        """Ring at `when_s` and at no other time."""
        self._event_loop.run_on_loop(partial(self._move, when_s))

    def cancel(self) -> None:
        """Do not ring."""
        self._event_loop.run_on_loop(partial(self._move, None))

    def _move(self, when_s: float | None) -> None:
        if self._handle is not None:
            self._handle.cancel()
        self._handle = None if when_s is None else self._event_loop.call_at(when_s, self._ring)


async def _end_rest() -> None:
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    for _ in range(MAX_CLEANUP_ITERATIONS):
        if all(task.done() for task in rest):
            break
        await asyncio.sleep(0)
    await asyncio.get_running_loop().shutdown_asyncgens()


def _survive(call: Callable[[], object]) -> None:
    try:
        call()
    except BaseException:  # one job's sub-task must not end all actors
        log.exception("a task that a job started ended the event loop; it goes on")


def _log_context(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    log.error("event loop: %s", context["message"], exc_info=context.get("exception"))


async def _contained(job: Callable[[], Awaitable[T]], name: str) -> T:  # noqa: ARG001  (the watchdog reads it)
    try:
        return await job()
    except (SystemExit, KeyboardInterrupt) as error:
        raise JobCrashError(describe_error(error)) from error


JOB_WRAPPER_CODE = _contained.__code__
"""By it a stack shows whose job runs: its `name`."""


def describe_error(error: BaseException) -> str:
    """Type and text of an exception, the same in every run."""
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001  (a feature's own `__str__`, called where nothing may raise)
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
