"""Helpers for awaiting: with a timeout, to completion, for a descriptor or for a process."""

import asyncio
import os
import subprocess
from collections.abc import Awaitable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
_POLL_S = 0.01


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


async def wait_until_readable(descriptor: int) -> None:
    """Wait until reading from a descriptor would not block."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    # The loop may call the reader again before this coroutine runs.
    loop.add_reader(descriptor, lambda: None if ready.done() else ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)


async def wait_for_exit(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has ended, and reap it.

    The process is watched through a descriptor on the event loop. That needs no thread and no
    signal handler, and works on a loop in any thread; asyncio's own watcher in Python 3.11 starts a
    thread per child.
    """
    if not hasattr(os, "pidfd_open"):  # not Linux
        while process.poll() is None:  # noqa: ASYNC110  (nothing there signals its end)
            await asyncio.sleep(_POLL_S)
        return
    descriptor = os.pidfd_open(process.pid)
    try:
        await wait_until_readable(descriptor)
    finally:
        os.close(descriptor)
    process.wait()
