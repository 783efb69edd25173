"""A plain question on the terminal, before there is a screen."""

import contextlib
import sys
import termios


def ask(question: str) -> bool | None:
    """Ask yes or no; anything but a yes is a no, and the end of input is no answer.

    What was typed before the question stood there does not count.
    """
    with contextlib.suppress(termios.error):  # no terminal after all: nobody typed ahead
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    try:
        answer = input(question)
    except EOFError:
        print()
        return None
    return answer.strip().lower() in ("y", "yes")
