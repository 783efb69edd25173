"""Resolve paths as the kernel does, without opening files."""

import errno
import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

MAX_SYMLINKS = 40
"""The limit of Linux."""
MAX_PATH_BYTES = 4_095
_MAX_SPELLINGS = 64
_NOT_READ = "not read"
_CURRENT_DIRECTORY_NAMES = frozenset(("", "."))
"""Names in a path that do not change where it leads."""


IdentifyFile: TypeAlias = Callable[[str], tuple[int, int] | None]
"""Returns device and inode of a path, or None if it does not exist."""


@dataclass(frozen=True, slots=True)
class WorkspacePaths:
    """The folders that paths are resolved against, all absolute with links resolved."""

    root: str
    cwd: str
    """Commands start here."""
    home: str = "/"
    added_folders: tuple[str, ...] = ()
    """Folders that are treated as part of the workspace."""
    search_path: tuple[str, ...] = ()
    """The entries of PATH, if one of them leads into the workspace or is relative; else empty."""


class ResolvedPath(NamedTuple):
    """Where a path led when it was resolved."""

    path: str
    """Absolute, with links resolved."""
    problem: str = ""
    """Why it may lead elsewhere when it is used. Empty: it is certain."""
    other_spellings: tuple[str, ...] = ()
    """Other absolute paths to the file: as it was written, and before each link was followed."""
    is_case_insensitive: bool = False
    """The file system there ignores case."""


class LocatedPath(NamedTuple):
    """A resolved path as rules see it."""

    resolved: ResolvedPath
    targets: tuple[str, ...]
    """The path and its other spellings, relative to the root, or absolute outside it."""
    is_in_workspace: bool
    """It is in the workspace or an added folder."""


