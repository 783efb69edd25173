"""Finds the files of the workspace that belong into a snapshot."""

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from actors.paths.safe_git import GitError, run_git

MAX_FILE_BYTES = 10 * 1024 * 1024
"""A larger file is left out."""
MAX_FILES = 200_000
FileStatus = tuple[int, int, int, int, int]
"""Mode, size, inode, and the times of modification and status change in ns."""


@dataclass(frozen=True, slots=True)
class WorkspaceFiles:
    """Paths as bytes, relative to the root."""

    statuses: dict[bytes, FileStatus] = field(default_factory=dict[bytes, FileStatus])
    """Regular files and symbolic links."""
    omitted: tuple[bytes, ...] = ()
    """Files that are too large."""


def list_files(root: Path, excluded: Path) -> WorkspaceFiles:
    """Return the tracked files and the untracked ones that are not ignored, as they are now.

    Repositories inside the workspace are left out, and so is the folder `excluded`.

    Raises:
        GitError: git failed, or there are too many files.
    """
    words = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    listing = run_git(root, *words, compares_files=False)
    names = listing.split(b"\0")
    if len(names) > MAX_FILES:
        message = f"the workspace has more than {MAX_FILES:,} files that git does not ignore"
        raise GitError(message)
    return _read_statuses(os.fsencode(root), names, os.fsencode(excluded))


def _read_statuses(root: bytes, names: Iterable[bytes], excluded: bytes) -> WorkspaceFiles:
    statuses: dict[bytes, FileStatus] = {}
    omitted: list[bytes] = []
    folders: dict[bytes, bool] = {b"": True}
    prefix = root.rstrip(b"/") + b"/"
    skipped = excluded.removeprefix(prefix) + b"/" if excluded.startswith(prefix) else None
    for name in names:
        folder = name.rpartition(b"/")[0]
        if not (folders.get(folder) or _is_real_folder(prefix, folder, folders)):
            continue
        try:
            status = os.lstat(prefix + name)
        except OSError:  # tracked, but deleted
            continue
        mode, size = status.st_mode, status.st_size
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
            continue  # a submodule or another repository
        if skipped is not None and name.startswith(skipped):
            continue
        if size > MAX_FILE_BYTES:
            omitted.append(name)
        else:
            statuses[name] = (mode, size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
    return WorkspaceFiles(statuses, tuple(omitted))


def _is_real_folder(prefix: bytes, folder: bytes, known: dict[bytes, bool]) -> bool:
    """Return whether no part of the path is a link: git does not look behind links."""
    result = known.get(folder)
    if result is None:
        parent = folder.rpartition(b"/")[0]
        try:
            is_folder = stat.S_ISDIR(os.lstat(prefix + folder).st_mode)
        except OSError:
            is_folder = False
        result = is_folder and _is_real_folder(prefix, parent, known)
        known[folder] = result
    return result
