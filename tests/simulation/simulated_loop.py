"""An asyncio event loop with virtual time that runs a seeded random ready callback."""

import asyncio
import heapq
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
from contextlib import contextmanager
from contextvars import Context, copy_context
from random import Random
from typing import Any, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MAX_LAG_S = 0.05
"""How far timers may fire ahead of callbacks that are ready, as on a busy machine."""


def make_random(seed: int, use: str) -> Random:
    """Return a random generator that is independent of other uses of the seed."""
    return Random(f"{seed} {use}")  # noqa: S311  (must be reproducible)


class SimulatedLoop(asyncio.AbstractEventLoop):
    """Runs asyncio code unchanged: sleeps, timeouts, events, `gather`, `to_thread`, cancellation.

    It uses asyncio's public names only, except the two functions that set the running loop.
    """

    def __init__(self, random: Random, lag_chance: float = 0.0) -> None:
        self._random = random
        self._lag_chance = lag_chance
        self._now_s = 0.0
        self._ready: list[tuple[asyncio.Handle, Callable[..., object], Any, Context]] = []
        self._timers: list[
            tuple[float, int, asyncio.TimerHandle, Callable[..., object], Any, Context]
        ] = []
        self._timer_count = 0
        self._closed = False
        self.steps = 0
        self.unhandled_errors: list[dict[str, Any]] = []
        """Contexts of exceptions in callbacks, which asyncio would log."""

    # Called by asyncio.

    def time(self) -> float:
        return self._now_s

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        self._require_open()
        context = context or copy_context()
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append((handle, callback, args, context))
        return handle

    def call_soon_threadsafe(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        return self.call_soon(callback, *args, context=context)

    def call_later(
        self,
        delay: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        return self.call_at(self._now_s + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        self._require_open()
        context = context or copy_context()
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._timer_count += 1
        heapq.heappush(self._timers, (when, self._timer_count, handle, callback, args, context))
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Ignore it; a cancelled timer is skipped when it is due."""

    def create_future(self) -> "asyncio.Future[Any]":
        return asyncio.Future(loop=self)

    def create_task(
        self,
        coro: Coroutine[Any, Any, T] | Generator[Any, None, T],
        *,
        name: str | None = None,
        context: Context | None = None,
    ) -> "asyncio.Task[T]":
        return asyncio.Task(coro, loop=self, name=name, context=context)

    def run_in_executor(
        self,
        executor: object,  # noqa: ARG002  (there are no threads here)
        func: Callable[[*Ts], T],
        *args: *Ts,
    ) -> "asyncio.Future[T]":
        """Run a blocking function inline, at a random time."""
        future: asyncio.Future[T] = self.create_future()

        def run() -> None:
            try:
                result = func(*args)
            except BaseException as error:  # noqa: BLE001  (raised where the future is awaited)
                if not future.cancelled():
                    future.set_exception(error)
            else:
                if not future.cancelled():  # a real thread would have continued, too
                    future.set_result(result)

        self.call_later(self._random.choice((0.0, 0.0, 0.01, 0.1)), run)
        return future

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return not self._closed

    def is_closed(self) -> bool:
        return self._closed

    def set_exception_handler(self, handler: object) -> None:
        """Ignore it; tests read `unhandled_errors`."""

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self.unhandled_errors.append(context)

    # Called by the simulation.

    def close(self) -> None:
        self._closed = True
        self._ready.clear()
        self._timers.clear()

    def run(self, until: Callable[[], bool], before_s: float = float("inf")) -> bool:
        """Step until `until` is true; return False if nothing is left to do before `before_s`."""
        with self._as_running_loop():
            while not until():
                if not self._step(before_s):
                    return False
        return True

    def _step(self, before_s: float) -> bool:
        ready = self._ready
        if not ready or (self._lag_chance and self._random.random() < self._lag_chance):
            self._advance(before_s if not ready else min(before_s, self._now_s + MAX_LAG_S))
        if not ready:
            return False
        index = int(self._random.random() * len(ready))
        chosen, ready[index] = ready[index], ready[-1]
        ready.pop()
        handle, callback, args, context = chosen
        if not handle.cancelled():
            self.steps += 1
            self._call(callback, args, context)
        return True

    def _call(self, callback: Callable[..., object], args: Any, context: Context) -> None:  # noqa: ANN401  (as in asyncio)
        try:
            context.run(callback, *args)
        except BaseException as error:  # noqa: BLE001  (as the runtime's loop, which continues)
            self.call_exception_handler({"message": "a callback raised", "exception": error})

    def _advance(self, before_s: float) -> None:
        """Move the clock to the next timer, and make all timers due then ready."""
        timers = self._timers
        while timers and timers[0][2].cancelled():
            heapq.heappop(timers)
        if not timers or timers[0][0] > before_s:
            return
        self._now_s = max(self._now_s, timers[0][0])
        while timers and timers[0][0] <= self._now_s:
            _, _, handle, callback, args, context = heapq.heappop(timers)
            self._ready.append((handle, callback, args, context))

    def _require_open(self) -> None:
        if self._closed:
            message = "the loop is closed"
            raise RuntimeError(message)

    @contextmanager
    def _as_running_loop(self) -> Generator[None]:
        before = asyncio._get_running_loop()  # noqa: SLF001
        hooks = sys.get_asyncgen_hooks()
        asyncio._set_running_loop(self)  # noqa: SLF001  (the only way to run another loop)
        sys.set_asyncgen_hooks(firstiter=None, finalizer=self._finalize)
        try:
            yield
        finally:
            asyncio._set_running_loop(before)  # noqa: SLF001
            sys.set_asyncgen_hooks(*hooks)

    def _finalize(self, generator: AsyncGenerator[Any, Any]) -> None:
        if not self._closed:
            self.create_task(_close(generator))


def make_simulated_loop(random: Random, lag_chance: float = 0.0) -> SimulatedLoop:
    """Return a loop; what it lacks (sockets, signals, subprocesses) raises when used."""
    return SimulatedLoop(random, lag_chance)  # type: ignore[abstract]  # see the docstring


def run_on_simulated_loop(job: Awaitable[T], seed: int = 1) -> T:
    """Run a job to its end on a new loop and return its result."""
    loop = make_simulated_loop(make_random(seed, "loop"), lag_chance=0.1)
    task = loop.create_task(_await_job(job))
    assert loop.run(task.done), "the job never ends"
    assert loop.unhandled_errors == []
    loop.close()
    return task.result()


def run_on_asyncio(job: Awaitable[T]) -> T:
    """Run a job to its end on asyncio's own loop and return its result."""
    return asyncio.run(_await_job(job))


async def _await_job(job: Awaitable[T]) -> T:
    return await job


async def _close(generator: AsyncGenerator[Any, Any]) -> None:
    await generator.aclose()
