"""Waiting with a limit, and work that is seen through although its waiter is cancelled."""

import asyncio
from collections.abc import Awaitable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


async def wait_with_timeout(awaitable: Awaitable[object], timeout_s: float) -> bool:
    """Wait at most `limit_s` seconds; whether `work` came to its end. Cancels it otherwise."""
    try:
        async with asyncio.timeout(timeout_s):
            await awaitable
    except TimeoutError:
        return False
    return True


async def run_to_completion(coroutine: Coroutine[Any, Any, T]) -> T:
    """Await `work` to its end; a cancel that comes meanwhile is raised only after it.

    Raises:
        asyncio.CancelledError: as above.
    """
    task = asyncio.ensure_future(coroutine)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            with suppress(Exception):  # raised from the result below
                await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return task.result()
