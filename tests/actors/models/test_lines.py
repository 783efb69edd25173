import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest

from actors.models.anthropic_client import load_sdk
from actors.models.lines import MOST_LINES, MOST_ON_ONE, Lines, http_client

if TYPE_CHECKING:
    import anthropic

pytestmark = pytest.mark.quick

NOWHERE = "http://127.0.0.1:9"


def opened(first: "anthropic.AsyncAnthropic | None") -> "anthropic.AsyncAnthropic":
    load_sdk()
    import anthropic  # noqa: PLC0415  (as the program loads it)

    connections = http_client(NOWHERE)
    if first is not None:
        return first.with_options(http_client=connections)
    return anthropic.AsyncAnthropic(api_key="key", base_url=NOWHERE, http_client=connections)


def test_a_line_is_used_until_it_is_full_and_again_when_it_has_room() -> None:
    async def take() -> None:
        lines = Lines(opened)
        first = await lines.first()
        async with AsyncExitStack() as requests:
            for _ in range(MOST_ON_ONE - 1):
                assert await requests.enter_async_context(lines.taken()) is first
            async with lines.taken() as last:
                assert last is first
                second = await requests.enter_async_context(lines.taken())
                assert second is not first
            async with lines.taken() as again:
                assert again is first
        assert await lines.first() is first
        await lines.close()

    asyncio.run(take())


def test_when_all_lines_are_full_the_one_with_the_fewest_requests_gets_more() -> None:
    async def take() -> None:
        lines = Lines(opened)
        async with AsyncExitStack() as requests:
            taken = [
                await requests.enter_async_context(lines.taken())
                for _ in range(MOST_LINES * (MOST_ON_ONE + 1))
            ]
        assert [taken.count(each) for each in dict.fromkeys(taken)] == [
            MOST_ON_ONE + 1
        ] * MOST_LINES
        await lines.close()

    asyncio.run(take())
