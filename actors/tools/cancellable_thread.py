"""Runs blocking work on a thread that can check whether it was cancelled."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def run_cancellable(function: Callable[[Callable[[], bool]], T]) -> T:
    """Run `function` on a thread; its argument is a function that returns whether to stop."""
    cancelled = threading.Event()
    try:
        return await asyncio.to_thread(function, cancelled.is_set)
    except asyncio.CancelledError:
        cancelled.set()
        raise
