"""Finds the session that a prefix of an id refers to."""

from difflib import get_close_matches
from pathlib import Path

from actors.sessions.session_summaries import summarize_session
from actors.sessions.state_paths import list_session_files
from shell.startup.errors import StartError

MAX_LISTED_SESSIONS = 5


def find_session(project_folder: Path, id_prefix: str) -> Path:
    """Return the file of the session whose id starts with `id_prefix`.

    Raises:
        StartError: no session matches, or several do; the message lists candidates.
    """
    paths = {path.stem: path for path in list_session_files(project_folder)}
    exact = paths.get(id_prefix)
    matches = [name for name in paths if id_prefix and name.startswith(id_prefix)]
    if exact or len(matches) == 1:
        return exact or paths[matches[0]]
    if matches:
        message = f"{id_prefix} matches {len(matches)} sessions: {_format_ids(matches)}"
    else:
        hint = _make_hint(project_folder, id_prefix, list(paths))
        problem = f"there is no session {id_prefix}" if id_prefix else "the session id is empty"
        message = f"{problem}; {hint}"
    raise StartError(message)


def _make_hint(project_folder: Path, id_prefix: str, ids: list[str]) -> str:
    other_workspace = _find_other_workspace(project_folder, id_prefix)
    if other_workspace:
        return f"it belongs to {other_workspace}; start greenroom there"
    if not ids:
        return "this workspace has no sessions yet"
    candidates = get_close_matches(id_prefix, ids, MAX_LISTED_SESSIONS) or ids
    return f"sessions here: {_format_ids(candidates)}"


def _find_other_workspace(project_folder: Path, id_prefix: str) -> str:
    """Return another workspace that has the session, or an empty string."""
    projects = project_folder.parent
    for other in sorted(projects.iterdir()) if id_prefix and projects.is_dir() else ():
        if other == project_folder:
            continue
        for path in list_session_files(other):
            if path.stem.startswith(id_prefix):
                return summarize_session(path).workspace or str(path)
    return ""


def _format_ids(ids: list[str]) -> str:
    more = len(ids) - MAX_LISTED_SESSIONS
    return ", ".join(ids[:MAX_LISTED_SESSIONS]) + (f" and {more} more" if more > 0 else "")
