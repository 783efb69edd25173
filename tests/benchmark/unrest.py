"""How much slower the machine is at the moment than when nobody disturbs it.

Limits in milliseconds are meant for an idle machine. A virtual one is slower by half for minutes,
as its neighbours are at work: so a limit is stretched by as much as a loop that is always the same
takes longer now than at its quickest.
"""

import statistics
import time
from collections.abc import Callable

from tests.benchmark.rows import Measure

STEPS_A_MS = 5_000
"""Of the loop: about a millisecond's work."""
KEPT = 100
"""It keeps no more: to get memory from the system is slow for reasons of its own."""
LOOPS = 100
_quickest_ms: dict[int, float] = {}
"""By steps, of all in this run."""


def took_ms(work: Callable[[], object]) -> float:
    """Time one piece of work, by this thread's processor time."""
    began_s = time.thread_time()
    work()
    return (time.thread_time() - began_s) * 1e3


def loop_ms(steps: int) -> float:
    """Do the same work each time, of the kind that programs are made of."""

    def loop() -> None:
        found: dict[str, tuple[int, bool]] = {}
        for at in range(steps):
            text = f"part {at % KEPT}"
            found[text] = (at, text.startswith("p"))

    took = took_ms(loop)
    _quickest_ms[steps] = min(took, _quickest_ms.get(steps, took))
    return took


def stretched(limit: float, steps: int, taken_ms: float) -> float:
    """Say what a limit comes to while the loop takes so long."""
    return limit * taken_ms / _quickest_ms[steps]


def stated(limit: float) -> Measure:
    """Hold ours against a limit for an idle machine."""

    def now() -> float:
        return stretched(
            limit, STEPS_A_MS, statistics.median(loop_ms(STEPS_A_MS) for _ in range(LOOPS))
        )

    return now
