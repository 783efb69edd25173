"""Signals while the screen is up: end with the right status, come back from a stop."""

import signal
from asyncio import AbstractEventLoop
from collections.abc import Callable, Generator
from contextlib import contextmanager

HUNG_UP, TERMINATED = 129, 143


@contextmanager
def handled(
    loop: AbstractEventLoop,
    leave: Callable[[int], None],
    resume: Callable[[], None],
) -> Generator[None]:
    """Call `leave(status)` on TERM and HUP, `resume` after a stop."""
    handlers: dict[signal.Signals, Callable[[], None]] = {
        signal.SIGTERM: lambda: leave(TERMINATED),
        signal.SIGHUP: lambda: leave(HUNG_UP),
        signal.SIGCONT: resume,
    }
    for number, handler in handlers.items():
        loop.add_signal_handler(number, handler)
    try:
        yield
    finally:
        for number in handlers:
            loop.remove_signal_handler(number)
