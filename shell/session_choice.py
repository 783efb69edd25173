"""From what a person typed to the one session they mean."""

from difflib import get_close_matches
from pathlib import Path

from actors.sessions.catalogue import summary
from actors.sessions.places import sessions
from shell.arguments import StartError

MOST_NAMED = 5


def chosen(project: Path, given: str) -> Path:
    """Find the session of a workspace whose id begins with `given`.

    Raises:
        StartError: none does, or several; names those that could be meant.
    """
    paths = {path.stem: path for path in sessions(project)}
    exact = paths.get(given)
    found = [session_id for session_id in paths if given and session_id.startswith(given)]
    if exact or len(found) == 1:
        return exact or paths[found[0]]
    if found:
        message = f"{given} is the beginning of {len(found)} sessions: {_named(found)}"
    else:
        hint = _hint(project, given, list(paths))
        message = f"there is no session {given}; {hint}" if given else f"which session? {hint}"
    raise StartError(message)


def _hint(project: Path, given: str, ids: list[str]) -> str:
    elsewhere = _elsewhere(project, given)
    if elsewhere:
        return f"it is one of {elsewhere}: start there"
    if not ids:
        return "this workspace has none yet"
    near = get_close_matches(given, ids, MOST_NAMED) or ids
    return f"there are: {_named(near)}"


def _elsewhere(project: Path, given: str) -> str:
    """Find the workspace that has the session, if another one has."""
    for other in sorted(project.parent.iterdir()) if given and project.parent.is_dir() else ():
        if other == project:
            continue
        for path in sessions(other):
            if path.stem.startswith(given):
                return summary(path).workspace or str(path)
    return ""


def _named(ids: list[str]) -> str:
    more = len(ids) - MOST_NAMED
    return ", ".join(ids[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
