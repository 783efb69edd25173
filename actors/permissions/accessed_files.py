"""The files that a tool call would access: what its words name, with every path resolved."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import compress
from typing import NamedTuple, TypeAlias

from actors.bash.parse import ReadDepth, Word, Words
from actors.paths.resolve import LocatedPath, PathResolver
from actors.permissions.directory_scan import DirectoryListing, DirectoryScan
from actors.permissions.glob_expansion import GlobExpansion, is_glob
from actors.permissions.partial_words import expand_partial_word
from actors.permissions.rule_index import RuleIndex
from actors.permissions.tracked_files import list_tracked_files
from messages.policy import ToolCategory

_MAX_PATH_CHARS_IN_REASON = 200
_FILE_PERMISSIONS = ("read", "write")
"""The permissions for what commands do to files."""
_PathInFolder: TypeAlias = tuple[str, str]
"""A path and the folder that it is relative to."""
_FileKey: TypeAlias = tuple[str, _PathInFolder]
"""A permission and a path."""

_ScanKey: TypeAlias = tuple[str, ReadDepth, tuple[str, ...]]
"""A folder, how deep it is read, and patterns for the file names that are read."""
_ScanResult: TypeAlias = tuple[list["FileAccess"], str]
"""The files below a folder that a rule can match, and why there may be more."""


@dataclass(slots=True, eq=False)
class FileQuery:
    """Words that name files, and what a call does to these; compared by identity."""

    permission: str
    words: Words
    directories: tuple[str, ...]
    """The folders that relative paths may be relative to."""
    depth: ReadDepth = ""
    """What is read below the files."""
    name_patterns: tuple[str, ...] = ()
    """Patterns of the names that are read there; empty: all."""
    is_implied: bool = False
    """The call does not name the files: it accesses only what is below them."""


@dataclass(slots=True, eq=False)
class FileAccess:
    """What a call does to one path."""

    permission: str
    category: ToolCategory
    target: str
    other_spellings: tuple[str, ...]
    """Other spellings of the target; rules that ask or deny match these too."""
    is_case_insensitive: bool
    """The file system there ignores case."""
    is_in_workspace: bool
    """It is in the workspace or an added folder."""
    problem: str
    """Why it may be another file when it is used. Empty: it is certain."""
    protection_reason: str
    """Why a change needs a decision on this specific call. Empty: other approvals suffice."""


class FoundFiles(NamedTuple):
    """The files of one query."""

    files: list[FileAccess]
    """Those that the words name, without duplicates."""
    files_below: list[FileAccess]
    """Those below them that are read too and that a rule can match."""
    scan_problem: str
    """Why there may be more below them. Empty: these are all."""


class AccessedFiles(NamedTuple):
    """The files of all queries of a call."""

    by_query: dict[FileQuery, FoundFiles]
    problem: str
    """Why the words may name more files than were found. Empty: they cannot."""


def find_files(
    queries: list[FileQuery], resolver: PathResolver, rule_index: RuleIndex
) -> AccessedFiles:
    """Find the files of all queries of a call; each path is resolved once."""
    finder = _FileFinder(resolver, rule_index)
    paths_by_query = {query: finder.list_paths(query) for query in dict.fromkeys(queries)}
    finder.look_up(
        (query.permission, path) for query, paths in paths_by_query.items() for path in paths
    )
    found = {query: finder.find_files(query, paths) for query, paths in paths_by_query.items()}
    return AccessedFiles(found, finder.globs.problem)


@dataclass(slots=True)
class _FileFinder:
    """The files of one call, with caches for the call."""

    resolver: PathResolver
    rule_index: RuleIndex
    globs: GlobExpansion = field(default_factory=GlobExpansion)
    _scan: DirectoryScan = field(default_factory=DirectoryScan)
    _files: dict[_FileKey, FileAccess] = field(default_factory=dict[_FileKey, FileAccess])
    _expanded: dict[tuple[Word, tuple[str, ...]], tuple[_PathInFolder, ...]] = field(
        default_factory=dict[tuple[Word, tuple[str, ...]], tuple[_PathInFolder, ...]]
    )
    """The paths that a word may name, by the word and the folders it may be relative to."""
    _scanned: dict[_ScanKey, _ScanResult] = field(default_factory=dict[_ScanKey, _ScanResult])

    def list_paths(self, query: FileQuery) -> tuple[_PathInFolder, ...]:
        """List the paths that the words of a query may name, without duplicates."""
        paths: dict[_PathInFolder, None] = {}
        for word in query.words:
            if word.is_literal:
                for base in _list_base_folders(word.text, query.directories):
                    paths[word.text, base] = None
            else:
                paths.update(dict.fromkeys(self._expand(word, query.directories)))
        return tuple(paths)

    def look_up(self, keys: Iterable[_FileKey]) -> None:
        """Resolve paths that are not known yet, all of them in one pass."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._files]
        if not missing:
            return
        located = self.resolver.locate([path for _, path in missing])
        targets = [target for file in located for target in file.targets]
        protected = self.rule_index.protected_paths.find_protected(targets)
        for (permission, (path, base)), file in zip(missing, located, strict=True):
            category = self.rule_index.categories.get(permission, "external")
            reason = _describe_protection(file, protected) if protected else ""
            self._files[permission, (path, base)] = _build_file_access(
                permission, category, path, file, reason
            )

    def find_files(self, query: FileQuery, paths: tuple[_PathInFolder, ...]) -> FoundFiles:
        """Return the files that were looked up for a query, and those below them."""
        files = [self._files[query.permission, path] for path in paths]
        # Without such a rule, no file below can change the decision.
        if not query.depth or not self.rule_index.ask_or_deny_rules.get("read"):
            return FoundFiles(files, [], "")
        scans = [
            self._scan_folder(folder, query.depth, query.name_patterns)
            for folder in dict.fromkeys(file.target for file in files)
        ]
        files_below = [file for found, _ in scans for file in found]
        return FoundFiles(files, files_below, next((text for _, text in scans if text), ""))

    def _scan_folder(
        self, folder: str, depth: ReadDepth, name_patterns: tuple[str, ...]
    ) -> _ScanResult:
        key = (folder, depth, name_patterns)
        result = self._scanned.get(key)
        if result is None:
            if depth == "tracked":
                listing = self._list_tracked(folder)
            else:
                path = os.path.join(self.resolver.workspace_paths.root, folder)  # noqa: PTH118  (text, not a file)
                listing = self._scan.list_files(os.path.normpath(path), depth)
            named = [file for file in listing.files if _matches_name(file, name_patterns)]
            spellings = [*zip(self.resolver.to_targets(named), named, strict=True)]
            restricted = self.rule_index.find_restricted(("read",), spellings)
            keys = [("read", (file, "/")) for file in compress(named, restricted)]
            self.look_up(keys)
            result = self._scanned[key] = [self._files[key] for key in keys], listing.problem
        return result

    def _list_tracked(self, pathspec: str) -> DirectoryListing:
        """List the tracked files that a pathspec of git selects."""
        root = self.resolver.workspace_paths.root
        tracked = list_tracked_files(root)
        # Usually no rule can match any of them.
        if self.rule_index.has_no_possible_match("read", "ask_or_deny", (tracked.text,)):
            return DirectoryListing(problem=tracked.problem)
        selected: Iterable[str] = tracked.paths
        if is_glob(pathspec):
            selected = (
                path
                for path in tracked.paths
                if fnmatchcase(path, pathspec) or fnmatchcase(path, f"{pathspec}/*")
            )
        elif pathspec != ".":
            folder = f"{pathspec.rstrip('/')}/"
            selected = (path for path in tracked.paths if f"{path}/".startswith(folder))
        return DirectoryListing(tuple([f"{root}/{path}" for path in selected]), tracked.problem)

    def _expand(self, word: Word, directories: tuple[str, ...]) -> tuple[_PathInFolder, ...]:
        """Return the paths that a word may name, each with the folder it is relative to."""
        paths = self._expanded.get((word, directories))
        if paths is None:
            paths = self._expanded[word, directories] = tuple(self._find_paths(word, directories))
        return paths

    def _find_paths(self, word: Word, directories: tuple[str, ...]) -> Iterator[_PathInFolder]:
        for path, is_pattern in expand_partial_word(word, self.resolver.workspace_paths.home):
            for base in _list_base_folders(path, directories):
                if not is_pattern:
                    yield path, base
                    continue
                if _may_use_links(path) or self._select_relevant([f"{base}/{path}"]):
                    yield path, base  # bash passes the pattern itself if no file matches
                for matched in self.globs.expand(path, base, self._select_relevant):
                    yield matched, "/"

    def _select_relevant(self, paths: list[str]) -> set[str]:
        """Select the paths that are protected, or that a rule asks about or denies."""
        targets = self.resolver.to_targets(paths)
        protected = self.rule_index.protected_paths.find_protected(targets)
        restricted = self.rule_index.find_restricted(
            _FILE_PERMISSIONS, [*zip(targets, paths, strict=True)]
        )
        return {
            path
            for path, target, is_restricted in zip(paths, targets, restricted, strict=True)
            if is_restricted or target in protected
        }


