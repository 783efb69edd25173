"""Blocking work on a thread that learns that nobody waits for it any more."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def run_cancellable(function: Callable[[Callable[[], bool]], T]) -> T:
    """Run `work` on a thread; it is given a function that says whether it was cancelled."""
    cancelled = threading.Event()
    try:
        return await asyncio.to_thread(function, cancelled.is_set)
    except asyncio.CancelledError:
        cancelled.set()
        raise
