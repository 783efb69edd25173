"""Those who judge sit on few seats; a long line of those who wait gives nobody up."""

import asyncio
import threading
from functools import partial

import pytest

from actors.permissions.evaluation_pool import EvaluationPool
from tests.simulation.simulated_loop import make_random, make_simulated_loop

pytestmark = pytest.mark.quick


def test_a_long_line_is_judged_to_its_end_while_it_moves() -> None:
    """On the simulated loop each judge takes up to a tenth of a second, of its own time."""

    async def judge() -> list[int]:
        court = EvaluationPool(timeout_s=0.2, max_concurrent=2)
        jobs = (court.run(partial(int, number)) for number in range(40))
        return list(await asyncio.gather(*jobs))

    loop = make_simulated_loop(make_random(1, "loop"))
    judging = loop.create_task(judge())
    assert loop.run(judging.done)
    assert judging.result() == list(range(40))
    assert loop.time() > 0.4, "the last has waited longer than one may be judged"
    loop.close()


def test_who_waits_while_nobody_gets_up_is_given_up() -> None:
    stuck = threading.Event()

    async def judge() -> list[object]:
        court = EvaluationPool(timeout_s=0.05, max_concurrent=1)
        cases = (stuck.wait, lambda: True)
        ends = await asyncio.gather(*map(court.run, cases), return_exceptions=True)
        stuck.set()
        return list(ends)

    assert [type(each) for each in asyncio.run(judge())] == [TimeoutError, TimeoutError]
