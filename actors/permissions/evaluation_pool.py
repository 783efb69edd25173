"""Judges calls on threads, few at once: following a path may block, and a blocked thread stays."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

EVALUATION_TIMEOUT_S = 5.0
"""A call that takes longer to judge, or waits so long while nobody gets up, is a question for a
person."""
MAX_CONCURRENT_EVALUATIONS = 8
"""Threads; one whose call is given up keeps its seat until it ends."""


class EvaluationPool:
    """Seats for those who judge."""

    def __init__(
        self,
        timeout_s: float = EVALUATION_TIMEOUT_S,
        max_concurrent: int = MAX_CONCURRENT_EVALUATIONS,
    ) -> None:
        """Open with every seat free."""
        self.timeout_s = timeout_s
        self._seats = asyncio.Semaphore(max_concurrent)
        self._left = 0
        """Counts who got up."""

    async def run(self, evaluate: Callable[[], T]) -> T:
        """Judge as soon as a seat is free.

        Raises:
            TimeoutError: it took too long, or no seat came free for so long.
            Exception: what the judge raised.
        """
        await self._seated()
        judging = asyncio.get_running_loop().run_in_executor(None, evaluate)
        judging.add_done_callback(self._gets_up)
        async with asyncio.timeout(self.timeout_s):
            return await asyncio.shield(judging)

    async def _seated(self) -> None:
        """Wait for a seat; a long line of those who wait is no reason to give up while it moves."""
        while True:
            left = self._left
            try:
                async with asyncio.timeout(self.timeout_s):
                    await self._seats.acquire()
            except TimeoutError:
                if self._left == left:
                    raise
            else:
                return

    def _gets_up(self, _: object) -> None:
        self._left += 1
        self._seats.release()
