"""A bounded listing of the files below a folder that a command reads recursively."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from actors.bash.parse import ReadDepth
from actors.permissions.protected_paths import read_file_start

MAX_SCANNED_ENTRIES = 2_000
"""Per decision; a call that reads more asks."""
_GIT = ".git"
_IGNORE_FILES = (".gitignore", ".ignore", ".rgignore")


@dataclass(frozen=True, slots=True)
class DirectoryListing:
    """The files below a folder, and why there may be more."""

    files: tuple[str, ...] = ()
    problem: str = ""
    """Why more files may be read than these. Empty: these are all."""


@dataclass(slots=True)
class DirectoryScan:
    """The folders that one decision has listed; each is listed once."""

    entries_left: int = MAX_SCANNED_ENTRIES
    _listings: dict[tuple[str, ReadDepth], DirectoryListing] = field(
        default_factory=dict[tuple[str, ReadDepth], DirectoryListing]
    )
    _unignored: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """By folder: patterns that its ignore files and those above it un-ignore (`!.env`)."""

    def list_files(self, folder: str, depth: ReadDepth) -> DirectoryListing:
        """List the files below a folder, without following links or entering `.git`."""
        listing = self._listings.get((folder, depth))
        if listing is None:
            listing = self._listings[folder, depth] = self._build_listing(folder, depth)
        return listing

    def _build_listing(self, folder: str, depth: ReadDepth) -> DirectoryListing:
        files: list[str] = []
        for entry in self._walk(folder, depth):
            if not self.entries_left:
                problem = "it may read more files than can be checked in advance"
                return DirectoryListing(tuple(files), problem)
            self.entries_left -= 1
            if not entry.is_symlink():
                files.append(entry.path)
            elif depth == "follow_links":
                problem = f"it follows links, and {entry.path} is a link"
                return DirectoryListing(tuple(files), problem)
        return DirectoryListing(tuple(files))

    def _walk(self, folder: str, depth: ReadDepth) -> Iterator[os.DirEntry[str]]:
        pending = [folder]
        while pending:
            path = pending.pop()
            try:
                with os.scandir(path) as entries:
                    patterns = self._find_unignored(path) if depth == "visible" else ("*",)
                    for entry in entries:
                        if entry.name.startswith(".") and not _is_searched(entry.name, patterns):
                            continue
                        yield entry
                        if entry.is_dir(follow_symlinks=False):
                            pending.append(entry.path)
            except (OSError, ValueError):
                # The command cannot list this folder either.
                continue

    def _find_unignored(self, folder: str) -> tuple[str, ...]:
        patterns = self._unignored.get(folder)
        if patterns is None:
            parent = folder.rpartition("/")[0]
            inherited = self._find_unignored(parent or "/") if folder != "/" else ()
            patterns = self._unignored[folder] = (*inherited, *_read_unignored(folder))
        return patterns


def _is_searched(name: str, unignored: tuple[str, ...]) -> bool:
    """Whether a search visits a hidden name: if an ignore file un-ignores it, and never `.git`."""
    return name != _GIT and any(fnmatchcase(name, pattern) for pattern in unignored)


def _read_unignored(folder: str) -> Iterator[str]:
    """Yield the name patterns that a folder's ignore files un-ignore (`!.env`)."""
    for name in _IGNORE_FILES:
        for line in read_file_start(f"{folder}/{name}").splitlines():
            if line.startswith("!"):
                yield line.rstrip(" /").rpartition("/")[2].removeprefix("!")
