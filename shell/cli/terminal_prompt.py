"""A plain question on the terminal, before there is a screen."""

import contextlib
import os
import select
import signal
import sys
import termios


def ask_yes_no(question: str) -> bool | None:
    """Ask yes or no; anything but a yes is a no, and the end of input is no answer.

    What was typed before the question stood there does not count.
    """
    with contextlib.suppress(termios.error):  # no terminal after all: nobody typed ahead
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    sys.stdout.write(question)
    sys.stdout.flush()
    _wait_for_line()
    answer = sys.stdin.readline()
    if not answer:
        sys.stdout.write("\n")
        return None
    return answer.strip().lower() in ("y", "yes")


def _wait_for_line() -> None:
    """Wait until there is something to read.

    A Ctrl-C between the question and a read would be noticed only after the next key; here it
    leaves a byte that ends the wait, and is raised.
    """
    awake, signalled = os.pipe()
    os.set_blocking(signalled, False)
    before = signal.set_wakeup_fd(signalled, warn_on_full_buffer=False)
    try:
        select.select([sys.stdin, awake], [], [])
    finally:
        signal.set_wakeup_fd(before)
        os.close(awake)
        os.close(signalled)
