"""Walks all files in a folder that git would see, without following links."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from actors.tools.gitignore import IgnoreFile, is_ignored, load_ignore_files
from actors.tools.safe_open import LIST_FLAGS, open_folder

MAX_WALK_ENTRIES = 200_000
"""Files and folders that one walk examines."""
MAX_DEPTH = 100
_GIT_FOLDER = ".git"


@dataclass(slots=True)
class SkippedEntries:
    """How many entries a walk skipped, by reason."""

    ignored_count: int = 0
    """Files and whole folders that a `.gitignore` excludes."""
    irregular_count: int = 0
    """Links, pipes, sockets, devices."""
    unlistable_count: int = 0
    """Folders that could not be listed."""
    is_truncated: bool = False
    """A limit was reached or the walk was cancelled, so there may be more files."""


class FileWalk:
    """One walk over the regular files in a folder and its subfolders, sorted by name in each.

    `.gitignore` files apply from the root down if the folder is inside it, otherwise from the
    folder down. `.git` folders are skipped.
    """

    def __init__(
        self, root: Path, folder: Path, is_cancelled: Callable[[], bool] = lambda: False
    ) -> None:
        """Prepare the walk; both paths are resolved. `is_cancelled` is called in every folder."""
        self.skipped = SkippedEntries()
        self._top = root if folder.is_relative_to(root) else folder
        self._folder = folder
        self._is_cancelled = is_cancelled
        self._entry_count = 0

    def iter_files(self) -> Iterator[str]:
        """Yield paths relative to the folder; blocks, so it must run on a thread.

        Raises:
            OSError: the folder itself cannot be listed.
        """
        prefix = self._get_prefix(self._folder)
        inherited = self._load_inherited_ignore_files()
        with open_folder(self._folder) as folder:
            for path in self._iter_folder(folder, prefix, inherited, 0):
                yield path.removeprefix(prefix)

    def _load_inherited_ignore_files(self) -> tuple[IgnoreFile, ...]:
        """Load the ignore files of the folders from the top down to the walk's parent."""
        ignore_files: tuple[IgnoreFile, ...] = ()
        for parent in reversed(self._folder.parents):
            if parent.is_relative_to(self._top):
                with open_folder(parent) as folder:
                    ignore_files += load_ignore_files(folder, self._get_prefix(parent))
        return ignore_files

    def _get_prefix(self, folder: Path) -> str:
        relative = folder.relative_to(self._top).as_posix()
        return "" if relative == "." else f"{relative}/"

    def _iter_folder(
        self, folder: int, prefix: str, inherited: tuple[IgnoreFile, ...], depth: int
    ) -> Iterator[str]:
        ignore_files = inherited + load_ignore_files(folder, prefix)
        for entry in self._list_entries(folder):
            if entry.is_dir(follow_symlinks=False):
                path = f"{prefix}{entry.name}/"
                if entry.name != _GIT_FOLDER and not self._skip_ignored(path, ignore_files):
                    yield from self._iter_subfolder(
                        entry.name, folder, path, ignore_files, depth + 1
                    )
            elif not entry.is_file(follow_symlinks=False):
                self.skipped.irregular_count += 1
            elif not self._skip_ignored(path := prefix + entry.name, ignore_files):
                yield path

    def _iter_subfolder(
        self, name: str, parent: int, prefix: str, inherited: tuple[IgnoreFile, ...], depth: int
    ) -> Iterator[str]:
        with _open_subfolder(name, parent) as folder:
            if folder is None:
                self.skipped.unlistable_count += 1
            elif depth > MAX_DEPTH:
                self.skipped.is_truncated = True
            else:
                yield from self._iter_folder(folder, prefix, inherited, depth)

    def _list_entries(self, folder: int) -> list["os.DirEntry[str]"]:
        """List a folder's entries up to the limit of the walk."""
        entries: list[os.DirEntry[str]] = []
        with os.scandir(folder) as found:
            for entry in found:
                if self._entry_count >= MAX_WALK_ENTRIES or self._is_cancelled():
                    self.skipped.is_truncated = True
                    break
                self._entry_count += 1
                entries.append(entry)
        return sorted(entries, key=lambda entry: entry.name)

    def _skip_ignored(self, path: str, ignore_files: tuple[IgnoreFile, ...]) -> bool:
        """Return whether the path is ignored, and count it if so."""
        ignored = is_ignored(path, ignore_files)
        self.skipped.ignored_count += ignored
        return ignored


@contextmanager
def _open_subfolder(name: str, parent: int) -> Generator[int | None]:
    """Open a folder that was just listed; None if it cannot be opened or is no longer a folder."""
    try:
        folder = os.open(name, LIST_FLAGS, dir_fd=parent)
    except OSError:
        yield None
        return
    try:
        yield folder
    finally:
        os.close(folder)
