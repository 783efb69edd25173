"""Blocking calls of jobs (`asyncio.to_thread`), on threads that cannot delay the exit."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
CallQueue = SimpleQueue[Callable[[], None] | None]
"""What a thread is to do next; None: to end."""
MAX_IDLE_THREADS = 4
"""Threads that wait for a next call; to start one takes longer than most calls do."""


class DaemonThreadExecutor(ThreadPoolExecutor):
    """Runs each blocking call at once: on a daemon thread that is idle, else on a new one.

    A pool's threads are joined at the interpreter's exit; one stuck call would hold it for ever.
    """

    def __init__(self) -> None:
        """Begin without a thread."""
        super().__init__()
        self._idle: list[CallQueue] = []
        """Of threads that wait for a call."""
        self._closed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Start `fn` at once."""
        future: Future[T] = Future()
        call = partial(_settle, future, partial(fn, *args, **kwargs))
        try:
            self._idle.pop().put(call)
        except IndexError:
            inbox: CallQueue = SimpleQueue()
            inbox.put(call)
            serve = partial(self._serve, inbox)
            threading.Thread(target=serve, name="greenroom-blocking", daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002  (as inherited)
        """Let every thread end with the call it has; nobody waits for one."""
        self._closed = True
        self._send_home()

    def _serve(self, inbox: CallQueue) -> None:
        while call := inbox.get():
            call()
            del call  # what it holds must not live until the next
            if len(self._idle) >= MAX_IDLE_THREADS:
                return
            self._idle.append(inbox)
            if self._closed:  # perhaps after it was looked who is idle
                self._send_home()

    def _send_home(self) -> None:
        while self._idle:
            try:
                self._idle.pop().put(None)
            except IndexError:  # another thread took it between look and grasp
                return


def _settle(future: "Future[T]", call: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(call())
    except StopIteration as error:  # no future of asyncio's takes one: the job would hang
        future.set_exception(_spoken_of(error))
    except BaseException as error:  # noqa: BLE001  (it belongs to whoever awaits the future)
        future.set_exception(error)


def _spoken_of(error: StopIteration) -> RuntimeError:
    """Say it as Python does of a coroutine that raises one."""
    spoken = RuntimeError(f"a blocking call raised {type(error).__name__}")
    spoken.__cause__ = error
    return spoken
