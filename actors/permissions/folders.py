"""In which folders the parts of a command may run, as `cd` in it says."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from actors.permissions.commands.command import Command, Part
from actors.permissions.places import Explorer

_MOVERS = frozenset({"cd", "pushd", "popd"})
_RUNNERS = frozenset({"command", "builtin"})
_MOST = 8
"""Folders that are followed; with more, where a part runs counts as unknown."""


class Where(NamedTuple):
    """Where a part may run."""

    folders: tuple[str, ...]
    certain: bool = True
    """It runs in one of these; else in others perhaps, and these only tighten."""
    lost: bool = False
    """There were too many to follow on."""


def folders_of(command: Command, explorer: Explorer) -> tuple[Where, ...]:
    """Say for each part in which folders it may run.

    A `cd` may succeed, fail, or be confined to a subshell, so what comes after it may run in any
    of the folders so far; in a loop also what stands before it.
    """
    here = Where((explorer.ground.cwd,))
    if not any(map(_moves, command.parts)):
        return (here,) * len(command.parts)
    found = tuple(folders_inside(command.parts, here, explorer))
    if command.loops:
        last = found[-1]
        if _moves(command.parts[-1]):
            last = _after(command.parts[-1], last, explorer)
        return (Where(last.folders, certain=False),) * len(found)
    return found


def folders_inside(parts: tuple[Part, ...], where: Where, explorer: Explorer) -> Iterator[Where]:
    """Say of parts that follow each other where each may run."""
    for part in parts:
        yield where
        if _moves(part):
            where = _after(part, where, explorer)


def _moves(part: Part) -> bool:
    for word in part.words:
        if word.text not in _RUNNERS:
            return word.text in _MOVERS
    return False


def _after(part: Part, where: Where, explorer: Explorer) -> Where:
    if where.lost:
        return where
    names = [word.text for word in part.words if word.literal]
    if len(names) != len(part.words) or len(names) != 2 or names[0] == "popd":  # noqa: PLR2004
        return where._replace(certain=False)
    path = names[1]
    if not path or path.startswith("-"):
        return where._replace(certain=False)
    places = [(explorer.follow(path, folder), _as_text(folder, path)) for folder in where.folders]
    # bash takes `..` away from the text of where it is, the kernel from where a link has led:
    # only where no link is on the way do both mean the same.
    is_plain = not any(place.problem or place.path != text for place, text in places)
    led = (each for place, text in places for each in (place.path, text))
    together = tuple(dict.fromkeys((*where.folders, *led)))
    if len(together) > _MOST:
        return Where((explorer.ground.cwd,), certain=False, lost=True)
    return Where(together, where.certain and is_plain and names[0] == "cd")


def _as_text(folder: str, path: str) -> str:
    return os.path.normpath(os.path.join(folder, path))  # noqa: PTH118  (text, not a file)
