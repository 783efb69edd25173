"""In which folders the parts of a command may run, as `cd` in it says."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from actors.permissions.commands.command import AndChain, CommandPart, ParsedCommand
from actors.permissions.commands.hidden import Words
from actors.permissions.places import PathResolver

_MOVERS = frozenset({"cd", "pushd", "popd"})
_RUNNERS = frozenset({"command", "builtin", "time", "-p", "--"})
_MOST = 8
"""Folders that are followed; with more, where a part runs counts as unknown."""


class WorkingDirectories(NamedTuple):
    """Where a part may run."""

    folders: tuple[str, ...]
    certain: bool = True
    """It runs in one of these; else in others perhaps, and these only tighten."""
    lost: bool = False
    """There were too many to follow on."""


def folders_of(command: ParsedCommand, explorer: PathResolver) -> tuple[WorkingDirectories, ...]:
    """Say for each part in which folders it may run.

    A `cd` may succeed, fail, or be confined to a subshell, so what comes after it may run in any
    of the folders so far; in a loop also what stands before it. What `&&` joins to it runs where
    it has led to.
    """
    here = WorkingDirectories((explorer.ground.cwd,))
    if not any(map(_moves, command.parts)):
        return (here,) * len(command.parts)
    if not command.loops:
        return tuple(folders_inside(command.parts, here, explorer, command.chains))
    found = tuple(folders_inside(command.parts, here, explorer))
    last = found[-1]
    if _moves(command.parts[-1]):
        last = _either(last, _led(command.parts[-1], last, explorer), explorer)
    return (WorkingDirectories(last.folders, certain=False),) * len(found)


def folders_inside(
    parts: tuple[CommandPart, ...],
    where: WorkingDirectories,
    explorer: PathResolver,
    chains: tuple[AndChain, ...] = (),
) -> Iterator[WorkingDirectories]:
    """Say of parts that follow each other where each may run."""
    lasts = dict(chains)
    left: list[tuple[int, WorkingDirectories]] = []
    """How far each chain goes on that is not over, and where its first command ran."""
    for at, part in enumerate(parts):
        while left and left[-1][0] < at:
            where = _either(left.pop()[1], where, explorer)
        yield where
        if _moves(part):
            led = _led(part, where, explorer)
            if at in lasts and led.certain:
                left.append((min(lasts[at], left[-1][0] if left else lasts[at]), where))
                where = led
            else:
                where = _either(where, led, explorer)


def _moves(part: CommandPart) -> bool:
    return bool(_move(part))


def _move(part: CommandPart) -> Words:
    """Take the words from `cd` on; none where it is another command."""
    for at, word in enumerate(part.words):
        if word.text not in _RUNNERS:
            return part.words[at:] if word.text in _MOVERS else ()
    return ()


def _led(
    part: CommandPart, where: WorkingDirectories, explorer: PathResolver
) -> WorkingDirectories:
    """Say where one is after it has succeeded."""
    if where.lost:
        return where
    words = _move(part)
    names = [word.text for word in words if word.literal]
    if len(names) != len(words) or len(names) != 2 or names[0] == "popd":  # noqa: PLR2004
        return where._replace(certain=False)
    path = names[1]
    if not path or path.startswith("-"):
        return where._replace(certain=False)
    places = [(explorer.follow(path, folder), _as_text(folder, path)) for folder in where.folders]
    # bash takes `..` away from the text of where it is, the kernel from where a link has led:
    # only where no link is on the way do both mean the same.
    is_plain = not any(place.problem or place.path != text for place, text in places)
    led = dict.fromkeys(each for place, text in places for each in (place.path, text))
    return WorkingDirectories(tuple(led), where.certain and is_plain and part.words[0].text == "cd")


def _either(
    one: WorkingDirectories, other: WorkingDirectories, explorer: PathResolver
) -> WorkingDirectories:
    if one.lost or other.lost:
        return one if one.lost else other
    together = tuple(dict.fromkeys((*one.folders, *other.folders)))
    if len(together) > _MOST:
        return WorkingDirectories((explorer.ground.cwd,), certain=False, lost=True)
    return WorkingDirectories(together, one.certain and other.certain)


def _as_text(folder: str, path: str) -> str:
    return os.path.normpath(os.path.join(folder, path))  # noqa: PTH118  (text, not a file)
