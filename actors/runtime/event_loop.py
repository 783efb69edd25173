"""The event loop that runs the loop actors and all jobs, and its thread."""

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
"""Loop iterations in which the remaining tasks may clean up when the loop ends."""


class JobCrashError(Exception):
    """A job raised an exception that would have ended the event loop."""


class EventLoop:
    """Callbacks, timers and jobs on an asyncio loop, which the thread that created this runs.

    It is the only clock. On a loop with virtual time, all actors live in virtual time.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Use `loop`, which is not running yet."""
        self._loop = loop
        self._loop.set_exception_handler(_log_context)
        self._thread_id = threading.get_ident()
        self._pending_calls: deque[Callable[[], object]] = deque()
        """Calls from other threads that the loop has not scheduled yet."""
        self._is_wakeup_pending = False

    @property
    def thread_id(self) -> int:
        """The thread that runs the loop; 0: it is not running."""
        return self._thread_id

    def now_s(self) -> float:
        """Return the time of the loop's clock in seconds."""
        return self._loop.time()

    def is_current_thread(self) -> bool:
        """Return whether the caller is on the loop's thread."""
        return threading.get_ident() == self._thread_id

    def call_soon(self, call: Callable[[], object]) -> bool:
        """Schedule a call, from any thread; False: the loop has ended, and nothing happens."""
        try:
            if self.is_current_thread():
                self._loop.call_soon(call)
            else:
                self._call_soon_threadsafe(call)
        except RuntimeError:  # the loop is closed because the program is exiting
            return False
        return True

    def _call_soon_threadsafe(self, call: Callable[[], object]) -> None:
        """Wake the loop once for all pending calls, because each wakeup is a system call.

        A call added before `_schedule_pending` starts is scheduled by it. A call added later finds
        the flag cleared and wakes the loop again.
        """
        self._pending_calls.append(call)
        # A closed loop never clears the flag, and the caller must get its error.
        if not self._is_wakeup_pending or self._loop.is_closed():
            self._is_wakeup_pending = True
            self._loop.call_soon_threadsafe(self._schedule_pending)

    def _schedule_pending(self) -> None:
        self._is_wakeup_pending = False
        while self._pending_calls:
            self._loop.call_soon(self._pending_calls.popleft())

    def run_on_loop(self, call: Callable[[], object]) -> bool:
        """Call immediately if on the loop's thread; otherwise schedule the call there, in order."""
        if self.is_current_thread():
            call()
            return True
        return self.call_soon(call)

    def call_at(self, when_s: float, call: Callable[[], object]) -> asyncio.TimerHandle:
        """Call at a time of the loop's clock; on the loop's thread only."""
        return self._loop.call_at(when_s, call)

    def create_task(self, job: Callable[[], Awaitable[T]], name: str) -> "asyncio.Task[T]":
        """Start a job as a task; on the loop's thread only."""
        return self._loop.create_task(_run_job(job, name), name=name)


class EventLoopThread(EventLoop):
    """An asyncio loop on its own daemon thread. No exception from a job ends it."""

    def __init__(self) -> None:
        """Create the loop; `start` runs it."""
        super().__init__(asyncio.new_event_loop())
        self._loop.set_default_executor(DaemonThreadExecutor())
        self._thread = threading.Thread(target=self._run, name="greenroom-loop", daemon=True)
        self._thread_id = 0
        self._is_stopping = False

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, timeout_s: float = 0.25) -> None:
        """Cancel the remaining tasks, stop the loop and wait for its thread."""
        self._is_stopping = True
        self.call_soon(self._loop.stop)
        self._thread.join(timeout_s)

    def _run(self) -> None:
        self._thread_id = threading.get_ident()
        asyncio.set_event_loop(self._loop)
        while not self._is_stopping:
            _log_exceptions(self._loop.run_forever)
        _log_exceptions(lambda: self._loop.run_until_complete(_cancel_remaining_tasks()))
        self._thread_id = 0  # the system may reuse the id of an ended thread
        self._loop.close()


class ResettableTimer:
    """One call at a time of the loop's clock; set, moved and cancelled from any one thread.

    A cancelled timer holds no reference, so an ended cell is freed before its deadline.
    """

    def __init__(self, event_loop: EventLoop, on_due: Callable[[], object]) -> None:
        """Create the timer without setting it."""
        self._event_loop = event_loop
        self._on_due = on_due
        self._handle: asyncio.TimerHandle | None = None

    def set(self, when_s: float) -> None:
        """Call at `when_s`, instead of any time set before."""
        self._event_loop.run_on_loop(partial(self._replace_handle, when_s))

    def cancel(self) -> None:
        """Cancel the call."""
        self._event_loop.run_on_loop(partial(self._replace_handle, None))

    def _replace_handle(self, when_s: float | None) -> None:
        if self._handle is not None:
            self._handle.cancel()
        self._handle = None if when_s is None else self._event_loop.call_at(when_s, self._on_due)


async def _cancel_remaining_tasks() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    for _ in range(MAX_CLEANUP_ITERATIONS):  # a task may ignore its cancellation
        if all(task.done() for task in tasks):
            break
        await asyncio.sleep(0)
    await asyncio.get_running_loop().shutdown_asyncgens()


def _log_exceptions(call: Callable[[], object]) -> None:
    try:
        call()
    except BaseException:  # one job's subtask must not end all actors
        log.exception("a task started by a job stopped the event loop; the loop is restarted")


def _log_context(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    log.error("event loop: %s", context["message"], exc_info=context.get("exception"))


async def _run_job(job: Callable[[], Awaitable[T]], name: str) -> T:  # noqa: ARG001  (the watchdog reads it)
    try:
        return await job()
    except (SystemExit, KeyboardInterrupt) as error:
        raise JobCrashError(describe_error(error)) from error


JOB_WRAPPER_CODE = _run_job.__code__
"""Identifies a running job in a stack; the frame's local `name` is the job's name."""


def describe_error(error: BaseException) -> str:
    """Return type and text of an exception, the same in every run."""
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001  (a feature's own `__str__`, called where nothing may raise)
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
