"""The files that a command's words name, and the files below the folders that it reads."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TypeAlias

from actors.bash.parse import CommandPart, ReadDepth, Word
from actors.permissions.accessed_files import FileAccess, FileAccesses
from actors.permissions.directory_scan import DirectoryScan
from actors.permissions.glob_expansion import GlobExpansion, is_glob
from actors.permissions.partial_words import expand_partial_word
from actors.permissions.working_directory import WorkingDirectories

_FILE_PERMISSIONS = ("read", "write")
"""The permissions for what commands do to files."""
_PathInFolder: TypeAlias = tuple[str, str]
"""A path and the folder that it is relative to."""
_WordInDirectories: TypeAlias = tuple[Word, WorkingDirectories]
_ScanKey: TypeAlias = tuple[str, ReadDepth, tuple[str, ...]]
"""A folder, how deep it is read, and patterns for the file names that are read."""
_ScanResult: TypeAlias = tuple[list[FileAccess], str]
"""The files below a folder that a rule can match, and why there may be more."""


@dataclass(slots=True)
class ArgumentPaths:
    """The files that the words of one call name, with caches for the call."""

    file_accesses: FileAccesses
    _globs: GlobExpansion = field(default_factory=GlobExpansion)
    _scan: DirectoryScan = field(default_factory=DirectoryScan)
    _expanded: dict[_WordInDirectories, dict[_PathInFolder, None]] = field(
        default_factory=dict[_WordInDirectories, dict[_PathInFolder, None]]
    )
    _restrictable: dict[str, bool] = field(default_factory=dict[str, bool])
    """By path: whether a rule or protection could restrict it."""
    _scanned: dict[_ScanKey, _ScanResult] = field(default_factory=dict[_ScanKey, _ScanResult])

    @property
    def problem(self) -> str:
        """Why the words may name more files than were found. Empty: they cannot."""
        return self._globs.problem

    def find_files(
        self, permission: str, words: tuple[Word, ...], where: WorkingDirectories
    ) -> list[FileAccess]:
        """Return the files that words name, without duplicates."""
        if not words:
            return []
        paths: dict[_PathInFolder, None] = {}
        for word in words:
            if word.is_literal:
                for base in _list_base_folders(word.text, where):
                    paths[word.text, base] = None
            else:
                paths.update(self._expand(word, where))
        return [self.file_accesses.look_up(permission, path, base) for path, base in paths]

    def has_fixed_paths(self, word: Word) -> bool:
        """Whether a word names the same files whatever files exist."""
        if word.is_literal:
            return True
        paths = dict(expand_partial_word(word, self.file_accesses.resolver.workspace_paths.home))
        return bool(paths) and not any(paths.values())

    def find_files_below(
        self, folders: list[FileAccess], part: CommandPart
    ) -> tuple[list[FileAccess], str]:
        """Return the files below folders that a rule can match, and why there may be more.

        The second value is empty if all of them were found.
        """
        if not self.file_accesses.rule_index.ask_or_deny_rules.get("read"):
            return [], ""
        files: list[FileAccess] = []
        first_problem = ""
        for folder in dict.fromkeys(file.target for file in folders):
            found, problem = self._scan_folder(folder, part.read_depth, part.name_patterns)
            files += found
            first_problem = first_problem or problem
        return files, first_problem

    def _scan_folder(
        self, folder: str, depth: ReadDepth, name_patterns: tuple[str, ...]
    ) -> _ScanResult:
        key = (folder, depth, name_patterns)
        result = self._scanned.get(key)
        if result is None:
            path = os.path.join(self.file_accesses.resolver.workspace_paths.root, folder)  # noqa: PTH118  (text, not a file)
            listing = self._scan.list_files(os.path.normpath(path), depth)
            # Usually no rule can match any of the files, and one check of all paths shows it.
            is_unrestricted = self.file_accesses.rule_index.has_no_possible_match(
                "read", "ask_or_deny", listing.files
            )
            files = [
                self.file_accesses.look_up("read", file, "/")
                for file in (() if is_unrestricted else listing.files)
                if _matches_name(file, name_patterns) and self._has_restricting_rule("read", file)
            ]
            result = self._scanned[key] = files, listing.problem
        return result

    def _expand(self, word: Word, where: WorkingDirectories) -> dict[_PathInFolder, None]:
        """Return the paths that a word may name, each with the folder it is relative to."""
        paths = self._expanded.get((word, where))
        if paths is None:
            paths = self._expanded[word, where] = dict.fromkeys(self._find_paths(word, where))
        return paths

    def _find_paths(self, word: Word, where: WorkingDirectories) -> Iterator[_PathInFolder]:
        home = self.file_accesses.resolver.workspace_paths.home
        for path, is_pattern in expand_partial_word(word, home):
            for base in _list_base_folders(path, where):
                if not is_pattern:
                    yield path, base
                    continue
                if _may_use_links(path) or self._can_be_restricted(f"{base}/{path}"):
                    yield path, base  # bash passes the pattern itself if no file matches
                for matched in self._globs.expand(path, base, self._can_be_restricted):
                    yield matched, "/"

    def _has_restricting_rule(self, permission: str, path: str) -> bool:
        return self.file_accesses.rule_index.has_ask_or_deny_match(
            permission, (self.file_accesses.resolver.to_target(path), path)
        )

    def _can_be_restricted(self, path: str) -> bool:
        """Whether a rule asks about or denies a path, or the path is protected."""
        result = self._restrictable.get(path)
        if result is None:
            is_protected = self.file_accesses.rule_index.protected_paths.is_protected(
                self.file_accesses.resolver.to_target(path)
            )
            result = is_protected or any(
                self._has_restricting_rule(permission, path) for permission in _FILE_PERMISSIONS
            )
            self._restrictable[path] = result
        return result


def _matches_name(path: str, patterns: tuple[str, ...]) -> bool:
    name = path.rpartition("/")[2]
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


def _may_use_links(path: str) -> bool:
    """Whether a pattern contains `..` or begins with a fixed folder, which may be a link."""
    first, slash, _ = path.partition("/")
    return bool(slash) and (".." in path or not is_glob(first))


def _list_base_folders(path: str, where: WorkingDirectories) -> tuple[str, ...]:
    """List the folders that a path may be relative to."""
    return ("/",) if path.startswith("/") else where.directories
