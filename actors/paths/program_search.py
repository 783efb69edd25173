"""Finds programs on PATH; one that lies in the project is the project's own, whatever its name."""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path


def find_program(name: str, path_variable: str, projects: Iterable[Path] = ()) -> str | None:
    """Return the first program in an absolute entry of PATH that is not in one of the projects."""
    projects = tuple(projects)
    for entry in path_variable.split(os.pathsep):
        found = shutil.which(name, path=entry) if os.path.isabs(entry) else None  # noqa: PTH117  (text)
        if found and not _is_inside(os.path.realpath(found), map(str, projects)):
            return found
    return None


def has_project_entries(search_path: Sequence[str], projects: Sequence[str]) -> bool:
    """Whether an entry of PATH is relative or leads into one of the folders."""
    return any(
        not entry.startswith("/") or _is_inside(os.path.realpath(entry), projects)
        for entry in search_path
    )


def find_project_program(
    name: str, search_path: Sequence[str], projects: Sequence[str], directories: Iterable[str]
) -> str:
    """Return the project's program that a command would run in one of the directories, or nothing.

    A program found through a relative or empty entry of PATH is always treated as one.
    """
    for directory in directories:
        for entry in search_path:
            path = os.path.join(directory, entry, name)  # noqa: PTH118  (text)
            if os.path.isfile(path) and os.access(path, os.X_OK):  # noqa: PTH113  (as above)
                if not entry.startswith("/") or _is_inside(os.path.realpath(path), projects):
                    return path
                break
    return ""


def _is_inside(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is in one of the folders; / is no project, though it contains everything."""
    return any(
        folder != "/" and (path == folder or path.startswith(f"{folder}/")) for folder in folders
    )
