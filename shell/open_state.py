"""The state folder, made and looked into before anything relies on it."""

import os
from collections.abc import Mapping
from pathlib import Path

from actors.secrets import read_secrets
from shell.config.state import find_state_folder, state_folder_error
from shell.log_file import configure_logging


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
