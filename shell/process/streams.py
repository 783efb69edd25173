"""The two ends of the process: streams and a home that are there, and a quick way out."""

import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn, cast

from shell.text.sanitize import sanitize_line

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def settle() -> None:
    """Make sure of what every part of the program relies on."""
    if not Path(os.environ.get("HOME", "/")).is_absolute():
        del os.environ["HOME"]  # the system knows another; this would be a folder of the project
    _settle_streams()


def _settle_streams() -> None:
    """Stand the null device in for streams that were closed, and let no character end a run.

    Otherwise a file of ours would take the stream's number, and get whatever is printed.
    """
    for number, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: the stream's own
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))
    cast("TextIOWrapper", sys.stdout).reconfigure(errors="replace")


def exit_process(exit_status: int) -> NoReturn:
    """End the process; taking the interpreter apart would only cost a quarter of a second."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has gone, and needs nothing more
        pass
    except OSError as error:
        exit_status = exit_status or 1
        complain(f"standard output: {error.strerror}")
    os._exit(exit_status)


def complain(text: str) -> None:
    """Write a line to standard error, where nothing it holds can draw."""
    try:
        print(f"greenroom: {sanitize_line(text)}", file=sys.stderr, flush=True)
    except OSError:  # nobody is left to be told
        return
