"""What the runtime needs for a message and an actor; held against `bare` and `stock`."""

import gc
import threading
import time
import tracemalloc
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Literal

from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from messages.address import Address
from messages.base import Message
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from tests.benchmark import asyncio_baseline, pykka_baseline
from tests.benchmark.benchmark_row import BenchmarkRow, Measurement
from tests.benchmark.workload_sizes import ACTOR_COUNT, ASK_COUNT, LARGE_ACTOR_COUNT, TELL_COUNT

WAIT_S = 120.0


class StartBatch(Message):
    """Begin, with so many."""

    type: Literal["go"] = "go"
    count: int


class Tick(Message):
    """Go one further."""

    type: Literal["tick"] = "tick"
    number: int = 0


class Stopwatch:
    """A stop-watch that the actors' thread stops after so many calls."""

    def __init__(self, calls: int = 1) -> None:
        self._left = calls
        self._began_s = 0.0
        self._took_s = 0.0
        self._done = threading.Event()

    def start(self) -> None:
        self._began_s = time.perf_counter()

    def stop(self) -> None:
        self._left -= 1
        if not self._left:
            self._took_s = time.perf_counter() - self._began_s
            self._done.set()

    def elapsed_us(self, count: int) -> float:
        if not self._done.wait(WAIT_S):
            message = "it never came to its end"
            raise TimeoutError(message)
        return self._took_s / count * 1e6


@contextmanager
def run_system() -> Generator[ActorSystem]:
    system = ActorSystem()
    try:
        yield system
    finally:
        system.stop(WAIT_S)


# Tell.


class TickCounter(Actor[Tick]):
    def __init__(self, last: int, done: Callable[[], None]) -> None:
        self._last = last
        self._done = done

    def on_receive(self, message: Tick) -> None:
        if message.number == self._last:
            self._done()


class TickSender(Actor[StartBatch]):
    def __init__(self, receiver: Address) -> None:
        self._to = receiver

    def on_receive(self, message: StartBatch) -> None:
        tick = Tick()
        for _ in range(message.count - 1):
            self.tell(self._to, tick)
        self.tell(self._to, Tick(number=message.count))


def tell_us() -> float:
    with run_system() as system:
        watch = Stopwatch()
        counter = system.start(partial(TickCounter, TELL_COUNT, watch.stop))
        teller = system.start(partial(TickSender, counter))
        watch.start()
        system.tell(teller, StartBatch(count=TELL_COUNT))
        return watch.elapsed_us(TELL_COUNT)


# Request and correlated reply.


class Replier(Actor[Tick]):
    def on_receive(self, message: Tick) -> None:
        self.tell(self.sender, message)


class Requester(Actor[StartBatch | Tick]):
    def __init__(self, replier: Address, done: Callable[[], None]) -> None:
        self._of = replier
        self._done = done

    def on_receive(self, message: StartBatch | Tick) -> None:
        left = message.count if isinstance(message, StartBatch) else message.number
        if left:
            self.tell(self._of, Tick(number=left - 1))
        else:
            self._done()


def ask_us() -> float:
    with run_system() as system:
        watch = Stopwatch()
        requester = system.start(partial(Requester, system.start(Replier), watch.stop))
        watch.start()
        system.tell(requester, StartBatch(count=ASK_COUNT))
        return watch.elapsed_us(ASK_COUNT)


# Start and stop many: each tells that it started, and its parent hears of its end.


class IdleActor(Actor[Tick]):
    def __init__(self, parent: Address) -> None:
        self._parent = parent

    def on_start(self) -> None:
        self.tell(self._parent, Tick())

    def on_receive(self, message: Tick) -> None:
        raise NotImplementedError


class IdleActorParent(Actor[StartBatch | Tick | ChildEnded]):
    """Starts so many, and stops them when it is told to start none."""

    def __init__(self, started: Callable[[], None], ended: Callable[[], None]) -> None:
        self._started = started
        self._ended = ended
        self._children: list[Address] = []

    def on_receive(self, message: StartBatch | Tick | ChildEnded) -> None:
        match message:
            case StartBatch(count=0):
                for child in self._children:
                    self.stop(child, WAIT_S)
            case StartBatch():
                make = partial(IdleActor, self.address)
                names = (f"idle-{number}" for number in range(message.count))
                self._children = [self.start(make, name) for name in names]
            case Tick():
                self._started()
            case ChildCompleted() | ChildCancelled() | ChildFailed():
                self._ended()


