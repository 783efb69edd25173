"""Slow work of the screen, such as looking through folders: on a thread, its result on the loop."""

import logging
import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

log = logging.getLogger("greenroom.screen")

T = TypeVar("T")


def aside(
    loop: AbstractEventLoop, job: Callable[[], T], on_done: Callable[[T | None], None]
) -> None:
    """Run `job` on a thread of its own and `then` with its result on the loop.

    A job that fails is logged, and its result is None. Nobody waits for one when the program ends.
    """

    def run() -> None:
        result: T | None = None
        try:
            result = job()
        except Exception:
            log.exception("work beside the screen failed")
        with suppress(RuntimeError):  # the loop has ended: nobody wants the result any more
            loop.call_soon_threadsafe(on_done, result)

    threading.Thread(target=run, name="greenroom-aside", daemon=True).start()
