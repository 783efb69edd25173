"""What lies below a folder that a command reads as a whole: a bounded look at names."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from actors.bash.parse import ReadDepth
from actors.permissions.protected_paths import read_file_start

MAX_SCANNED_ENTRIES = 2_000
"""Of one decision; where there are more, a person is asked."""
_GIT = ".git"
_IGNORING = (".gitignore", ".ignore", ".rgignore")


@dataclass(frozen=True, slots=True)
class DirectoryListing:
    """The files below a folder, and what could not be told of them."""

    files: tuple[str, ...] = ()
    problem: str = ""
    """Why more may be read than these; empty: nothing."""


@dataclass(slots=True)
class DirectoryScan:
    """What one decision saw below folders; each is looked at once."""

    entries_left: int = MAX_SCANNED_ENTRIES
    _found: dict[tuple[str, ReadDepth], DirectoryListing] = field(
        default_factory=dict[tuple[str, ReadDepth], DirectoryListing]
    )
    _shown: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """By folder the hidden names that ignore files have searches look at, there and above it."""

    def list_files(self, folder: str, depth: ReadDepth) -> DirectoryListing:
        """List the files below a folder; no link is followed, and git's own folder is left out."""
        found = self._found.get((folder, depth))
        if found is None:
            found = self._found[folder, depth] = self._look(folder, depth)
        return found

    def _look(self, folder: str, depth: ReadDepth) -> DirectoryListing:
        files: list[str] = []
        for entry in self._entries(folder, depth):
            if not self.entries_left:
                return DirectoryListing(
                    tuple(files), "it reads more files than are looked at beforehand"
                )
            self.entries_left -= 1
            if not entry.is_symlink():
                files.append(entry.path)
            elif depth == "follow_links":
                return DirectoryListing(tuple(files), f"it follows links, and {entry.path} is one")
        return DirectoryListing(tuple(files))

    def _entries(self, folder: str, depth: ReadDepth) -> Iterator[os.DirEntry[str]]:
        pending = [folder]
        while pending:
            path = pending.pop()
            try:
                with os.scandir(path) as found:
                    shown = self._shown_in(path) if depth == "visible" else ("*",)
                    for entry in found:
                        if entry.name.startswith(".") and not _is_shown(entry.name, shown):
                            continue
                        yield entry
                        if entry.is_dir(follow_symlinks=False):
                            pending.append(entry.path)
            except (OSError, ValueError):
                # What cannot be listed here the command cannot list either.
                continue

    def _shown_in(self, folder: str) -> tuple[str, ...]:
        known = self._shown.get(folder)
        if known is None:
            above = folder.rpartition("/")[0]
            shown = self._shown_in(above or "/") if folder != "/" else ()
            known = self._shown[folder] = (*shown, *_taken_back(folder))
        return known


def _is_shown(name: str, hidden: tuple[str, ...]) -> bool:
    """Whether a search looks at a hidden name: where an ignore file says so, and never at git's."""
    return name != _GIT and any(fnmatchcase(name, each) for each in hidden)


def _taken_back(folder: str) -> Iterator[str]:
    """List the names that a folder's ignore files have searches look at (`!.env`)."""
    for name in _IGNORING:
        for line in read_file_start(f"{folder}/{name}").splitlines():
            if line.startswith("!"):
                yield line.rstrip(" /").rpartition("/")[2].removeprefix("!")