def start_and_stop_us(count: int) -> tuple[float, float]:
    """Start so many and stop them; what each took, in microseconds an actor."""
    with run_system() as system:
        started, ended = Stopwatch(count), Stopwatch(count)
        parent = system.start(partial(IdleActorParent, started.stop, ended.stop))
        started.start()
        system.tell(parent, StartBatch(count=count))
        spawn_us = started.elapsed_us(count)
        ended.start()
        system.tell(parent, StartBatch(count=0))
        return spawn_us, ended.elapsed_us(count)


def start_and_stop_without_gc_us(count: int) -> float:
    """Start and stop one of so many without the cyclic collector.

    It looks through all there is again and again while the heap grows: at 10,000 that doubles an
    actor's cost, and a bare task's as well. What is left shows whether we do more ourselves.
    """
    gc.disable()
    try:
        return sum(start_and_stop_us(count))
    finally:
        gc.enable()


# Memory.


def memory_kib() -> float:
    with run_system() as system:
        started = Stopwatch(ACTOR_COUNT)
        parent = system.start(partial(IdleActorParent, started.stop, lambda: None))
        started.start()
        tracemalloc.start()
        system.tell(parent, StartBatch(count=ACTOR_COUNT))
        started.elapsed_us(ACTOR_COUNT)
        taken_bytes, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return taken_bytes / ACTOR_COUNT / 1024


def _rows(
    name: str, what: str, reach: float, ours: Measurement, limits: tuple[Measurement, Measurement]
) -> list[BenchmarkRow]:
    """Hold one thing against both."""
    tasks, threads = limits
    return [
        BenchmarkRow(
            name,
            what,
            "asyncio: a task and a queue each",
            reach,
            ours,
            tasks,
            is_single_threaded=True,
        ),
        BenchmarkRow(
            f"{name}-stock", what, "stock pykka: a thread each", 1, ours, threads, rounds=3
        ),
    ]


ROWS = (
    *_rows("tell", "one message", 3, tell_us, (asyncio_baseline.tell_us, pykka_baseline.tell_us)),
    *_rows(
        "ask",
        "request and correlated reply",
        2,
        ask_us,
        (asyncio_baseline.ask_us, pykka_baseline.ask_us),
    ),
    *_rows(
        "spawn",
        f"start of one actor, of {ACTOR_COUNT:,}",
        5,
        lambda: start_and_stop_us(ACTOR_COUNT)[0],
        (
            lambda: asyncio_baseline.start_and_cancel_us()[0],
            lambda: pykka_baseline.start_and_stop_us()[0],
        ),
    ),
    *_rows(
        "stop",
        f"end of one actor, of {ACTOR_COUNT:,}",
        8,
        lambda: start_and_stop_us(ACTOR_COUNT)[1],
        (
            lambda: asyncio_baseline.start_and_cancel_us()[1],
            lambda: pykka_baseline.start_and_stop_us()[1],
        ),
    ),
    BenchmarkRow(
        "crowd",
        f"start and end of one actor, of {LARGE_ACTOR_COUNT:,}, no garbage collected",
        f"the same, of {ACTOR_COUNT:,}",
        2,
        lambda: start_and_stop_without_gc_us(LARGE_ACTOR_COUNT),
        lambda: start_and_stop_without_gc_us(ACTOR_COUNT),
        rounds=5,
        is_single_threaded=True,
    ),
    BenchmarkRow(
        "crowd-tasks",
        f"start and end of one actor, of {LARGE_ACTOR_COUNT:,}",
        "asyncio: a task and a queue each, as many",
        5,
        lambda: sum(start_and_stop_us(LARGE_ACTOR_COUNT)),
        lambda: sum(asyncio_baseline.start_and_cancel_us(LARGE_ACTOR_COUNT)),
        rounds=5,
        is_single_threaded=True,
    ),
    BenchmarkRow(
        "memory",
        "an idle actor",
        "asyncio: a task and a queue",
        1.9,
        memory_kib,
        asyncio_baseline.memory_kib,
        "KiB",
    ),
    BenchmarkRow(
        "memory-stock",
        "an idle actor",
        "stock pykka",
        1,
        memory_kib,
        pykka_baseline.memory_kib,
        "KiB",
        rounds=3,
    ),
)
