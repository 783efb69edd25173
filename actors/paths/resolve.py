"""Where a path leads: followed as the kernel follows it, without opening anything."""

import errno
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

MAX_SYMLINKS = 40
"""As Linux has it."""
MAX_PATH_BYTES = 4_095
_MAX_SPELLINGS = 64
_UNSEEN = "unseen"
_DOTS = frozenset(("", "."))
"""Names that lead nowhere else."""


IdentifyFile = Callable[[str], tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class WorkspacePaths:
    """Where a session works; every folder absolute, with links resolved."""

    root: str
    cwd: str
    """Commands begin here."""
    home: str = "/"
    added_folders: tuple[str, ...] = ()
    """Folders that count as inside too."""


class ResolvedPath(NamedTuple):
    """Where a path led when it was looked at."""

    path: str
    """Absolute, links resolved."""
    problem: str = ""
    """Why it may lead elsewhere when it is used; empty: it is certain."""
    other_spellings: tuple[str, ...] = ()
    """Other absolute paths that it went by: as it was written, and before each link."""
    is_case_insensitive: bool = False
    """The file system there takes names that differ in case only for the same."""


@dataclass(slots=True)
class PathResolver:
    """Follows the paths of one decision; what it saw once counts for all of them."""

    workspace_paths: WorkspacePaths
    identify_file: IdentifyFile = field(default_factory=lambda: _identity)
    """Tells what file a path is, to find out which names a file system takes for the same."""
    _links: dict[str, str | None] = field(default_factory=dict[str, str | None])
    _folding: dict[str, bool] = field(default_factory=dict[str, bool])
    """By folder, as the first name told that was looked at in it."""
    _same: dict[str, bool | None] = field(default_factory=dict[str, bool | None])
    """Whether a path in the other case is the same file; None: it is not there."""
    _places: dict[tuple[str, str], ResolvedPath] = field(
        default_factory=dict[tuple[str, str], ResolvedPath]
    )
    _below: str = field(init=False)

    def __post_init__(self) -> None:
        """Note with what the paths inside begin."""
        root = self.workspace_paths.root
        self._below = root if root.endswith("/") else f"{root}/"

    def resolve(self, path: str, base: str) -> ResolvedPath:
        """Follow `path` from the resolved folder `base`; never raises."""
        place = self._places.get((path, base))
        if place is None:
            place = self._places[path, base] = self._followed(path, base)
        return place

    def _followed(self, path: str, base: str) -> ResolvedPath:
        flaw = _flaw(path)
        if flaw:
            return ResolvedPath(path, flaw)
        try:
            # Of a step up it is not known where it leads before all names ahead of it are followed.
            place = None if ".." in path or path.startswith("//") else self._straight(path, base)
            return place or self._walk(path, base, _written(path, base))
        except OSError as error:
            return ResolvedPath(_written(path, base), f"cannot be followed: {error.strerror}")

    def _straight(self, path: str, base: str) -> ResolvedPath | None:
        """Follow a path without steps up; None: there is a link on it."""
        here = there = "/" if path.startswith("/") else base
        # Below a folder that is not there, there is nothing to look at.
        link = "" if self._links.get(here) == "" else None
        for name in path.split("/"):
            if name in _DOTS:
                continue
            here = f"/{name}" if here == "/" else f"{here}/{name}"
            if link is None:
                link = self._link(here)
                if link:
                    return None
                there = here if link is None else there
        flaw = "" if len(here) <= MAX_PATH_BYTES and here.isascii() else _flaw(here)
        return ResolvedPath(here, flaw, (), self._folds(here, there))

    def to_target(self, path: str) -> str:
        """Name an absolute path for rules: relative to the root, or as it is outside it."""
        return "." if path == self.workspace_paths.root else path.removeprefix(self._below)

    def _walk(self, path: str, base: str, written: str) -> ResolvedPath:
        here = "/" if path.startswith("/") else base
        ahead = _names_ahead(path)
        spellings, links, missing, problem = [written], 0, "", ""
        while ahead:
            name = ahead.pop()
            if name == "..":
                if missing:
                    problem = "it goes through a folder that does not exist"
                here = os.path.dirname(here)  # noqa: PTH120  (as above)
                continue
            at = f"/{name}" if here == "/" else f"{here}/{name}"
            link = None if missing else self._link(at)
            if link is None:
                here = at
            elif link == "":
                here, missing = at, here
            else:
                links += 1
                if links > MAX_SYMLINKS or len(spellings) > _MAX_SPELLINGS:
                    return ResolvedPath(written, "its links lead in a circle", tuple(spellings))
                if at.startswith("/proc/"):
                    problem = "it goes through /proc, which differs from process to process"
                here = "/" if link.startswith("/") else here
                ahead += _names_ahead(link)
                spellings.append("/".join((here.rstrip("/"), *reversed(ahead))))
        others = () if spellings == [here] else _others(spellings, here)
        return ResolvedPath(
            here,
            problem or _flaw(here),
            others,
            is_case_insensitive=self._folds(here, missing or here),
        )

    def _link(self, path: str) -> str | None:
        """Read where a link leads; None: it is there and no link; empty: it is not there."""
        link = self._links.get(path, _UNSEEN)
        if link is _UNSEEN:
            link = self._links[path] = _read_link(path)
        return link

    def _folds(self, path: str, there: str) -> bool:
        """Ask the file system itself, of the last name `there` on the way that has letters."""
        folder = path.rpartition("/")[0]
        known = self._folding.get(folder)
        if known is None:
            known = self._folding[folder] = self._folds_at(there)
        return known

    def _folds_at(self, path: str) -> bool:
        while path not in ("", "/"):
            if path not in self._same:
                self._same[path] = self._is_same(path)
            same = self._same[path]
            if same is not None:
                return same
            path = path.rpartition("/")[0]
        return False

    def _is_same(self, path: str) -> bool | None:
        folder, _, name = path.rpartition("/")
        other = name.swapcase()
        found = self.identify_file(path) if other != name else None
        return None if found is None else found == self.identify_file(f"{folder}/{other}")


def _written(path: str, base: str) -> str:
    return os.path.normpath(path if path.startswith("/") else f"{base.rstrip('/')}/{path}")


def _names_ahead(path: str) -> list[str]:
    """Split a path into the names that are gone through, the first one last."""
    return [name for name in reversed(path.split("/")) if name not in _DOTS]


def is_in_workspace(target: str, added_folders: tuple[str, ...] = ()) -> bool:
    """Whether a target is a path inside the workspace; one that climbs or says nothing is not."""
    if ".." in target and ".." in target.split("/"):
        return False
    if target.startswith("/"):
        return any(target == folder or target.startswith(f"{folder}/") for folder in added_folders)
    return bool(target)


def find_link_targets(workspace_paths: WorkspacePaths, names: tuple[str, ...]) -> tuple[str, ...]:
    """Follow protected names below root and home that are links: where they lead is protected."""
    explorer = PathResolver(workspace_paths)
    wanted = islice(
        ((name, base) for base in (workspace_paths.root, workspace_paths.home) for name in names),
        1_000,
    )
    places = ((explorer.resolve(name, base), f"{base}/{name}") for name, base in wanted)
    return tuple(place.path for place, written in places if place.path != written)


def _others(spellings: list[str], here: str) -> tuple[str, ...]:
    return tuple(text for text in dict.fromkeys(spellings) if text != here)


def _read_link(path: str) -> str | None:
    try:
        # Most paths are no links, and to look costs less than to be refused.
        mode = os.lstat(path).st_mode
        return os.readlink(path) if stat.S_ISLNK(mode) else None  # noqa: PTH115  (text, not a file)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return ""
        raise
    except ValueError:  # a NUL character: no file has such a name
        return ""


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _flaw(path: str) -> str:
    try:
        size_bytes = len(path) if path.isascii() else len(path.encode())
    except UnicodeEncodeError:
        return "the path is not valid Unicode"
    if not path:
        return "the path is empty"
    if "\0" in path:
        return "the path contains a NUL character"
    return "the path is too long" if size_bytes > MAX_PATH_BYTES else ""
