import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest

from actors.models.anthropic_client import load_sdk
from actors.models.client_pool import MAX_CLIENTS, MAX_REQUESTS_PER_CLIENT, Lines, make_http_client

if TYPE_CHECKING:
    import anthropic

pytestmark = pytest.mark.quick

UNREACHABLE_URL = "http://127.0.0.1:9"


def make_client(first: "anthropic.AsyncAnthropic | None") -> "anthropic.AsyncAnthropic":
    load_sdk()
    import anthropic  # noqa: PLC0415  (as the program loads it)

    connections = make_http_client(UNREACHABLE_URL)
    if first is not None:
        return first.with_options(http_client=connections)
    return anthropic.AsyncAnthropic(
        api_key="key", base_url=UNREACHABLE_URL, http_client=connections
    )


def test_a_line_is_used_until_it_is_full_and_again_when_it_has_room() -> None:
    async def take() -> None:
        lines = Lines(make_client)
        first = await lines.open_first()
        async with AsyncExitStack() as requests:
            for _ in range(MAX_REQUESTS_PER_CLIENT - 1):
                assert await requests.enter_async_context(lines.acquire()) is first
            async with lines.acquire() as last:
                assert last is first
                second = await requests.enter_async_context(lines.acquire())
                assert second is not first
            async with lines.acquire() as again:
                assert again is first
        assert await lines.open_first() is first
        await lines.close()

    asyncio.run(take())


def test_when_all_lines_are_full_the_one_with_the_fewest_requests_gets_more() -> None:
    async def take() -> None:
        lines = Lines(make_client)
        async with AsyncExitStack() as requests:
            taken = [
                await requests.enter_async_context(lines.acquire())
                for _ in range(MAX_CLIENTS * (MAX_REQUESTS_PER_CLIENT + 1))
            ]
        assert [taken.count(each) for each in dict.fromkeys(taken)] == [
            MAX_REQUESTS_PER_CLIENT + 1
        ] * MAX_CLIENTS
        await lines.close()

    asyncio.run(take())
