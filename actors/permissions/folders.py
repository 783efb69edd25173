"""In which folders the parts of a command may run, as `cd` in it says."""

import os
from collections.abc import Iterator

from actors.permissions.commands.command import Command, Part
from actors.permissions.places import Explorer

_MOVERS = frozenset({"cd", "pushd", "popd"})
_RUNNERS = frozenset({"command", "builtin"})
_MOST = 8
"""Folders that are followed; with more, where a part runs counts as unknown."""

UNKNOWN: tuple[str, ...] = ()


def folders_of(command: Command, explorer: Explorer) -> tuple[tuple[str, ...], ...]:
    """Say for each part in which folders it may run; none: that cannot be told.

    A `cd` may succeed, fail, or be confined to a subshell, so what comes after it may run in any
    of the folders so far.
    """
    folders: tuple[str, ...] = (explorer.ground.cwd,)
    if command.loops and any(_moves(part) for part in command.parts):
        folders = UNKNOWN
    found: list[tuple[str, ...]] = []
    for part in command.parts:
        found.append(folders)
        if folders and _moves(part):
            folders = _after(part, folders, explorer)
    return tuple(found)


def folders_inside(
    parts: tuple[Part, ...], folders: tuple[str, ...], explorer: Explorer
) -> Iterator[tuple[str, ...]]:
    """Say where what stands inside a wrapper may run; it can only tighten, so a guess will do."""
    for part in parts:
        yield folders
        if folders and _moves(part):
            folders = _after(part, folders, explorer) or folders


def _moves(part: Part) -> bool:
    return next((w.text for w in part.words if w.text not in _RUNNERS), "") in _MOVERS


def _after(part: Part, folders: tuple[str, ...], explorer: Explorer) -> tuple[str, ...]:
    names = [word.text for word in part.words if word.literal]
    if len(names) != len(part.words) or len(names) != 2 or names[0] != "cd":  # noqa: PLR2004
        return UNKNOWN
    path = names[1]
    if not path or path.startswith("-"):
        return UNKNOWN
    places = [(explorer.follow(path, folder), _as_text(folder, path)) for folder in folders]
    # bash takes `..` away from the text of where it is, the kernel from where a link has led:
    # only where no link is on the way do both mean the same.
    if any(place.problem or place.path != text for place, text in places):
        return UNKNOWN
    together = tuple(dict.fromkeys((*folders, *(place.path for place, _ in places))))
    return together if len(together) <= _MOST else UNKNOWN


def _as_text(folder: str, path: str) -> str:
    return os.path.normpath(os.path.join(folder, path))  # noqa: PTH118  (text, not a file)
