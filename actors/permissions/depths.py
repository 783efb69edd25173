"""What lies below a folder that a command reads as a whole: a bounded look at names."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from actors.permissions.commands.command import Depth

MOST_ENTRIES = 2_000
"""Of one decision; where there are more, a person is asked."""
_GIT = ".git"


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
    pending = [folder]
    while pending:
        try:
            with os.scandir(pending.pop()) as found:
                for entry in found:
                    if entry.name == _GIT or (depth == "shown" and entry.name.startswith(".")):
                        continue
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
        except OSError:
            # What cannot be listed here the command cannot list either.
            continue
