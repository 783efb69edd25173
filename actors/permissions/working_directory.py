"""In which folders the parts of a command may run, as `cd` in it says."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from actors.bash.parse import AndChain, CommandPart, ParsedCommand, Words
from actors.paths.resolve import PathResolver

_MOVERS = frozenset({"cd", "pushd", "popd"})
_RUNNERS = frozenset({"command", "builtin", "time", "-p", "--"})
_MOST = 8
"""Folders that are followed; with more, where a part runs counts as unknown."""


class WorkingDirectories(NamedTuple):
    """Where a part may run."""

    directories: tuple[str, ...]
    is_certain: bool = True
    """It runs in one of these; else in others perhaps, and these only tighten."""
    has_too_many: bool = False
    """There were too many to follow on."""


def find_working_directories(
    command: ParsedCommand, resolver: PathResolver
) -> tuple[WorkingDirectories, ...]:
    """Say for each part in which folders it may run.

    A `cd` may succeed, fail, or be confined to a subshell, so what comes after it may run in any
    of the folders so far; in a loop also what stands before it. What `&&` joins to it runs where
    it has led to.
    """
    here = WorkingDirectories((resolver.workspace_paths.cwd,))
    if not any(map(_moves, command.parts)):
        return (here,) * len(command.parts)
    if not command.may_repeat:
        return tuple(find_part_directories(command.parts, here, resolver, command.chains))
    found = tuple(find_part_directories(command.parts, here, resolver))
    last = found[-1]
    if _moves(command.parts[-1]):
        last = _either(last, _led(command.parts[-1], last, resolver), resolver)
    return (WorkingDirectories(last.directories, is_certain=False),) * len(found)


def find_part_directories(
    parts: tuple[CommandPart, ...],
    start: WorkingDirectories,
    resolver: PathResolver,
    chains: tuple[AndChain, ...] = (),
) -> Iterator[WorkingDirectories]:
    """Say of parts that follow each other where each may run."""
    lasts = dict(chains)
    left: list[tuple[int, WorkingDirectories]] = []
    """How far each chain goes on that is not over, and where its first command ran."""
    for at, part in enumerate(parts):
        while left and left[-1][0] < at:
            start = _either(left.pop()[1], start, resolver)
        yield start
        if _moves(part):
            led = _led(part, start, resolver)
            if at in lasts and led.is_certain:
                left.append((min(lasts[at], left[-1][0] if left else lasts[at]), start))
                start = led
            else:
                start = _either(start, led, resolver)


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
    if where.has_too_many:
        return where
    words = _move(part)
    names = [word.text for word in words if word.is_literal]
    if len(names) != len(words) or len(names) != 2 or names[0] == "popd":  # noqa: PLR2004
        return where._replace(is_certain=False)
    path = names[1]
    if not path or path.startswith("-"):
        return where._replace(is_certain=False)
    places = [
        (explorer.resolve(path, folder), _as_text(folder, path)) for folder in where.directories
    ]
    # bash takes `..` away from the text of where it is, the kernel from where a link has led:
    # only where no link is on the way do both mean the same.
    is_plain = not any(place.problem or place.path != text for place, text in places)
    led = dict.fromkeys(each for place, text in places for each in (place.path, text))
    return WorkingDirectories(
        tuple(led), where.is_certain and is_plain and part.words[0].text == "cd"
    )


def _either(
    one: WorkingDirectories, other: WorkingDirectories, explorer: PathResolver
) -> WorkingDirectories:
    if one.has_too_many or other.has_too_many:
        return one if one.has_too_many else other
    together = tuple(dict.fromkeys((*one.directories, *other.directories)))
    if len(together) > _MOST:
        return WorkingDirectories(
            (explorer.workspace_paths.cwd,), is_certain=False, has_too_many=True
        )
    return WorkingDirectories(together, one.is_certain and other.is_certain)


def _as_text(folder: str, path: str) -> str:
    return os.path.normpath(os.path.join(folder, path))  # noqa: PTH118  (text, not a file)
