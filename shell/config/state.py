"""Where all that we keep lies, named so that it can be told when it cannot be used."""

from collections.abc import Mapping
from pathlib import Path

from actors.sessions.places import state_folder
from shell.arguments import StartError
from shell.refused import refused


def found_state(environment: Mapping[str, str]) -> Path:
    """Find the state folder, which may not be there yet.

    Raises:
        StartError: it is named after the home of nobody.
    """
    try:
        return state_folder(environment)
    except RuntimeError as error:
        raise unusable(str(error).rstrip("."), error) from error


def unusable(why: str, error: Exception) -> StartError:
    """Tell why the state folder cannot be used."""
    return refused(f"the state folder cannot be used: {why}; GREENROOM_HOME names another", error)
