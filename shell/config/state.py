"""Where all that we keep lies, named so that it can be told when it cannot be used."""

from collections.abc import Mapping
from pathlib import Path

from actors.sessions.places import state_folder
from shell.arguments import StartError
from shell.refused import to_start_error


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
