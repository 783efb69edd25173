"""Signals while the screen is up: end with the right status, stop and come back."""

import os
import signal
from asyncio import AbstractEventLoop
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager

HUNG_UP, TERMINATED = 129, 143

Handlers = Mapping[signal.Signals, Callable[[], None]]


def endings(leave: Callable[[int], None]) -> Handlers:
    """Call `leave(status)` on TERM and HUP."""
    return {
        signal.SIGTERM: lambda: leave(TERMINATED),
        signal.SIGHUP: lambda: leave(HUNG_UP),
    }


@contextmanager
def handled(loop: AbstractEventLoop, handlers: Handlers) -> Generator[None]:
    """Call these on the loop."""
    for number, handler in handlers.items():
        loop.add_signal_handler(number, handler)
    try:
        yield
    finally:
        for number in handlers:
            loop.remove_signal_handler(number)


def stop(loop: AbstractEventLoop, handlers: Handlers) -> None:
    """Stop, with all that was started together with us, until somebody says to go on.

    `handlers` are the loop's for stopping and going on: meanwhile the system does what it does.
    """
    for number in handlers:
        loop.remove_signal_handler(number)
    os.kill(0, signal.SIGTSTP)
    for number, handler in handlers.items():
        loop.add_signal_handler(number, handler)
