"""The directories that the parts of a command may run in, according to its `cd` commands."""

import os
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from actors.bash.parse import AndChain, CommandPart, ParsedCommand, Words
from actors.paths.resolve import PathResolver

_DIRECTORY_CHANGERS = frozenset({"cd", "pushd", "popd"})
_PREFIXES = frozenset({"command", "builtin", "time", "-p", "--"})
_MAX_DIRECTORIES = 8
"""With more directories, the place where a part runs is uncertain."""


class WorkingDirectories(NamedTuple):
    """Where a part of a command may run."""

    directories: tuple[str, ...]
    is_certain: bool = True
    """It runs in one of `directories`. If False, others are possible, and these only restrict."""
    has_too_many: bool = False
    """There were too many directories to follow."""


class PlacedPart(NamedTuple):
    """A part of a command, and where it may run."""

    part: CommandPart
    where: WorkingDirectories
    is_nested: bool = False
    """It is visible inside another part; it can only restrict."""


_PlacedPartKey: TypeAlias = tuple[int, WorkingDirectories, bool]
"""The identity of a part, where it may run, and whether it is nested."""


def place_parts(command: ParsedCommand, resolver: PathResolver) -> list[PlacedPart]:
    """List the parts of a command in order, each followed by those nested in it, without repeats.

    A part may be the same object as another one, as equal parts are analyzed once.
    """
    placed: dict[_PlacedPartKey, PlacedPart] = {}
    directories = find_working_directories(command, resolver)
    for part, where in zip(command.parts, directories, strict=True):
        _add_part(placed, PlacedPart(part, where), resolver)
    return [*placed.values()]


def _add_part(
    placed: dict[_PlacedPartKey, PlacedPart], added: PlacedPart, resolver: PathResolver
) -> None:
    part, where, is_nested = added
    if part.directory is not None:
        where = _enter(where, part.directory.text, resolver)
        added = added._replace(where=where)
    key = (id(part), where, is_nested)
    if key in placed:
        return
    placed[key] = added
    if part.nested_parts:
        directories = _find_part_directories(part.nested_parts, where, resolver)
        for nested, nested_where in zip(part.nested_parts, directories, strict=True):
            _add_part(placed, PlacedPart(nested, nested_where, is_nested=True), resolver)


def find_working_directories(
    command: ParsedCommand, resolver: PathResolver
) -> tuple[WorkingDirectories, ...]:
    """Return the directories that each part may run in.

    A `cd` may succeed, fail or be confined to a subshell, so a later part may run in any directory
    so far. In a loop, this applies to earlier parts too. A part joined to a `cd` by `&&` runs in
    the new directory.
    """
    start = WorkingDirectories((resolver.workspace_paths.cwd,))
    if not any(map(_changes_directory, command.parts)):
        return (start,) * len(command.parts)
    if not command.may_repeat:
        return tuple(_find_part_directories(command.parts, start, resolver, command.chains))
    found = tuple(_find_part_directories(command.parts, start, resolver))
    last = found[-1]
    if _changes_directory(command.parts[-1]):  # the next round of the loop starts there
        last = _merge(last, _follow_change(command.parts[-1], last, resolver), resolver)
    return (WorkingDirectories(last.directories, is_certain=False),) * len(found)


def _find_part_directories(
    parts: tuple[CommandPart, ...],
    start: WorkingDirectories,
    resolver: PathResolver,
    chains: tuple[AndChain, ...] = (),
) -> Iterator[WorkingDirectories]:
    """Yield the directories that each of several consecutive parts may run in."""
    chain_ends = dict(chains)
    open_chains: list[tuple[int, WorkingDirectories]] = []
    """For each unfinished chain: its last part, and where its `cd` ran."""
    for at, part in enumerate(parts):
        while open_chains and open_chains[-1][0] < at:
            start = _merge(open_chains.pop()[1], start, resolver)
        yield start
        if _changes_directory(part):
            changed = _follow_change(part, start, resolver)
            if at in chain_ends and changed.is_certain:
                end = min(chain_ends[at], open_chains[-1][0] if open_chains else chain_ends[at])
                open_chains.append((end, start))
                start = changed
            else:
                start = _merge(start, changed, resolver)


def _changes_directory(part: CommandPart) -> bool:
    return bool(_get_change_words(part))


def _get_change_words(part: CommandPart) -> Words:
    """Return the words from `cd` on, or none if the part is another command."""
    for at, word in enumerate(part.words):
        if word.text not in _PREFIXES:
            return part.words[at:] if word.text in _DIRECTORY_CHANGERS else ()
    return ()


def _follow_change(
    part: CommandPart, where: WorkingDirectories, resolver: PathResolver
) -> WorkingDirectories:
    """Return the directories after a `cd` has succeeded."""
    if where.has_too_many:
        return where
    words = _get_change_words(part)
    texts = [word.text for word in words if word.is_literal]
    if len(texts) != len(words) or len(texts) != 2 or texts[0] == "popd":  # noqa: PLR2004
        return where._replace(is_certain=False)
    path = texts[1]
    if not path or path.startswith("-"):  # `cd -` goes to where the shell was before
        return where._replace(is_certain=False)
    entered = _enter(where, path, resolver)
    return entered._replace(is_certain=entered.is_certain and part.words[0].text == "cd")


def _enter(where: WorkingDirectories, path: str, resolver: PathResolver) -> WorkingDirectories:
    """Return the directories that a path leads to."""
    resolved = [
        (resolver.resolve(path, directory), _join_as_text(directory, path))
        for directory in where.directories
    ]
    # bash removes `..` from the text of the current path, while the kernel follows links first.
    # Both agree only if there is no link on the way.
    is_plain = not any(found.problem or found.path != text for found, text in resolved)
    directories = dict.fromkeys(path for found, text in resolved for path in (found.path, text))
    return WorkingDirectories(tuple(directories), where.is_certain and is_plain)


def _merge(
    first: WorkingDirectories, second: WorkingDirectories, resolver: PathResolver
) -> WorkingDirectories:
    if first.has_too_many or second.has_too_many:
        return first if first.has_too_many else second
    directories = tuple(dict.fromkeys((*first.directories, *second.directories)))
    if len(directories) > _MAX_DIRECTORIES:
        return WorkingDirectories(
            (resolver.workspace_paths.cwd,), is_certain=False, has_too_many=True
        )
    return WorkingDirectories(directories, first.is_certain and second.is_certain)


def _join_as_text(directory: str, path: str) -> str:
    return os.path.normpath(os.path.join(directory, path))  # noqa: PTH118  (text, not a file)
