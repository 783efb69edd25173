"""Daemon threads for blocking calls (`asyncio.to_thread`), which cannot delay the exit."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
CallQueue = SimpleQueue[Callable[[], None] | None]
"""The next call of a thread; None ends the thread."""
MAX_IDLE_THREADS = 4
"""Threads kept for the next call; starting one takes longer than most calls."""


class DaemonThreadExecutor(ThreadPoolExecutor):  # asyncio accepts no other base
    """Runs each call immediately, on an idle daemon thread or a new one.

    The interpreter joins the threads of a standard pool at exit, so one stuck call would block
    the exit forever.
    """

    def __init__(self) -> None:
        """Start with no threads."""
        super().__init__()
        self._idle: list[CallQueue] = []
        """The queues of the idle threads."""
        self._is_closed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Start `fn` immediately."""
        future: Future[T] = Future()
        call = partial(_run_call, future, partial(fn, *args, **kwargs))
        try:  # no check before: another thread may take the last one in between
            self._idle.pop().put(call)
        except IndexError:
            calls: CallQueue = SimpleQueue()
            calls.put(call)
            serve = partial(self._serve, calls)
            threading.Thread(target=serve, name="greenroom-blocking", daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002  (as inherited)
        """Let every thread end after its current call; never wait for one."""
        self._is_closed = True
        self._end_idle_threads()

    def _serve(self, calls: CallQueue) -> None:
        while call := calls.get():
            call()
            del call  # its arguments must not stay alive until the next call
            if len(self._idle) >= MAX_IDLE_THREADS:
                return
            self._idle.append(calls)
            if self._is_closed:  # `shutdown` may have run before this thread was idle
                self._end_idle_threads()

    def _end_idle_threads(self) -> None:
        while self._idle:
            try:
                self._idle.pop().put(None)
            except IndexError:  # another thread took the last one after the check
                return


def _run_call(future: "Future[T]", call: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(call())
    except StopIteration as error:  # an asyncio future rejects it, and the job would hang
        future.set_exception(_to_runtime_error(error))
    except BaseException as error:  # noqa: BLE001  (it belongs to the code that awaits the future)
        future.set_exception(error)


def _to_runtime_error(error: StopIteration) -> RuntimeError:
    """Convert it as Python does when a coroutine raises `StopIteration`."""
    runtime_error = RuntimeError(f"a blocking call raised {type(error).__name__}")
    runtime_error.__cause__ = error
    return runtime_error