@dataclass(slots=True)
class PathResolver:
    """Resolves the paths of one decision and caches what it reads from the file system."""

    workspace_paths: WorkspacePaths
    identify_file: IdentifyFile = field(default_factory=lambda: _identify_file)
    """Used to find out which names a file system treats as the same."""
    _links: dict[str, str | None] = field(default_factory=dict[str, str | None])
    _ignores_case: dict[str, bool] = field(default_factory=dict[str, bool])
    """By folder, as determined for the first name resolved in it."""
    _is_same_in_other_case: dict[str, bool | None] = field(default_factory=dict[str, bool | None])
    """By path: whether it is the same file in the other case. None: it does not exist."""
    _resolved: dict[tuple[str, str], ResolvedPath] = field(
        default_factory=dict[tuple[str, str], ResolvedPath]
    )
    _root_prefix: str = field(init=False)

    def __post_init__(self) -> None:
        """Compute the prefix of paths in the workspace."""
        root = self.workspace_paths.root
        self._root_prefix = root if root.endswith("/") else f"{root}/"

    def locate(self, paths: Iterable[tuple[str, str]]) -> list[LocatedPath]:
        """Resolve paths, each given with the resolved folder that it is relative to."""
        located: list[LocatedPath] = []
        for path, base in paths:
            resolved = self.resolve(path, base)
            targets = self.to_targets((resolved.path, *resolved.other_spellings))
            is_inside = is_in_workspace(targets[0], self.workspace_paths.added_folders)
            located.append(LocatedPath(resolved, targets, is_inside))
        return located

    def resolve(self, path: str, base: str) -> ResolvedPath:
        """Resolve `path` relative to the resolved folder `base`; never raises."""
        resolved = self._resolved.get((path, base))
        if resolved is None:
            resolved = self._resolved[path, base] = self._resolve(path, base)
        return resolved

    def _resolve(self, path: str, base: str) -> ResolvedPath:
        problem = find_path_problem(path)
        if problem:
            return ResolvedPath(path, problem)
        try:
            # Where `..` leads is known only after the names before it have been followed.
            needs_walk = ".." in path or path.startswith("//")
            resolved = None if needs_walk else self._resolve_without_links(path, base)
            return resolved or self._walk(path, base, _join_as_text(path, base))
        except OSError as error:
            problem = f"the path cannot be followed: {error.strerror}"
            return ResolvedPath(_join_as_text(path, base), problem)

    def _resolve_without_links(self, path: str, base: str) -> ResolvedPath | None:
        """Resolve a path without `..`, or return None if it contains a link."""
        current = existing = "/" if path.startswith("/") else base
        # Nothing below a missing folder has to be checked.
        link = "" if self._links.get(current) == "" else None
        for name in path.split("/"):
            if name in _CURRENT_DIRECTORY_NAMES:
                continue
            current = f"/{name}" if current == "/" else f"{current}/{name}"
            if link is None:
                link = self._read_link(current)
                if link:
                    return None
                existing = current if link is None else existing
        is_valid = len(current) <= MAX_PATH_BYTES and current.isascii()
        problem = "" if is_valid else find_path_problem(current)
        return ResolvedPath(current, problem, (), self._is_case_insensitive(current, existing))

    def to_target(self, path: str) -> str:
        """Return an absolute path as rules see it: relative to the root, or absolute outside it."""
        return "." if path == self.workspace_paths.root else path.removeprefix(self._root_prefix)

    def to_targets(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return absolute paths as rules see them."""
        return tuple([self.to_target(path) for path in paths])

    def _walk(self, path: str, base: str, written_path: str) -> ResolvedPath:
        """Resolve a path name by name, following links."""
        current = "/" if path.startswith("/") else base
        names = _split_reversed(path)
        spellings, link_count, missing_parent, problem = [written_path], 0, "", ""
        while names:
            name = names.pop()
            if name == "..":
                if missing_parent:
                    problem = "the path goes through a folder that does not exist"
                current = os.path.dirname(current)  # noqa: PTH120  (text, not a file)
                continue
            candidate = f"/{name}" if current == "/" else f"{current}/{name}"
            link = None if missing_parent else self._read_link(candidate)
            if link is None:
                current = candidate
            elif link == "":
                current, missing_parent = candidate, current
            else:
                link_count += 1
                if link_count > MAX_SYMLINKS or len(spellings) > _MAX_SPELLINGS:
                    problem = "the links in the path form a loop"
                    return ResolvedPath(written_path, problem, tuple(spellings))
                if candidate.startswith("/proc/"):
                    problem = "the path goes through /proc, which differs from process to process"
                current = "/" if link.startswith("/") else current
                names += _split_reversed(link)
                spellings.append("/".join((current.rstrip("/"), *reversed(names))))
        return ResolvedPath(
            current,
            problem or find_path_problem(current),
            () if spellings == [current] else _list_other_spellings(spellings, current),
            is_case_insensitive=self._is_case_insensitive(current, missing_parent or current),
        )

    def _read_link(self, path: str) -> str | None:
        """Return where a link leads; None: the path is not a link; empty: it does not exist."""
        link = self._links.get(path, _NOT_READ)
        if link is _NOT_READ:
            link = self._links[path] = _read_link(path)
        return link

    def _is_case_insensitive(self, path: str, existing: str) -> bool:
        """Determine whether case is ignored, from the last name with letters in `existing`."""
        folder = path.rpartition("/")[0]
        result = self._ignores_case.get(folder)
        if result is None:
            result = self._ignores_case[folder] = self._find_case_insensitivity(existing)
        return result

    def _find_case_insensitivity(self, path: str) -> bool:
        while path not in ("", "/"):
            if path not in self._is_same_in_other_case:
                self._is_same_in_other_case[path] = self._compare_other_case(path)
            is_same = self._is_same_in_other_case[path]
            if is_same is not None:
                return is_same
            path = path.rpartition("/")[0]
        return False

    def _compare_other_case(self, path: str) -> bool | None:
        folder, _, name = path.rpartition("/")
        other_name = name.swapcase()
        file = self.identify_file(path) if other_name != name else None
        return None if file is None else file == self.identify_file(f"{folder}/{other_name}")


def find_path_problem(path: str) -> str:
    """Return why a string cannot be a path, or an empty string."""
    try:
        size_bytes = len(path) if path.isascii() else len(path.encode())
    except UnicodeEncodeError:
        return "the path is not valid Unicode"
    if not path:
        return "the path is empty"
    if "\0" in path:
        return "the path contains a NUL character"
    if size_bytes > MAX_PATH_BYTES:
        return f"the path is longer than {MAX_PATH_BYTES:,} bytes"
    return ""


def is_in_workspace(target: str, added_folders: tuple[str, ...] = ()) -> bool:
    """Whether a target is a path in the workspace; an empty one or one with `..` is not."""
    if ".." in target and ".." in target.split("/"):
        return False
    if target.startswith("/"):
        return any(target == folder or target.startswith(f"{folder}/") for folder in added_folders)
    return bool(target)


def _join_as_text(path: str, base: str) -> str:
    return os.path.normpath(path if path.startswith("/") else f"{base.rstrip('/')}/{path}")


def _split_reversed(path: str) -> list[str]:
    """Return the names in a path, the first one last."""
    return [name for name in reversed(path.split("/")) if name not in _CURRENT_DIRECTORY_NAMES]


def _list_other_spellings(spellings: list[str], path: str) -> tuple[str, ...]:
    return tuple(text for text in dict.fromkeys(spellings) if text != path)


def _read_link(path: str) -> str | None:
    try:
        # Most paths are not links, and checking first is cheaper than a failed readlink.
        mode = os.lstat(path).st_mode
        return os.readlink(path) if stat.S_ISLNK(mode) else None  # noqa: PTH115  (text, not a file)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return ""
        raise
    except ValueError:  # a NUL character: no file has such a name
        return ""


def _identify_file(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
