"""What was piped in, read without ever waiting for somebody who does not write."""

import os
import select
import stat
import sys

from shell.cli.arguments import StartError, UsageError

MAX_BYTES = 10_000_000
PIPE_TIMEOUT_S = 3.0
"""How long a pipe may be silent before we go on without it; `-` waits for its end."""


def read_prompt(argument: str | None) -> str:
    """Put the prompt together from the command line and standard input.

    Raises:
        UsageError: there is none.
        StartError: standard input is too long, or cannot be read.
    """
    asked = argument == "-"
    piped = read_piped_input(wait=asked or argument is None)
    prompt = "\n\n".join(part for part in (None if asked else argument, piped) if part)
    if not prompt.strip():
        message = "-p needs a prompt, on the command line or on standard input"
        raise UsageError(message)
    return prompt


def read_piped_input(*, wait: bool) -> str:
    """Read standard input to its end, unless it is a terminal or stays silent.

    Raises:
        StartError: it is too long, or cannot be read.
    """
    if os.isatty(0) or not (wait or _speaks()):
        return ""
    try:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
    except OSError as error:
        message = f"standard input cannot be read: {error.strerror}"
        raise StartError(message) from error
    if len(data) > MAX_BYTES:
        message = f"standard input is longer than {MAX_BYTES:,} bytes; put it into a file"
        raise StartError(message)
    return data.decode("utf-8", "replace").strip()


def _speaks() -> bool:
    mode = os.fstat(0).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return True
    return bool(select.select([0], [], [], PIPE_TIMEOUT_S)[0])
