"""The evaluation pool runs few evaluations at a time; a moving queue never times out."""

import asyncio
import threading
from functools import partial

import pytest

from actors.permissions.evaluation_pool import EvaluationPool
from tests.simulation.simulated_loop import make_random, make_simulated_loop

pytestmark = pytest.mark.quick


def test_a_long_queue_completes_as_long_as_it_moves() -> None:
    """On the simulated loop, each evaluation takes up to 0.1 s of virtual time."""

    async def run_evaluations() -> list[int]:
        pool = EvaluationPool(timeout_s=0.2, max_concurrent=2)
        jobs = (pool.run(partial(int, number)) for number in range(40))
        return list(await asyncio.gather(*jobs))

    loop = make_simulated_loop(make_random(1, "loop"))
    task = loop.create_task(run_evaluations())
    assert loop.run(task.done)
    assert task.result() == list(range(40))
    assert loop.time() > 0.4, "the last evaluation should wait longer than the timeout"
    loop.close()


def test_a_queued_evaluation_times_out_if_none_finishes() -> None:
    stuck = threading.Event()

    async def run_evaluations() -> list[object]:
        pool = EvaluationPool(timeout_s=0.05, max_concurrent=1)
        evaluations = (stuck.wait, lambda: True)
        outcomes = await asyncio.gather(*map(pool.run, evaluations), return_exceptions=True)
        stuck.set()
        return list(outcomes)

    assert [type(error) for error in asyncio.run(run_evaluations())] == [TimeoutError, TimeoutError]
