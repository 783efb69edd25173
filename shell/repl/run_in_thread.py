"""Slow work, such as listing folders: runs on a thread, and its result returns to the loop."""

import logging
import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

log = logging.getLogger("greenroom.screen")

T = TypeVar("T")


def run_in_thread(
    loop: AbstractEventLoop, job: Callable[[], T], on_done: Callable[[T | None], None]
) -> None:
    """Run `job` on its own thread, then call `on_done` with the result on the loop.

    A failed job is logged, and its result is None. The program does not wait for jobs when it ends.
    """

    def run() -> None:
        result: T | None = None
        try:
            result = job()
        except Exception:
            log.exception("background work of the screen failed")
        with suppress(RuntimeError):  # the loop has ended, so the result is not needed
            loop.call_soon_threadsafe(on_done, result)

    threading.Thread(target=run, name="greenroom-screen-job", daemon=True).start()
