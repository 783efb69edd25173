"""Blocking calls of jobs (`asyncio.to_thread`), on threads that cannot delay the exit."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


class DaemonThreads(ThreadPoolExecutor):
    """Runs each blocking call on a daemon thread of its own.

    A pool's threads are joined at the interpreter's exit; one stuck call would hold it for ever.
    """

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Start `fn` at once."""
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except StopIteration as error:  # no future of asyncio's takes one: the job would hang
                future.set_exception(_spoken_of(error))
            except BaseException as error:  # noqa: BLE001  (it belongs to whoever awaits the future)
                future.set_exception(error)

        threading.Thread(target=run, name="greenroom-blocking", daemon=True).start()
        return future


def _spoken_of(error: StopIteration) -> RuntimeError:
    """Say it as Python does of a coroutine that raises one."""
    spoken = RuntimeError(f"a blocking call raised {type(error).__name__}")
    spoken.__cause__ = error
    return spoken
