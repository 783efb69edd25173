"""The one event loop that carries the loop actors and all their work, on a thread of its own."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")

log = logging.getLogger("greenroom.runtime")


class JobCrash(Exception):  # noqa: N818  (named for what happened)
    """A job raised what would have ended the event loop."""


class DaemonThreads(ThreadPoolExecutor):
    """Runs each blocking call on a daemon thread of its own, so that none can delay the exit."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Start `fn` at once."""
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001  (it belongs to whoever awaits the future)
                future.set_exception(error)

        threading.Thread(target=run, name="greenroom-blocking", daemon=True).start()
        return future


class EventLoop:
    """An asyncio loop on a daemon thread, which survives whatever a job raises."""

    def __init__(self) -> None:
        """Make the loop; `start` runs it."""
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(DaemonThreads())
        self._thread = threading.Thread(target=self._run, name="greenroom-loop", daemon=True)
        self._thread_id = 0
        self._stopping = False

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def now(self) -> float:
        """The loop's clock, in seconds."""
        return self._loop.time()

    def here(self) -> bool:
        """Whether the caller is on the loop's thread."""
        return threading.get_ident() == self._thread_id

    def soon(self, call: Callable[[], object]) -> None:
        """Schedule a call, from any thread; after the loop's end nothing happens."""
        if self.here():
            self._loop.call_soon(call)
            return
        try:
            self._loop.call_soon_threadsafe(call)
        except RuntimeError:  # the loop is closed: the program is past its end
            log.debug("a call came after the end of the event loop")

    def run(self, call: Callable[[], object]) -> None:
        """Call at once on the loop's thread, else schedule it there, in order."""
        if self.here():
            call()
        else:
            self.soon(call)

    def at(self, when_s: float, call: Callable[[], object]) -> None:
        """Call at a time of the loop's clock."""
        self.run(lambda: self._loop.call_at(when_s, call))

    def launch(self, job: Callable[[], Awaitable[T]], name: str) -> "asyncio.Task[T]":
        """Start a job as a task; on the loop's thread only."""
        return self._loop.create_task(_contained(job), name=name)

    def stop(self, timeout_s: float = 1.0) -> None:
        """Cancel what is left, stop the loop and wait for its thread."""
        self._stopping = True
        self.soon(self._cancel_rest)
        self._thread.join(timeout_s)

    def _cancel_rest(self) -> None:
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.call_soon(self._loop.stop)

    def _run(self) -> None:
        self._thread_id = threading.get_ident()
        asyncio.set_event_loop(self._loop)
        while not self._stopping:
            try:
                self._loop.run_forever()
            except BaseException as error:  # noqa: BLE001  (one job's sub-task must not end all actors)
                log.error("a task of a job raised %s", describe(error), exc_info=error)
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()


async def _contained(job: Callable[[], Awaitable[T]]) -> T:
    try:
        return await job()
    except (SystemExit, KeyboardInterrupt) as error:
        raise JobCrash(describe(error)) from error


def describe(error: BaseException) -> str:
    """Type and text of an exception, the same in every run."""
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__

