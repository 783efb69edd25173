"""Judges calls on threads, few at once: following a path may block, and a blocked thread stays."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

JUDGING_S = 5.0
"""A call that takes longer to judge, or waits so long while nobody gets up, is a question for a
person."""
MOST_AT_ONCE = 8
"""Threads; one whose call is given up keeps its seat until it ends."""


class EvaluationPool:
    """Seats for those who judge."""

    def __init__(self, judging_s: float = JUDGING_S, most_at_once: int = MOST_AT_ONCE) -> None:
        """Open with every seat free."""
        self.judging_s = judging_s
        self._seats = asyncio.Semaphore(most_at_once)
        self._left = 0
        """Counts who got up."""

    async def judged(self, case: Callable[[], T]) -> T:
        """Judge as soon as a seat is free.

        Raises:
            TimeoutError: it took too long, or no seat came free for so long.
            Exception: what the judge raised.
        """
        await self._seated()
        judging = asyncio.get_running_loop().run_in_executor(None, case)
        judging.add_done_callback(self._gets_up)
        async with asyncio.timeout(self.judging_s):
            return await asyncio.shield(judging)

    async def _seated(self) -> None:
        """Wait for a seat; a long line of those who wait is no reason to give up while it moves."""
        while True:
            left = self._left
            try:
                async with asyncio.timeout(self.judging_s):
                    await self._seats.acquire()
            except TimeoutError:
                if self._left == left:
                    raise
            else:
                return

    def _gets_up(self, _: object) -> None:
        self._left += 1
        self._seats.release()
