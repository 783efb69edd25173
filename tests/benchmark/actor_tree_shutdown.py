"""Stop of a tree of busy actors, compared with asyncio."""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Literal

from actors.runtime.actor import Actor, JobFailure
from actors.runtime.system import ActorSystem
from messages.address import ROOT
from messages.base import Message
from messages.child_lifecycle import ChildEnded
from tests.benchmark import asyncio_baseline
from tests.benchmark.actor_runtime import WAIT_S, Stopwatch
from tests.benchmark.benchmark_row import BenchmarkRow
from tests.benchmark.workload_sizes import TREE_BREADTH, TREE_DEPTH, TREE_SIZE


class BranchJobEnded(Message):
    """The job of a branch has ended."""

    type: Literal["branch_job_ended"] = "branch_job_ended"


class Branch(Actor[BranchJobEnded | ChildEnded]):
    """Runs a job that never ends, and has branches as children."""

    def __init__(self, depth: int, on_started: Callable[[], None]) -> None:
        self._depth = depth
        self._on_started = on_started

    def on_start(self) -> None:
        self.start_job(_wait_forever, _on_failure)
        for number in range(TREE_BREADTH if self._depth else 0):
            self.start(partial(Branch, self._depth - 1, self._on_started), f"branch-{number}")
        self._on_started()

    def on_receive(self, message: BranchJobEnded | ChildEnded) -> None:
        pass


async def _wait_forever() -> BranchJobEnded:
    await asyncio.Event().wait()
    return BranchJobEnded()


def _on_failure(_: JobFailure) -> BranchJobEnded:
    return BranchJobEnded()


def stop_tree_ms() -> float:
    system = ActorSystem()
    started = Stopwatch(TREE_SIZE)
    started.start()
    system.start(partial(Branch, TREE_DEPTH, started.stop))
    started.elapsed_us(1)
    started_s = time.perf_counter()
    system.stop(WAIT_S)
    elapsed_s = time.perf_counter() - started_s
    if system.abandoned_count or system.addresses not in ((), (ROOT,)):
        message = "not every actor stopped in time"
        raise RuntimeError(message)
    return elapsed_s * 1e3


ROWS = (
    BenchmarkRow(
        "stop-tree",
        f"stop of a tree of {TREE_SIZE:,} busy actors",
        "asyncio: nested `gather`",
        8,
        stop_tree_ms,
        asyncio_baseline.cancel_tree_ms,
        "ms",
        is_single_threaded=True,
    ),
)
