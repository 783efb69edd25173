"""Finds and opens the state folder, which contains sessions, grants and the log."""

import os
from collections.abc import Mapping
from pathlib import Path

from actors.redaction.redaction import read_secrets
from actors.sessions.state_paths import state_folder
from shell.process.log_file import configure_logging
from shell.startup.errors import StartError, to_start_error


def find_state_folder(environment: Mapping[str, str]) -> Path:
    """Return the path of the state folder, which may not exist yet.

    Raises:
        StartError: the home folder cannot be determined.
    """
    try:
        return state_folder(environment)
    except RuntimeError as error:
        raise _make_error(str(error).rstrip("."), error) from error


def open_state_folder(environment: Mapping[str, str]) -> Path:
    """Find or create the state folder, and start logging in it.

    Raises:
        StartError: it cannot be used.
    """
    folder = find_state_folder(environment)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.scandir(folder).close()
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}"
        raise _make_error(reason, error) from error
    debug = environment.get("GREENROOM_LOG") == "debug"
    configure_logging(folder / "greenroom.log", read_secrets(environment), debug=debug)
    return folder


def _make_error(reason: str, error: Exception) -> StartError:
    message = f"cannot use the state folder: {reason}; set GREENROOM_HOME to use another one"
    return to_start_error(message, error)
