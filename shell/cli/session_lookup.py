"""From what a person typed to the one session they mean."""

from difflib import get_close_matches
from pathlib import Path

from actors.sessions.session_index import summarize_session
from actors.sessions.state_paths import list_session_files
from shell.cli.arguments import StartError

MAX_NAMED_SESSIONS = 5


def find_session(project_folder: Path, id_prefix: str) -> Path:
    """Find the session of a workspace whose id begins with `given`.

    Raises:
        StartError: none does, or several; names those that could be meant.
    """
    paths = {path.stem: path for path in list_session_files(project_folder)}
    exact = paths.get(id_prefix)
    found = [session_id for session_id in paths if id_prefix and session_id.startswith(id_prefix)]
    if exact or len(found) == 1:
        return exact or paths[found[0]]
    if found:
        message = f"{id_prefix} is the beginning of {len(found)} sessions: {_named(found)}"
    else:
        hint = _hint(project_folder, id_prefix, list(paths))
        message = (
            f"there is no session {id_prefix}; {hint}" if id_prefix else f"which session? {hint}"
        )
    raise StartError(message)


def _hint(project: Path, given: str, ids: list[str]) -> str:
    elsewhere = _elsewhere(project, given)
    if elsewhere:
        return f"it is one of {elsewhere}: start there"
    if not ids:
        return "this workspace has none yet"
    near = get_close_matches(given, ids, MAX_NAMED_SESSIONS) or ids
    return f"there are: {_named(near)}"


def _elsewhere(project: Path, given: str) -> str:
    """Find the workspace that has the session, if another one has."""
    for other in sorted(project.parent.iterdir()) if given and project.parent.is_dir() else ():
        if other == project:
            continue
        for path in list_session_files(other):
            if path.stem.startswith(given):
                return summarize_session(path).workspace or str(path)
    return ""


def _named(ids: list[str]) -> str:
    more = len(ids) - MAX_NAMED_SESSIONS
    return ", ".join(ids[:MAX_NAMED_SESSIONS]) + (f" and {more} more" if more > 0 else "")
