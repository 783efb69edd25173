"""The end of a whole tree of actors at work, held against `bare`."""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Literal

from actors.runtime.actor import Actor, Failure
from actors.runtime.system import ActorSystem
from messages.address import ROOT
from messages.agents import ChildEnded
from messages.base import Message
from tests.benchmark import bare
from tests.benchmark.rows import Row
from tests.benchmark.sizes import BREADTH, DEPTH, TREE
from tests.benchmark.substrate import WAIT_S, Watch


class Worked(Message):
    """A work's end."""

    type: Literal["worked"] = "worked"


class Branch(Actor[Worked | ChildEnded]):
    """Waits for something that never comes, with branches below it."""

    def __init__(self, depth: int, started: Callable[[], None]) -> None:
        self._depth = depth
        self._started = started

    def on_start(self) -> None:
        self.work(_never, _cancelled)
        for number in range(BREADTH if self._depth else 0):
            self.start(partial(Branch, self._depth - 1, self._started), f"branch-{number}")
        self._started()

    def on_receive(self, message: Worked | ChildEnded) -> None:
        pass


async def _never() -> Worked:
    await asyncio.Event().wait()
    return Worked()


def _cancelled(_: Failure) -> Worked:
    return Worked()


def tree() -> float:
    system = ActorSystem()
    started = Watch(TREE)
    started.begin()
    system.start(partial(Branch, DEPTH, started.stop))
    started.took_us(1)
    began_s = time.perf_counter()
    system.stop(WAIT_S)
    took_s = time.perf_counter() - began_s
    if system.given_up or system.addresses not in ((), (ROOT,)):
        message = "not everybody ended in order"
        raise RuntimeError(message)
    return took_s * 1e3


ROWS = (
    Row(
        "tree",
        f"end of a tree of {TREE:,} actors at work",
        "asyncio: nested gathers",
        8,
        tree,
        bare.tree,
        "ms",
        one_thread=True,
    ),
)
