"""Run evaluations on a limited number of threads, because resolving a path may block."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

EVALUATION_TIMEOUT_S = 5.0
"""A call asks if its evaluation takes longer, or if no thread becomes free for this long."""
MAX_CONCURRENT_EVALUATIONS = 8
"""Threads. A thread whose evaluation has timed out remains in use until it ends."""


class EvaluationPool:
    """Limits how many evaluations run at the same time, and for how long."""

    def __init__(
        self,
        timeout_s: float = EVALUATION_TIMEOUT_S,
        max_concurrent: int = MAX_CONCURRENT_EVALUATIONS,
    ) -> None:
        """Create a pool without running evaluations."""
        self.timeout_s = timeout_s
        self._threads = asyncio.Semaphore(max_concurrent)
        self._finished_count = 0

    async def run(self, evaluate: Callable[[], T]) -> T:
        """Run a function as soon as a thread is free, and return its result.

        Raises:
            TimeoutError: The function took too long, or no thread became free in time.
            Exception: What the function raised.
        """
        await self._acquire_thread()
        evaluation = asyncio.get_running_loop().run_in_executor(None, evaluate)
        evaluation.add_done_callback(self._release_thread)
        async with asyncio.timeout(self.timeout_s):
            return await asyncio.shield(evaluation)  # nothing can cancel a thread

    async def _acquire_thread(self) -> None:
        """Wait for a thread. A long queue does not time out while it moves."""
        while True:
            finished_count = self._finished_count
            try:
                async with asyncio.timeout(self.timeout_s):
                    await self._threads.acquire()
            except TimeoutError:
                if self._finished_count == finished_count:
                    raise
            else:
                return

    def _release_thread(self, _: object) -> None:
        self._finished_count += 1
        self._threads.release()
