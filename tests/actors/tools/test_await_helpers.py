import asyncio

import pytest

from actors.tools.await_helpers import run_to_completion, wait_with_timeout

pytestmark = pytest.mark.quick


def test_a_cancellation_is_raised_only_after_the_work_ends() -> None:
    async def check() -> None:
        release, ended = asyncio.Event(), asyncio.Event()

        async def work() -> None:
            await release.wait()
            ended.set()

        waiting = asyncio.ensure_future(run_to_completion(work()))
        for _ in range(3):
            await asyncio.sleep(0)
            waiting.cancel()
        assert not waiting.done()
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert ended.is_set()

    asyncio.run(check())


def test_results_and_errors_of_the_work_are_passed_on() -> None:
    async def succeed() -> int:
        return 7

    async def fail() -> int:
        raise KeyError

    assert asyncio.run(run_to_completion(succeed())) == 7
    with pytest.raises(KeyError):
        asyncio.run(run_to_completion(fail()))


def test_work_that_exceeds_the_timeout_is_cancelled() -> None:
    async def check() -> None:
        never = asyncio.get_running_loop().create_future()
        assert not await wait_with_timeout(never, 0.01)
        assert never.cancelled()
        assert await wait_with_timeout(asyncio.sleep(0), 5.0)

    asyncio.run(check())
