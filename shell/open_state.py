"""The state folder, made and looked into before anything relies on it."""

import os
from collections.abc import Mapping
from pathlib import Path

from actors.secrets import secrets_of
from shell.config.state import found_state, unusable
from shell.log_file import keep_log


def open_state(environment: Mapping[str, str]) -> Path:
    """Find or make the state folder, and begin to keep the log in it.

    Raises:
        StartError: it cannot be used.
    """
    folder = found_state(environment)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.scandir(folder).close()
    except OSError as error:
        why = f"{error.filename}: {error.strerror}"
        raise unusable(why, error) from error
    debug = environment.get("GREENROOM_LOG") == "debug"
    keep_log(folder / "greenroom.log", secrets_of(environment), debug=debug)
    return folder
