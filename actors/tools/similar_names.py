"""Suggests existing names for a path that does not exist."""

import difflib
import os
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from actors.paths.workspace import Workspace
from actors.tools.target_paths import escape_control_characters

MAX_EXAMINED_NAMES = 1_000
MAX_SUGGESTIONS = 3


def suggest_names(path: Path, workspace: Workspace) -> str:
    """Return a hint such as `; did you mean src/app.py?`; empty: nothing similar was found.

    `path` is resolved. Names outside the workspace are not revealed before the user has approved
    anything.
    """
    folder = next((parent for parent in path.parents if parent.is_dir()), path)
    if not folder.is_relative_to(workspace.root):
        return ""
    try:
        found = _find_similar(folder, path.relative_to(folder).parts)
        names = [_format(suggestion, workspace) for suggestion in islice(found, MAX_SUGGESTIONS)]
    except OSError:
        return ""
    return f"; did you mean {' or '.join(dict.fromkeys(names))}?" if names else ""


def _find_similar(folder: Path, missing: tuple[str, ...]) -> Iterator[Path]:
    """Find paths with a similar first part, or with one more folder in front of it."""
    first, rest = missing[0], missing[1:]
    with os.scandir(folder) as entries:
        names = [entry.name for entry in islice(entries, MAX_EXAMINED_NAMES)]
    same_letters = [name for name in names if name.casefold() == first.casefold()]
    similar = dict.fromkeys((*same_letters, *difflib.get_close_matches(first, names)))
    candidates = chain(
        (folder.joinpath(name, *rest) for name in similar),
        (folder.joinpath(name, *missing) for name in sorted(names)),
    )
    return (candidate for candidate in candidates if os.path.lexists(candidate))


def _format(path: Path, workspace: Workspace) -> str:
    text = str(path.relative_to(workspace.cwd) if path.is_relative_to(workspace.cwd) else path)
    # A file name need not be UTF-8; other bytes are shown as \xNN.
    return escape_control_characters(os.fsencode(text).decode("utf-8", "backslashreplace"))
