"""What lies below a folder that a command reads as a whole: a bounded look at names."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path

from actors.permissions.commands.command import Depth
from actors.permissions.protected import beginning_of

MOST_ENTRIES = 2_000
"""Of one decision; where there are more, a person is asked."""
_GIT = ".git"
_IGNORING = (".gitignore", ".ignore", ".rgignore")


@dataclass(frozen=True, slots=True)
class Below:
    """The files below a folder, and what could not be told of them."""

    files: tuple[str, ...] = ()
    entries: int = 0
    problem: str = ""
    """Why more may be read than these; empty: nothing."""


def look_below(folder: str, depth: Depth, most: int = MOST_ENTRIES) -> Below:
    """List the files below a folder; no link is followed, and git's own folder is left out."""
    files: list[str] = []
    entries = 0
    for entry in _entries(folder, depth):
        entries += 1
        if entries > most:
            return Below(tuple(files), most, "it reads more files than are looked at beforehand")
        if not entry.is_symlink():
            files.append(entry.path)
        elif depth == "linked":
            return Below(tuple(files), entries, f"it follows links, and {entry.path} is one")
    return Below(tuple(files), entries)


def _entries(folder: str, depth: Depth) -> Iterator[os.DirEntry[str]]:
    above = chain.from_iterable(map(_taken_back, map(str, Path(folder).parents)))
    pending = [(folder, tuple(above) if depth == "shown" else ("*",))]
    while pending:
        path, shown = pending.pop()
        shown = (*shown, *_taken_back(path)) if depth == "shown" else shown
        try:
            with os.scandir(path) as found:
                for entry in found:
                    if entry.name == _GIT or not _is_shown(entry.name, shown):
                        continue
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        pending.append((entry.path, shown))
        except (OSError, ValueError):
            # What cannot be listed here the command cannot list either.
            continue


def _is_shown(name: str, hidden: tuple[str, ...]) -> bool:
    """Whether a search looks at it: at hidden names only where an ignore file says so."""
    return not name.startswith(".") or any(fnmatchcase(name, each) for each in hidden)


def _taken_back(folder: str) -> Iterator[str]:
    """List the names that ignore files have searches look at (`!.env`), hidden ones too."""
    for name in _IGNORING:
        for line in beginning_of(f"{folder}/{name}").splitlines():
            if line.startswith("!"):
                yield line.rstrip(" /").rpartition("/")[2].removeprefix("!")
