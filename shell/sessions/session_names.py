"""The names that the user gave to sessions, in one file next to the session files."""

from pathlib import Path

from actors.sessions.errors import StoreError
from actors.sessions.json_store import change_store, read_store

NAMES_FILE = "names.json"
MAX_NAME_CHARS = 100
_FORMAT = 1


def read_session_names(project_folder: Path) -> dict[str, str]:
    """Return the names by session id; empty if the file cannot be read."""
    try:
        content = read_store(project_folder / NAMES_FILE, _FORMAT).content
    except StoreError:
        return {}
    return {session_id: name for session_id, name in content.items() if isinstance(name, str)}


def save_session_name(session_file: Path, name: str) -> str:
    """Store a session's name; an empty one removes it. Return why it failed, or nothing."""
    session_id = session_file.stem
    path = session_file.parent / NAMES_FILE
    new = {session_id: name} if name else {}
    try:
        change_store(
            path,
            _FORMAT,
            lambda before: {
                **{key: value for key, value in before.content.items() if key != session_id},
                **new,
            },
        )
    except StoreError as error:
        return error.detail
    return ""
