"""Standard streams, home folder and exit of the process."""

import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn, cast

from shell.text.sanitize import sanitize_line

HANGUP_STATUS, INTERRUPTED_STATUS, TERMINATED_STATUS = 129, 130, 143
"""Exit statuses of a program that SIGHUP, SIGINT or SIGTERM ended: 128 plus the signal's number."""
_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def fix_home() -> None:
    """Ignore a relative `HOME`, which would be a folder of the project; the system has another."""
    if not Path(os.environ.get("HOME", "/")).is_absolute():
        del os.environ["HOME"]


def fix_streams() -> None:
    """Replace closed standard streams with the null device; let stdout accept any character.

    Otherwise one of our files would get the stream's number, and everything that is printed. The
    replacement for standard output is not writable, so that its loss is reported.
    """
    for number, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            flags = os.O_RDONLY if name == "stdout" else os.O_RDWR
            os.open(os.devnull, flags)  # gets the lowest free number, which is the stream's
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))
    cast("TextIOWrapper", sys.stdout).reconfigure(errors="replace")


def exit_process(exit_status: int) -> NoReturn:
    """End the process without tearing down the interpreter, which would take 0.25 s."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the output is gone
        pass
    except OSError as error:
        exit_status = exit_status or 1
        print_error(f"standard output: {error.strerror}")
    os._exit(exit_status)


def print_error(text: str) -> None:
    """Print a line to standard error; control characters are made visible."""
    try:
        print(f"greenroom: {sanitize_line(text)}", file=sys.stderr, flush=True)
    except OSError:  # standard error is closed
        return
