"""Where a path leads: followed as the kernel follows it, without opening anything."""

import errno
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

MAX_LINKS = 40
"""As Linux has it."""
MAX_PATH_BYTES = 4_095
_MAX_SPELLINGS = 64


Probe = Callable[[str], tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class Ground:
    """Where a session works; every folder absolute, with links resolved."""

    root: str
    cwd: str
    """Commands begin here."""
    home: str = "/"
    added: tuple[str, ...] = ()
    """Folders that count as inside too."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path led when it was looked at."""

    path: str
    """Absolute, links resolved."""
    problem: str = ""
    """Why it may lead elsewhere when it is used; empty: it is certain."""
    spellings: tuple[str, ...] = ()
    """Other absolute paths that it went by: as it was written, and before each link."""
    folds: bool = False
    """The file system there takes names that differ in case only for the same."""


@dataclass(slots=True)
class Explorer:
    """Follows the paths of one decision; what it saw once counts for all of them."""

    ground: Ground
    probe: Probe = field(default_factory=lambda: _identity)
    """Tells what file a path is, to find out which names a file system takes for the same."""
    _links: dict[str, str | None] = field(default_factory=dict[str, str | None])
    _folding: dict[str, bool] = field(default_factory=dict[str, bool])
    _places: dict[tuple[str, str], Place] = field(default_factory=dict[tuple[str, str], Place])

    def follow(self, path: str, base: str) -> Place:
        """Follow `path` from the resolved folder `base`; never raises."""
        place = self._places.get((path, base))
        if place is None:
            place = self._places[path, base] = self._followed(path, base)
        return place

    def _followed(self, path: str, base: str) -> Place:
        flaw = _flaw(path)
        if flaw:
            return Place(path, flaw)
        written = os.path.normpath(os.path.join(base, path))  # noqa: PTH118  (text, not a file)
        try:
            return self._walk(path, base, written)
        except OSError as error:
            return Place(written, f"cannot be followed: {error.strerror}")

    def target(self, path: str) -> str:
        """Name an absolute path for rules: relative to the root, or as it is outside it."""
        root = self.ground.root
        if path == root:
            return "."
        below = root if root.endswith("/") else f"{root}/"
        return path.removeprefix(below)

    def _walk(self, path: str, base: str, written: str) -> Place:
        here = "/" if path.startswith("/") else base
        ahead = [name for name in reversed(path.split("/")) if name not in ("", ".")]
        spellings, links, missing, problem = [written], 0, False, ""
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
                here, missing = at, True
            else:
                links += 1
                if links > MAX_LINKS or len(spellings) > _MAX_SPELLINGS:
                    return Place(written, "its links lead in a circle", tuple(spellings))
                if at.startswith("/proc/"):
                    problem = "it goes through /proc, which differs from process to process"
                here = "/" if link.startswith("/") else here
                ahead += [part for part in reversed(link.split("/")) if part not in ("", ".")]
                spellings.append("/".join((here.rstrip("/"), *reversed(ahead))))
        others = tuple(text for text in dict.fromkeys(spellings) if text != here)
        return Place(here, problem or _flaw(here), others, folds=self._folds(here))

    def _link(self, path: str) -> str | None:
        """Read where a link leads; None: it is there and no link; empty: it is not there."""
        if path not in self._links:
            self._links[path] = _read_link(path)
        return self._links[path]

    def _folds(self, path: str) -> bool:
        """Ask the file system itself, of the last name there is that has letters."""
        folder = path.rpartition("/")[0]
        if folder not in self._folding:
            self._folding[folder] = self._folds_at(path)
        return self._folding[folder]

    def _folds_at(self, path: str) -> bool:
        while path not in ("", "/"):
            folder, _, name = path.rpartition("/")
            other = name.swapcase()
            if other != name and self._links.get(path) != "":
                found = self.probe(path)
                if found is not None:
                    return found == self.probe(f"{folder}/{other}")
            path = folder
        return False


def is_inside(target: str, added: tuple[str, ...] = ()) -> bool:
    """Whether a target is a path inside the workspace; one that climbs or says nothing is not."""
    if target.startswith("/"):
        below = (target == folder or target.startswith(f"{folder}/") for folder in added)
        return any(below) and ".." not in target.split("/")
    return bool(target) and ".." not in target.split("/")


def real_places(ground: Ground, names: tuple[str, ...]) -> tuple[str, ...]:
    """Follow protected names below root and home that are links: where they lead is protected."""
    explorer = Explorer(ground)
    wanted = islice(((name, base) for base in (ground.root, ground.home) for name in names), 1_000)
    places = ((explorer.follow(name, base), f"{base}/{name}") for name, base in wanted)
    return tuple(place.path for place, written in places if place.path != written)


def _read_link(path: str) -> str | None:
    try:
        # Most paths are no links, and to look costs less than to be refused.
        mode = os.lstat(path).st_mode
        return os.readlink(path) if stat.S_ISLNK(mode) else None  # noqa: PTH115  (text, not a file)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return ""
        raise


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _flaw(path: str) -> str:
    try:
        size_bytes = len(path.encode())
    except UnicodeEncodeError:
        return "the path is not valid Unicode"
    if not path:
        return "the path is empty"
    if "\0" in path:
        return "the path contains a NUL character"
    return "the path is too long" if size_bytes > MAX_PATH_BYTES else ""
