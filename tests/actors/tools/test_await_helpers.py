import asyncio

import pytest

from actors.tools.await_helpers import run_to_completion, wait_with_timeout

pytestmark = pytest.mark.quick


def test_work_that_is_seen_through_ends_before_its_cancel_arrives() -> None:
    async def check() -> None:
        go, ended = asyncio.Event(), asyncio.Event()

        async def work() -> None:
            await go.wait()
            ended.set()

        waiting = asyncio.ensure_future(run_to_completion(work()))
        for _ in range(3):
            await asyncio.sleep(0)
            waiting.cancel()
        assert not waiting.done()
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert ended.is_set()

    asyncio.run(check())


def test_what_the_work_raises_or_returns_is_passed_on() -> None:
    async def good() -> int:
        return 7

    async def bad() -> int:
        raise KeyError

    assert asyncio.run(run_to_completion(good())) == 7
    with pytest.raises(KeyError):
        asyncio.run(run_to_completion(bad()))


def test_what_takes_too_long_is_cancelled() -> None:
    async def check() -> None:
        never = asyncio.get_running_loop().create_future()
        assert not await wait_with_timeout(never, 0.01)
        assert never.cancelled()
        assert await wait_with_timeout(asyncio.sleep(0), 5.0)

    asyncio.run(check())
