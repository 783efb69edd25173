"""Asks a question on the terminal, before the REPL starts."""

import contextlib
import os
import select
import signal
import sys
import termios


def ask_yes_no(question: str) -> bool | None:
    """Ask a yes-or-no question; anything but yes means no, and None means the end of input.

    Keys typed before the question appeared are discarded.
    """
    with contextlib.suppress(termios.error):  # not a terminal, so there are no such keys
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
    """Wait until a line can be read.

    A plain read would notice a Ctrl-C that arrives just before it only after the next key. Here
    the signal writes a byte that ends the wait, and KeyboardInterrupt is raised.
    """
    wakeup_read, wakeup_write = os.pipe()
    os.set_blocking(wakeup_write, False)
    old_descriptor = signal.set_wakeup_fd(wakeup_write, warn_on_full_buffer=False)
    try:
        select.select([sys.stdin, wakeup_read], [], [])
    finally:
        signal.set_wakeup_fd(old_descriptor)
        os.close(wakeup_read)
        os.close(wakeup_write)
