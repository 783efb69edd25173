"""Helpers for awaiting: with a timeout, or to completion despite a cancellation."""

import asyncio
from collections.abc import Awaitable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


async def wait_with_timeout(awaitable: Awaitable[object], timeout_s: float) -> bool:
    """Await for at most `timeout_s` seconds, then cancel; return whether it finished."""
    try:
        async with asyncio.timeout(timeout_s):
            await awaitable
    except TimeoutError:
        return False
    return True


async def run_to_completion(coroutine: Coroutine[Any, Any, T]) -> T:
    """Await `coroutine` until it finishes; if cancelled meanwhile, raise only then.

    Raises:
        asyncio.CancelledError: the caller was cancelled; the coroutine's result is dropped.
    """
    task = asyncio.ensure_future(coroutine)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            with suppress(Exception):  # raised by task.result() below
                await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return task.result()