def _build_file_access(
    permission: str,
    category: ToolCategory,
    path: str,
    located: LocatedPath,
    protection_reason: str,
) -> FileAccess:
    resolved = located.resolved
    target, *others = located.targets
    problem = ""
    if resolved.problem:
        shown_path = path[:_MAX_PATH_CHARS_IN_REASON]
        problem = f"{shown_path!r} cannot be resolved in advance: {resolved.problem}"
    return FileAccess(
        permission,
        category,
        target,
        (*others, *(() if target == resolved.path else (resolved.path,))),
        resolved.is_case_insensitive,
        located.is_in_workspace,
        problem,
        protection_reason,
    )


def _describe_protection(file: LocatedPath, protected: set[str]) -> str:
    """Return why a change of a file always asks, or an empty string."""
    for target in file.targets:
        if target in protected:
            return f"{target} is protected, so each change needs approval"
    return ""


def _matches_name(path: str, patterns: tuple[str, ...]) -> bool:
    name = path.rpartition("/")[2]
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


def _may_use_links(path: str) -> bool:
    """Whether a pattern contains `..` or begins with a fixed folder, which may be a link."""
    first, slash, _ = path.partition("/")
    return bool(slash) and (".." in path or not is_glob(first))


def _list_base_folders(path: str, directories: tuple[str, ...]) -> tuple[str, ...]:
    """List the folders that a path may be relative to."""
    return ("/",) if path.startswith("/") else directories
