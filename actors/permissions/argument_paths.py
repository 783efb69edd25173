"""Which files the words of a command name, and what lies below them; each is looked at once."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from actors.bash.parse import CommandPart, ReadDepth, Word
from actors.permissions.directory_scan import DirectoryScan
from actors.permissions.file_access import FileAccess, FileAccesses
from actors.permissions.glob_expansion import GlobExpansion, is_glob
from actors.permissions.partial_words import expand_partial_word
from actors.permissions.working_directory import WorkingDirectories

_DONE = ("read", "write")
"""What commands do to files, as far as rules go."""
_Named = tuple[str, str]
"""A path, and the folder that it counts from."""
_Written = tuple[Word, WorkingDirectories]
"""A word, and where it stands."""
_Deep = tuple[str, ReadDepth, tuple[str, ...]]
"""A folder, how deep it is read, and which names there."""
_Below = tuple[list[FileAccess], str]
"""What rules may speak of below it, and why there may be more."""


@dataclass(slots=True)
class ArgumentPaths:
    """What the words of one decision name."""

    file_accesses: FileAccesses
    _patterns: GlobExpansion = field(default_factory=GlobExpansion)
    _depths: DirectoryScan = field(default_factory=DirectoryScan)
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

    def find_files(
        self, permission: str, words: tuple[Word, ...], where: WorkingDirectories
    ) -> list[FileAccess]:
        """Look at paths among arguments, at each once."""
        if not words:
            return []
        named: dict[_Named, None] = {}
        for word in words:
            if word.is_literal:
                for base in _bases(word.text, where):
                    named[word.text, base] = None
            else:
                named.update(self._names(word, where))
        return [self.file_accesses.look_up(permission, path, base) for path, base in named]

    def has_fixed_paths(self, word: Word) -> bool:
        """Whether it names certain files, whatever files there are."""
        if word.is_literal:
            return True
        named = dict(expand_partial_word(word, self.file_accesses.resolver.workspace_paths.home))
        return bool(named) and not any(named.values())

    def find_files_below(
        self, folders: list[FileAccess], part: CommandPart
    ) -> tuple[list[FileAccess], str]:
        """List what a rule may speak of below folders that are read as a whole.

        And say why there may be more.
        """
        if not self.file_accesses.rule_index.ask_or_deny_rules.get("read"):
            return [], ""
        files: list[FileAccess] = []
        problem = ""
        for folder in dict.fromkeys(each.target for each in folders):
            told, why = self._told_below(folder, part.read_depth, part.name_patterns)
            files += told
            problem = problem or why
        return files, problem

    def _told_below(self, folder: str, depth: ReadDepth, only: tuple[str, ...]) -> _Below:
        known = self._below.get((folder, depth, only))
        if known is None:
            path = os.path.join(self.file_accesses.resolver.workspace_paths.root, folder)  # noqa: PTH118  (text, not a file)
            below = self._depths.list_files(os.path.normpath(path), depth)
            # Mostly nobody speaks of any of them: one look at all their letters tells.
            silent = self.file_accesses.rule_index.has_no_possible_match(
                "read", "tightens", below.files
            )
            told = () if silent else [each for each in below.files if self._is_told(each, only)]
            files = [self.file_accesses.look_up("read", each, "/") for each in told]
            known = self._below[folder, depth, only] = files, below.problem
        return known

    def _names(self, word: Word, where: WorkingDirectories) -> dict[_Named, None]:
        """List what a word may name, and from where; of an unknown folder, where it began."""
        named = self._named.get((word, where))
        if named is None:
            named = self._named[word, where] = dict.fromkeys(self._matched(word, where))
        return named

    def _matched(self, word: Word, where: WorkingDirectories) -> Iterator[_Named]:
        for path, expands in expand_partial_word(
            word, self.file_accesses.resolver.workspace_paths.home
        ):
            for base in _bases(path, where):
                if not expands:
                    yield path, base
                    continue
                if _leads_on(path) or self._matters(f"{base}/{path}"):
                    yield path, base  # so it is taken where there are no such files
                for matched in self._patterns.expand(path, base, self._matters):
                    yield matched, "/"

    def _is_told(self, path: str, only: tuple[str, ...]) -> bool:
        name = path.rpartition("/")[2]
        if only and not any(fnmatchcase(name, each) for each in only):
            return False
        return self._is_heard("read", path)

    def _is_heard(self, permission: str, path: str) -> bool:
        return self.file_accesses.rule_index.has_ask_or_deny_match(
            permission, (self.file_accesses.resolver.to_target(path), path)
        )

    def _matters(self, path: str) -> bool:
        """Whether anything can be said against a file that a pattern names."""
        known = self._mattering.get(path)
        if known is None:
            held = self.file_accesses.rule_index.protected_paths.is_protected(
                self.file_accesses.resolver.to_target(path)
            )
            known = held or any(self._is_heard(each, path) for each in _DONE)
            self._mattering[path] = known
        return known


def _leads_on(path: str) -> bool:
    """Whether a pattern stands behind folders, which may be links, or goes up."""
    first, slash, _ = path.partition("/")
    return bool(slash) and (".." in path or not is_glob(first))


def _bases(path: str, where: WorkingDirectories) -> tuple[str, ...]:
    """List the folders that a path may count from."""
    return ("/",) if path.startswith("/") else where.directories
