"""All files below a folder, as git would see them, without following a link."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from actors.tools.gitignore import IgnoreFile, is_ignored, load_ignore_files
from actors.tools.safe_open import open_folder

MAX_WALK_ENTRIES = 200_000
"""So many files and folders are looked at in one walk."""
MAX_DEPTH = 100
_OURS = ".git"
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True)
class SkippedEntries:
    """What a walk left out, in numbers."""

    ignored_count: int = 0
    """Files and whole folders that a `.gitignore` names."""
    irregular_count: int = 0
    """Links, pipes, sockets, devices."""
    unlistable_count: int = 0
    """Folders that could not be listed."""
    is_truncated: bool = False
    """There is more than a walk looks at."""


class FileWalk:
    """One walk over the regular files below `folder`, sorted by name in each folder.

    `.gitignore` files count from `root` down when `folder` lies in it, else from `folder`; what is
    git's own is left out.
    """

    def __init__(
        self, root: Path, folder: Path, is_cancelled: Callable[[], bool] = lambda: False
    ) -> None:
        """Prepare; both paths are resolved. `cancelled` is asked at every folder."""
        self.skipped = SkippedEntries()
        self._top = root if folder.is_relative_to(root) else folder
        self._folder = folder
        self._cancelled = is_cancelled
        self._entries = 0

    def iter_files(self) -> Iterator[str]:
        """Yield paths relative to `folder`; it blocks, so it is for a thread.

        Raises:
            OSError: the folder itself cannot be listed.
        """
        prefix = self._prefix_of(self._folder)
        above = self._rules_above()
        with open_folder(self._folder) as folder:
            for path in self._below(folder, prefix, above, 0):
                yield path.removeprefix(prefix)

    def _rules_above(self) -> tuple[IgnoreFile, ...]:
        rules: tuple[IgnoreFile, ...] = ()
        for each in reversed(self._folder.parents):
            if each.is_relative_to(self._top):
                with open_folder(each) as folder:
                    rules += load_ignore_files(folder, self._prefix_of(each))
        return rules

    def _prefix_of(self, folder: Path) -> str:
        inside = folder.relative_to(self._top).as_posix()
        return "" if inside == "." else f"{inside}/"

    def _below(
        self, folder: int, prefix: str, above: tuple[IgnoreFile, ...], depth: int
    ) -> Iterator[str]:
        rules = above + load_ignore_files(folder, prefix)
        for entry in self._listed(folder):
            if entry.is_dir(follow_symlinks=False):
                path = f"{prefix}{entry.name}/"
                if entry.name != _OURS and not self._leaves_out(path, rules):
                    yield from self._inside(entry.name, folder, path, rules, depth + 1)
            elif not entry.is_file(follow_symlinks=False):
                self.skipped.irregular_count += 1
            elif not self._leaves_out(path := prefix + entry.name, rules):
                yield path

    def _inside(
        self, name: str, parent: int, prefix: str, rules: tuple[IgnoreFile, ...], depth: int
    ) -> Iterator[str]:
        with _opened(name, parent) as folder:
            if folder is None:
                self.skipped.unlistable_count += 1
            elif depth > MAX_DEPTH:
                self.skipped.is_truncated = True
            else:
                yield from self._below(folder, prefix, rules, depth)

    def _listed(self, folder: int) -> list["os.DirEntry[str]"]:
        """List a folder as far as there is room."""
        entries: list[os.DirEntry[str]] = []
        with os.scandir(folder) as found:
            for entry in found:
                if self._entries >= MAX_WALK_ENTRIES or self._cancelled():
                    self.skipped.is_truncated = True
                    break
                self._entries += 1
                entries.append(entry)
        return sorted(entries, key=lambda entry: entry.name)

    def _leaves_out(self, path: str, rules: tuple[IgnoreFile, ...]) -> bool:
        ignored = is_ignored(path, rules)
        self.skipped.ignored_count += ignored
        return ignored


@contextmanager
def _opened(name: str, parent: int) -> Generator[int | None]:
    """Open a folder that was just listed; None: it may not be, or is none any more."""
    try:
        folder = os.open(name, _LIST, dir_fd=parent)
    except OSError:
        yield None
        return
    try:
        yield folder
    finally:
        os.close(folder)
