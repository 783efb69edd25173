"""Which files the words of a command name, and what lies below them; each is looked at once."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from actors.permissions.commands.command import CommandPart, Depth, Word
from actors.permissions.depths import Depths
from actors.permissions.files import FileAccess, FileAccesses
from actors.permissions.folders import WorkingDirectories
from actors.permissions.guesses import paths_in
from actors.permissions.patterns import Patterns, is_pattern

_DONE = ("read", "write")
"""What commands do to files, as far as rules go."""
_Named = tuple[str, str]
"""A path, and the folder that it counts from."""
_Written = tuple[Word, WorkingDirectories]
"""A word, and where it stands."""
_Deep = tuple[str, Depth, tuple[str, ...]]
"""A folder, how deep it is read, and which names there."""
_Below = tuple[list[FileAccess], str]
"""What rules may speak of below it, and why there may be more."""


@dataclass(slots=True)
class Naming:
    """What the words of one decision name."""

    files: FileAccesses
    _patterns: Patterns = field(default_factory=Patterns)
    _depths: Depths = field(default_factory=Depths)
    _named: dict[_Written, dict[_Named, None]] = field(
        default_factory=dict[_Written, dict[_Named, None]]
    )
    _mattering: dict[str, bool] = field(default_factory=dict[str, bool])
    """By path whether anything can be said against a file."""
    _below: dict[_Deep, _Below] = field(default_factory=dict[_Deep, _Below])

    @property
    def problem(self) -> str:
        """Say why the words may name more than was found; empty: they may not."""
        return self._patterns.problem

    def files_of(
        self, permission: str, words: tuple[Word, ...], where: WorkingDirectories
    ) -> list[FileAccess]:
        """Look at paths among arguments, at each once."""
        if not words:
            return []
        named: dict[_Named, None] = {}
        for word in words:
            if word.literal:
                for base in _bases(word.text, where):
                    named[word.text, base] = None
            else:
                named.update(self._names(word, where))
        return [self.files.at(permission, path, base) for path, base in named]

    def is_certain(self, word: Word) -> bool:
        """Whether it names certain files, whatever files there are."""
        if word.literal:
            return True
        named = dict(paths_in(word, self.files.explorer.ground.home))
        return bool(named) and not any(named.values())

    def below(self, folders: list[FileAccess], part: CommandPart) -> tuple[list[FileAccess], str]:
        """List what a rule may speak of below folders that are read as a whole.

        And say why there may be more.
        """
        if not self.files.book.tightening.get("read"):
            return [], ""
        files: list[FileAccess] = []
        problem = ""
        for folder in dict.fromkeys(each.target for each in folders):
            told, why = self._told_below(folder, part.deep, part.only)
            files += told
            problem = problem or why
        return files, problem

    def _told_below(self, folder: str, depth: Depth, only: tuple[str, ...]) -> _Below:
        known = self._below.get((folder, depth, only))
        if known is None:
            path = os.path.join(self.files.explorer.ground.root, folder)  # noqa: PTH118  (text, not a file)
            below = self._depths.below(os.path.normpath(path), depth)
            # Mostly nobody speaks of any of them: one look at all their letters tells.
            silent = self.files.book.is_silent("read", "tightens", below.files)
            told = () if silent else [each for each in below.files if self._is_told(each, only)]
            files = [self.files.at("read", each, "/") for each in told]
            known = self._below[folder, depth, only] = files, below.problem
        return known

    def _names(self, word: Word, where: WorkingDirectories) -> dict[_Named, None]:
        """List what a word may name, and from where; of an unknown folder, where it began."""
        named = self._named.get((word, where))
        if named is None:
            named = self._named[word, where] = dict.fromkeys(self._matched(word, where))
        return named

    def _matched(self, word: Word, where: WorkingDirectories) -> Iterator[_Named]:
        for path, expands in paths_in(word, self.files.explorer.ground.home):
            for base in _bases(path, where):
                if not expands:
                    yield path, base
                    continue
                if _leads_on(path) or self._matters(f"{base}/{path}"):
                    yield path, base  # so it is taken where there are no such files
                for matched in self._patterns.matches(path, base, self._matters):
                    yield matched, "/"

    def _is_told(self, path: str, only: tuple[str, ...]) -> bool:
        name = path.rpartition("/")[2]
        if only and not any(fnmatchcase(name, each) for each in only):
            return False
        return self._is_heard("read", path)

    def _is_heard(self, permission: str, path: str) -> bool:
        return self.files.book.tightens(permission, (self.files.explorer.target(path), path))

    def _matters(self, path: str) -> bool:
        """Whether anything can be said against a file that a pattern names."""
        known = self._mattering.get(path)
        if known is None:
            held = self.files.book.protection.holds(self.files.explorer.target(path))
            known = held or any(self._is_heard(each, path) for each in _DONE)
            self._mattering[path] = known
        return known


def _leads_on(path: str) -> bool:
    """Whether a pattern stands behind folders, which may be links, or goes up."""
    first, slash, _ = path.partition("/")
    return bool(slash) and (".." in path or not is_pattern(first))


def _bases(path: str, where: WorkingDirectories) -> tuple[str, ...]:
    """List the folders that a path may count from."""
    return ("/",) if path.startswith("/") else where.folders
