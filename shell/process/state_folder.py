"""Where all that we keep lies, named so that it can be told when it cannot be used."""

import os
from collections.abc import Mapping
from pathlib import Path

from actors.redaction.redaction import read_secrets
from actors.sessions.state_paths import state_folder
from shell.cli.arguments import StartError
from shell.process.log_file import configure_logging
from shell.startup.errors import to_start_error


def find_state_folder(environment: Mapping[str, str]) -> Path:
    """Find the state folder, which may not be there yet.

    Raises:
        StartError: it is named after the home of nobody.
    """
    try:
        return state_folder(environment)
    except RuntimeError as error:
        raise state_folder_error(str(error).rstrip("."), error) from error


def state_folder_error(reason: str, error: Exception) -> StartError:
    """Tell why the state folder cannot be used."""
    return to_start_error(
        f"the state folder cannot be used: {reason}; GREENROOM_HOME names another", error
    )


def open_state_folder(environment: Mapping[str, str]) -> Path:
    """Find or make the state folder, and begin to keep the log in it.

    Raises:
        StartError: it cannot be used.
    """
    folder = find_state_folder(environment)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.scandir(folder).close()
    except OSError as error:
        why = f"{error.filename}: {error.strerror}"
        raise state_folder_error(why, error) from error
    debug = environment.get("GREENROOM_LOG") == "debug"
    configure_logging(folder / "greenroom.log", read_secrets(environment), debug=debug)
    return folder
