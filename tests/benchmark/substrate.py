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
from messages.agents import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.base import Message
from tests.benchmark import bare, stock
from tests.benchmark.rows import Measure, Row
from tests.benchmark.sizes import ASKS, CROWD, MANY, TELLS

WAIT_S = 120.0


class Go(Message):
    """Begin, with so many."""

    type: Literal["go"] = "go"
    count: int


class Tick(Message):
    """Go one further."""

    type: Literal["tick"] = "tick"
    number: int = 0


class Watch:
    """A stop-watch that the actors' thread stops after so many calls."""

    def __init__(self, calls: int = 1) -> None:
        self._left = calls
        self._began_s = 0.0
        self._took_s = 0.0
        self._done = threading.Event()

    def begin(self) -> None:
        self._began_s = time.perf_counter()

    def stop(self) -> None:
        self._left -= 1
        if not self._left:
            self._took_s = time.perf_counter() - self._began_s
            self._done.set()

    def took_us(self, count: int) -> float:
        if not self._done.wait(WAIT_S):
            message = "it never came to its end"
            raise TimeoutError(message)
        return self._took_s / count * 1e6


@contextmanager
def running() -> Generator[ActorSystem]:
    system = ActorSystem()
    try:
        yield system
    finally:
        system.stop(WAIT_S)


# Tell.


class Counter(Actor[Tick]):
    def __init__(self, last: int, done: Callable[[], None]) -> None:
        self._last = last
        self._done = done

    def on_receive(self, message: Tick) -> None:
        if message.number == self._last:
            self._done()


class Teller(Actor[Go]):
    def __init__(self, to: Address) -> None:
        self._to = to

    def on_receive(self, message: Go) -> None:
        tick = Tick()
        for _ in range(message.count - 1):
            self.tell(self._to, tick)
        self.tell(self._to, Tick(number=message.count))


def tell() -> float:
    with running() as system:
        watch = Watch()
        counter = system.start(partial(Counter, TELLS, watch.stop))
        teller = system.start(partial(Teller, counter))
        watch.begin()
        system.tell(teller, Go(count=TELLS))
        return watch.took_us(TELLS)


# Request and correlated reply.


class Replier(Actor[Tick]):
    def on_receive(self, message: Tick) -> None:
        self.tell(self.sender, message)


class Requester(Actor[Go | Tick]):
    def __init__(self, of: Address, done: Callable[[], None]) -> None:
        self._of = of
        self._done = done

    def on_receive(self, message: Go | Tick) -> None:
        left = message.count if isinstance(message, Go) else message.number
        if left:
            self.tell(self._of, Tick(number=left - 1))
        else:
            self._done()


def ask() -> float:
    with running() as system:
        watch = Watch()
        requester = system.start(partial(Requester, system.start(Replier), watch.stop))
        watch.begin()
        system.tell(requester, Go(count=ASKS))
        return watch.took_us(ASKS)


# Start and stop many: each tells that it started, and its parent hears of its end.


class Idle(Actor[Tick]):
    def __init__(self, parent: Address) -> None:
        self._parent = parent

    def on_start(self) -> None:
        self.tell(self._parent, Tick())

    def on_receive(self, message: Tick) -> None:
        raise NotImplementedError


class Parent(Actor[Go | Tick | ChildEnded]):
    """Starts so many, and stops them when it is told to start none."""

    def __init__(self, started: Callable[[], None], ended: Callable[[], None]) -> None:
        self._started = started
        self._ended = ended
        self._children: list[Address] = []

    def on_receive(self, message: Go | Tick | ChildEnded) -> None:
        match message:
            case Go(count=0):
                for child in self._children:
                    self.stop(child, WAIT_S)
            case Go():
                make = partial(Idle, self.address)
                names = (f"idle-{number}" for number in range(message.count))
                self._children = [self.start(make, name) for name in names]
            case Tick():
                self._started()
            case ChildCompleted() | ChildCancelled() | ChildFailed():
                self._ended()


def crowd(count: int) -> tuple[float, float]:
    """Start so many and stop them; what each took, in microseconds an actor."""
    with running() as system:
        started, ended = Watch(count), Watch(count)
        parent = system.start(partial(Parent, started.stop, ended.stop))
        started.begin()
        system.tell(parent, Go(count=count))
        spawn_us = started.took_us(count)
        ended.begin()
        system.tell(parent, Go(count=0))
        return spawn_us, ended.took_us(count)


def uncollected(count: int) -> float:
    """Start and stop one of so many without the cyclic collector.

    It looks through all there is again and again while the heap grows: at 10,000 that doubles an
    actor's cost, and a bare task's as well. What is left shows whether we do more ourselves.
    """
    gc.disable()
    try:
        return sum(crowd(count))
    finally:
        gc.enable()


# Memory.


def memory() -> float:
    with running() as system:
        started = Watch(MANY)
        parent = system.start(partial(Parent, started.stop, lambda: None))
        started.begin()
        tracemalloc.start()
        system.tell(parent, Go(count=MANY))
        started.took_us(MANY)
        taken_bytes, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return taken_bytes / MANY / 1024


def _rows(
    name: str, what: str, reach: float, ours: Measure, limits: tuple[Measure, Measure]
) -> list[Row]:
    """Hold one thing against both."""
    tasks, threads = limits
    return [
        Row(name, what, "asyncio: a task and a queue each", reach, ours, tasks, one_thread=True),
        Row(f"{name}-stock", what, "stock pykka: a thread each", 1, ours, threads, rounds=3),
    ]


ROWS = (
    *_rows("tell", "one message", 3, tell, (bare.tell, stock.tell)),
    *_rows("ask", "request and correlated reply", 2, ask, (bare.ask, stock.ask)),
    *_rows(
        "spawn",
        f"start of one actor, of {MANY:,}",
        5,
        lambda: crowd(MANY)[0],
        (lambda: bare.crowd()[0], lambda: stock.crowd()[0]),
    ),
    *_rows(
        "stop",
        f"end of one actor, of {MANY:,}",
        8,
        lambda: crowd(MANY)[1],
        (lambda: bare.crowd()[1], lambda: stock.crowd()[1]),
    ),
    Row(
        "crowd",
        f"start and end of one actor, of {CROWD:,}, no garbage collected",
        f"the same, of {MANY:,}",
        2,
        lambda: uncollected(CROWD),
        lambda: uncollected(MANY),
        rounds=5,
        one_thread=True,
    ),
    Row(
        "crowd-tasks",
        f"start and end of one actor, of {CROWD:,}",
        "asyncio: a task and a queue each, as many",
        5,
        lambda: sum(crowd(CROWD)),
        lambda: sum(bare.crowd(CROWD)),
        rounds=5,
        one_thread=True,
    ),
    Row("memory", "an idle actor", "asyncio: a task and a queue", 1.9, memory, bare.memory, "KiB"),
    Row("memory-stock", "an idle actor", "stock pykka", 1, memory, stock.memory, "KiB", rounds=3),
)
