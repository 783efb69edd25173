"""Reads what the turns of a session changed; blocks."""

from pathlib import Path

from actors.sessions.errors import LogError
from actors.sessions.log_reader import read_damaged_log
from actors.snapshots.change_history import TurnChange, list_turn_changes


class ChangesError(Exception):
    """The changes cannot be read; the text is for the user."""


def read_changes(session_file: Path | None) -> tuple[TurnChange, ...]:
    """Return the turns that changed something, oldest first.

    Raises:
        ChangesError: the session file cannot be read.
    """
    if session_file is None:
        return ()
    try:
        return list_turn_changes(read_damaged_log(session_file).lines)
    except LogError as error:
        raise ChangesError(error.detail) from error
