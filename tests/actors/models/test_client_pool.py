"""`ClientPool`: which client a request gets."""

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest

from actors.models.anthropic_client import load_sdk
from actors.models.client_pool import (
    MAX_CLIENTS,
    MAX_REQUESTS_PER_CLIENT,
    ClientPool,
    make_http_client,
)

if TYPE_CHECKING:
    import anthropic

pytestmark = pytest.mark.quick

UNREACHABLE_URL = "http://127.0.0.1:9"


def make_client(first: "anthropic.AsyncAnthropic | None") -> "anthropic.AsyncAnthropic":
    load_sdk()
    import anthropic  # noqa: PLC0415  (imported lazily, as in the program)

    http_client = make_http_client(UNREACHABLE_URL)
    if first is not None:
        return first.with_options(http_client=http_client)
    return anthropic.AsyncAnthropic(
        api_key="key", base_url=UNREACHABLE_URL, http_client=http_client
    )


def test_a_client_is_reused_until_it_is_full() -> None:
    async def run() -> None:
        pool = ClientPool(make_client)
        first = await pool.open_first()
        async with AsyncExitStack() as requests:
            for _ in range(MAX_REQUESTS_PER_CLIENT - 1):
                assert await requests.enter_async_context(pool.acquire()) is first
            async with pool.acquire() as last:
                assert last is first
                second = await requests.enter_async_context(pool.acquire())
                assert second is not first
            async with pool.acquire() as again:
                assert again is first
        assert await pool.open_first() is first
        await pool.close()

    asyncio.run(run())


def test_the_least_busy_client_is_used_when_all_are_full() -> None:
    async def run() -> None:
        pool = ClientPool(make_client)
        async with AsyncExitStack() as requests:
            clients = [
                await requests.enter_async_context(pool.acquire())
                for _ in range(MAX_CLIENTS * (MAX_REQUESTS_PER_CLIENT + 1))
            ]
        assert [clients.count(client) for client in dict.fromkeys(clients)] == [
            MAX_REQUESTS_PER_CLIENT + 1
        ] * MAX_CLIENTS
        await pool.close()

    asyncio.run(run())
