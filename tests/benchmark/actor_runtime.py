"""Cost of messages and actors in the runtime, compared with asyncio and pykka."""

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
    """Start the benchmark with this many actors or messages."""

    type: Literal["start_batch"] = "start_batch"
    count: int


class Tick(Message):
    """A numbered message."""

    type: Literal["tick"] = "tick"
    number: int = 0


class Stopwatch:
    """A stopwatch that stops after a number of calls from any thread."""

    def __init__(self, calls: int = 1) -> None:
        self._remaining_calls = calls
        self._started_s = 0.0
        self._elapsed_s = 0.0
        self._done = threading.Event()

    def start(self) -> None:
        self._started_s = time.perf_counter()

    def stop(self) -> None:
        self._remaining_calls -= 1
        if not self._remaining_calls:
            self._elapsed_s = time.perf_counter() - self._started_s
            self._done.set()

    def elapsed_us(self, count: int) -> float:
        if not self._done.wait(WAIT_S):
            message = "the benchmark did not end in time"
            raise TimeoutError(message)
        return self._elapsed_s / count * 1e6


@contextmanager
def run_system() -> Generator[ActorSystem]:
    system = ActorSystem()
    try:
        yield system
    finally:
        system.stop(WAIT_S)


# Tell.


class TickCounter(Actor[Tick]):
    def __init__(self, last: int, on_last: Callable[[], None]) -> None:
        self._last = last
        self._on_last = on_last

    def on_receive(self, message: Tick) -> None:
        if message.number == self._last:
            self._on_last()


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
        sender = system.start(partial(TickSender, counter))
        watch.start()
        system.tell(sender, StartBatch(count=TELL_COUNT))
        return watch.elapsed_us(TELL_COUNT)


# Request and reply.


class Replier(Actor[Tick]):
    def on_receive(self, message: Tick) -> None:
        self.tell(self.sender, message)


class Requester(Actor[StartBatch | Tick]):
    def __init__(self, replier: Address, on_last: Callable[[], None]) -> None:
        self._replier = replier
        self._on_last = on_last

    def on_receive(self, message: StartBatch | Tick) -> None:
        remaining = message.count if isinstance(message, StartBatch) else message.number
        if remaining:
            self.tell(self._replier, Tick(number=remaining - 1))
        else:
            self._on_last()


def ask_us() -> float:
    with run_system() as system:
        watch = Stopwatch()
        requester = system.start(partial(Requester, system.start(Replier), watch.stop))
        watch.start()
        system.tell(requester, StartBatch(count=ASK_COUNT))
        return watch.elapsed_us(ASK_COUNT)


# Start and stop: each actor reports that it started, and its parent receives its end.


class IdleActor(Actor[Tick]):
    def __init__(self, parent: Address) -> None:
        self._parent = parent

    def on_start(self) -> None:
        self.tell(self._parent, Tick())

    def on_receive(self, message: Tick) -> None:
        raise NotImplementedError


class IdleActorParent(Actor[StartBatch | Tick | ChildEnded]):
    """Starts a batch of actors; a batch of zero stops them."""

    def __init__(self, on_started: Callable[[], None], on_ended: Callable[[], None]) -> None:
        self._on_started = on_started
        self._on_ended = on_ended
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
                self._on_started()
            case ChildCompleted() | ChildCancelled() | ChildFailed():
                self._on_ended()


def start_and_stop_us(count: int) -> tuple[float, float]:
    """Return the microseconds per actor to start a number of actors and to stop them."""
    with run_system() as system:
        started, ended = Stopwatch(count), Stopwatch(count)
        parent = system.start(partial(IdleActorParent, started.stop, ended.stop))
        started.start()
        system.tell(parent, StartBatch(count=count))
        start_us = started.elapsed_us(count)
        ended.start()
        system.tell(parent, StartBatch(count=0))
        return start_us, ended.elapsed_us(count)


def start_and_stop_without_gc_us(count: int) -> float:
    """Return the microseconds per actor to start and stop it, without garbage collection.

    The collector scans the growing heap again and again. With 10,000 actors that doubles the cost
    of an actor, and of an asyncio task as well.
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
        used_bytes, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return used_bytes / ACTOR_COUNT / 1024


def _rows(
    name: str,
    description: str,
    target: float,
    ours: Measurement,
    baselines: tuple[Measurement, Measurement],
) -> list[BenchmarkRow]:
    """Return the rows that compare one measurement with asyncio and with pykka."""
    measure_asyncio, measure_pykka = baselines
    return [
        BenchmarkRow(
            name,
            description,
            "asyncio: a task and a queue per actor",
            target,
            ours,
            measure_asyncio,
            is_single_threaded=True,
        ),
        BenchmarkRow(
            f"{name}-pykka",
            description,
            "pykka: a thread per actor",
            1,
            ours,
            measure_pykka,
            rounds=3,
        ),
    ]


ROWS = (
    *_rows("tell", "one message", 3, tell_us, (asyncio_baseline.tell_us, pykka_baseline.tell_us)),
    *_rows(
        "ask",
        "request and reply",
        2,
        ask_us,
        (asyncio_baseline.ask_us, pykka_baseline.ask_us),
    ),
    *_rows(
        "start",
        f"start of one actor among {ACTOR_COUNT:,}",
        5,
        lambda: start_and_stop_us(ACTOR_COUNT)[0],
        (
            lambda: asyncio_baseline.start_and_cancel_us()[0],
            lambda: pykka_baseline.start_and_stop_us()[0],
        ),
    ),
    *_rows(
        "stop",
        f"stop of one actor among {ACTOR_COUNT:,}",
        8,
        lambda: start_and_stop_us(ACTOR_COUNT)[1],
        (
            lambda: asyncio_baseline.start_and_cancel_us()[1],
            lambda: pykka_baseline.start_and_stop_us()[1],
        ),
    ),
    BenchmarkRow(
        "many-actors",
        f"start and stop of one actor among {LARGE_ACTOR_COUNT:,}, without garbage collection",
        f"the same among {ACTOR_COUNT:,}",
        2,
        lambda: start_and_stop_without_gc_us(LARGE_ACTOR_COUNT),
        lambda: start_and_stop_without_gc_us(ACTOR_COUNT),
        rounds=5,
        is_single_threaded=True,
    ),
    BenchmarkRow(
        "many-actors-asyncio",
        f"start and stop of one actor among {LARGE_ACTOR_COUNT:,}",
        "asyncio: a task and a queue per actor",
        5,
        lambda: sum(start_and_stop_us(LARGE_ACTOR_COUNT)),
        lambda: sum(asyncio_baseline.start_and_cancel_us(LARGE_ACTOR_COUNT)),
        rounds=5,
        is_single_threaded=True,
    ),
    BenchmarkRow(
        "actor-memory",
        "memory of an idle actor",
        "asyncio: a task and a queue",
        1.9,
        memory_kib,
        asyncio_baseline.memory_kib,
        "KiB",
    ),
    BenchmarkRow(
        "actor-memory-pykka",
        "memory of an idle actor",
        "pykka",
        1,
        memory_kib,
        pykka_baseline.memory_kib,
        "KiB",
        rounds=3,
    ),
)
