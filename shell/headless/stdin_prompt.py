"""Reads piped input for the prompt, without waiting for a pipe that stays silent."""

import os
import select
import stat
import sys

from shell.startup.errors import StartError

MAX_BYTES = 10_000_000
PIPE_TIMEOUT_S = 3.0
"""How long to wait for the first byte of a pipe; with `-` as the prompt there is no limit."""


def read_prompt(argument: str | None) -> str:
    """Combine the prompt from the command line and standard input.

    Raises:
        StartError: there is no prompt, or standard input is too long or cannot be read.
    """
    is_dash = argument == "-"
    piped = read_piped_input(wait=is_dash or argument is None)
    prompt = "\n\n".join(part for part in (None if is_dash else argument, piped) if part)
    if not prompt.strip():
        message = "-p needs a prompt as an argument or on standard input"
        raise StartError(message)
    return prompt


def get_typed_prompt(argument: str | None, prompt: str) -> str:
    """Return the part of the prompt that is the user's own, not a file piped in addition to it."""
    return prompt if argument in (None, "-") else argument or ""


def read_piped_input(*, wait: bool) -> str:
    """Read standard input to its end, unless it is a terminal or a silent pipe.

    Raises:
        StartError: it is too long, or cannot be read.
    """
    if os.isatty(0) or not (wait or _has_input()):
        return ""
    try:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
    except OSError as error:
        message = f"cannot read standard input: {error.strerror}"
        raise StartError(message) from error
    if len(data) > MAX_BYTES:
        message = (
            f"standard input is longer than {MAX_BYTES:,} bytes; "
            "put the text into a file and name the file in the prompt"
        )
        raise StartError(message)
    return data.decode("utf-8", "replace").strip()


def _has_input() -> bool:
    mode = os.fstat(0).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return True
    return bool(select.select([0], [], [], PIPE_TIMEOUT_S)[0])
