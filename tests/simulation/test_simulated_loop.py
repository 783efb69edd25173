"""The simulated loop and asyncio's own run the same code with the same outcome.

The sleeps are part of that code: the simulated loop runs them in virtual time.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress

import pytest

from tests.simulation.simulated_loop import (
    make_random,
    make_simulated_loop,
    run_on_asyncio,
    run_on_simulated_loop,
)

pytestmark = pytest.mark.quick

Runner = Callable[[Awaitable[object]], object]


@pytest.fixture(params=[run_on_asyncio, run_on_simulated_loop], ids=["asyncio", "simulated"])
def run(request: pytest.FixtureRequest) -> Runner:
    runner: Runner = request.param
    return runner


def test_sleeping_tasks_wake_in_the_order_of_their_delays(run: Runner) -> None:
    async def job() -> list[int]:
        woken: list[int] = []

        async def sleeper(tenths: int) -> None:
            await asyncio.sleep(tenths / 50)
            woken.append(tenths)

        await asyncio.gather(*(sleeper(tenths) for tenths in (3, 1, 2)))
        return woken

    assert run(job()) == [1, 2, 3]


def test_a_timeout_ends_a_wait_for_nothing(run: Runner) -> None:
    async def job() -> str:
        started_s = asyncio.get_running_loop().time()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.Event().wait()
        assert asyncio.get_running_loop().time() >= started_s + 0.01
        return "timed out"

    assert run(job()) == "timed out"


def test_an_event_wakes_every_task_that_waits(run: Runner) -> None:
    async def job() -> list[bool]:
        event = asyncio.Event()
        asyncio.get_running_loop().call_later(0.01, event.set)
        return list(await asyncio.gather(event.wait(), event.wait()))

    assert run(job()) == [True, True]


def test_a_blocking_call_returns_its_result_or_raises_its_error(run: Runner) -> None:
    async def job() -> tuple[int, str]:
        with pytest.raises(ValueError, match="invalid"):
            await asyncio.to_thread(int, "invalid")
        return await asyncio.to_thread(abs, -3), "continued"

    assert run(job()) == (3, "continued")


def test_a_cancelled_task_cleans_up_before_it_ends(run: Runner) -> None:
    async def job() -> list[str]:
        steps: list[str] = []

        async def work() -> None:
            try:
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(0.01)
                steps.append("cleaned up")

        task = asyncio.ensure_future(work())
        await asyncio.sleep(0.01)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        steps.append("ended" if task.cancelled() else "not cancelled")
        return steps

    assert run(job()) == ["cleaned up", "ended"]


def test_a_task_cancelled_before_its_first_step_never_runs(run: Runner) -> None:
    async def job() -> list[str]:
        steps: list[str] = []

        async def work() -> None:
            steps.append("ran")

        task = asyncio.ensure_future(work())
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return steps

    assert run(job()) == []


def test_a_generator_that_is_left_early_is_closed(run: Runner) -> None:
    async def job() -> list[str]:
        steps: list[str] = []

        async def numbers() -> AsyncGenerator[int]:
            try:
                yield 1
                yield 2
            finally:
                await asyncio.sleep(0)
                steps.append("closed")

        async def first() -> int:
            async for number in numbers():
                return number
            return 0

        assert await first() == 1
        await asyncio.sleep(0.01)
        return steps

    assert run(job()) == ["closed"]


def test_a_cancelled_timer_does_not_fire(run: Runner) -> None:
    async def job() -> list[str]:
        steps: list[str] = []
        loop = asyncio.get_running_loop()
        loop.call_later(0.01, steps.append, "fired")
        loop.call_later(0.005, steps.append, "cancelled").cancel()
        loop.call_soon(steps.append, "cancelled at once").cancel()
        await asyncio.sleep(0.02)
        return steps

    assert run(job()) == ["fired"]


def test_the_simulated_clock_advances_only_to_the_next_timer() -> None:
    loop = make_simulated_loop(make_random(1, "loop"))
    task = loop.create_task(asyncio.sleep(3_600))
    assert loop.run(task.done)
    assert loop.time() == 3_600


def test_the_seed_decides_the_order_of_ready_callbacks() -> None:
    orders = [tuple(run_callbacks(seed)) for seed in (1, 1, 2, 3)]
    assert orders[0] == orders[1]
    assert len(set(orders)) == 3


def run_callbacks(seed: int) -> list[int]:
    loop = make_simulated_loop(make_random(seed, "loop"))
    ran: list[int] = []
    for number in range(8):
        loop.call_soon(ran.append, number)
    loop.run(lambda: len(ran) == 8)
    return ran


def test_the_loop_survives_a_callback_that_raises_system_exit() -> None:
    loop = make_simulated_loop(make_random(1, "loop"))

    def raise_exit() -> None:
        raise SystemExit

    loop.call_soon(raise_exit)
    assert not loop.run(lambda: False)
    assert [type(context["exception"]) for context in loop.unhandled_errors] == [SystemExit]
