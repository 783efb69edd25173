"""Signals while the screen is up: end with the right status, stop and come back."""

import os
import signal
from asyncio import AbstractEventLoop
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager

HANGUP_STATUS, TERMINATED_STATUS = 129, 143

SignalHandlers = Mapping[signal.Signals, Callable[[], None]]


def create_exit_handlers(exit_repl: Callable[[int], None]) -> SignalHandlers:
    """Call `leave(status)` on TERM and HUP."""
    return {
        signal.SIGTERM: lambda: exit_repl(TERMINATED_STATUS),
        signal.SIGHUP: lambda: exit_repl(HANGUP_STATUS),
    }


@contextmanager
def install_handlers(loop: AbstractEventLoop, handlers: SignalHandlers) -> Generator[None]:
    """Call these on the loop."""
    for number, handler in handlers.items():
        loop.add_signal_handler(number, handler)
    try:
        yield
    finally:
        for number in handlers:
            loop.remove_signal_handler(number)


def suspend_process(loop: AbstractEventLoop, handlers: SignalHandlers) -> None:
    """Stop, with all that was started together with us, until somebody says to go on.

    `handlers` are the loop's for stopping and going on: meanwhile the system does what it does.
    """
    for number in handlers:
        loop.remove_signal_handler(number)
    os.kill(0, signal.SIGTSTP)
    for number, handler in handlers.items():
        loop.add_signal_handler(number, handler)
