"""Signal handlers of the REPL: exit with the right status, suspend and resume."""

import os
import signal
from asyncio import AbstractEventLoop
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager

from shell.process.streams import HANGUP_STATUS, TERMINATED_STATUS

EXIT_CONFIRM_S = 2.0
"""A second Ctrl-C within this time exits."""

SignalHandlers = Mapping[signal.Signals, Callable[[], None]]


def create_exit_handlers(exit_repl: Callable[[int], None]) -> SignalHandlers:
    """Create handlers that exit with the matching status on SIGTERM and SIGHUP."""
    return {
        signal.SIGTERM: lambda: exit_repl(TERMINATED_STATUS),
        signal.SIGHUP: lambda: exit_repl(HANGUP_STATUS),
    }


@contextmanager
def install_handlers(loop: AbstractEventLoop, handlers: SignalHandlers) -> Generator[None]:
    """Install the handlers on the loop for the duration of the context."""
    for number, handler in handlers.items():
        loop.add_signal_handler(number, handler)
    try:
        yield
    finally:
        for number in handlers:
            loop.remove_signal_handler(number)


def suspend_process(loop: AbstractEventLoop, handlers: SignalHandlers) -> None:
    """Stop the process group until it is resumed.

    `handlers` are the loop's handlers for SIGTSTP and SIGCONT. They are removed meanwhile, so that
    the signals have their default effect.
    """
    for number in handlers:
        loop.remove_signal_handler(number)
    os.kill(0, signal.SIGTSTP)
    for number, handler in handlers.items():
        loop.add_signal_handler(number, handler)
