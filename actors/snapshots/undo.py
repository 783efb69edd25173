"""Undoes a change between two snapshots, in the files that no one has changed since."""

import hashlib
import os
import secrets
import stat
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from actors.paths.safe_git import DIFF_OPTIONS, GitError
from actors.snapshots.snapshot_store import SnapshotError, SnapshotStore
from actors.tools.safe_open import open_parent_folder

UNDO_LABEL = "before undo"
_NO_FILE = "000000"
_LINK_MODE = "120000"
_EXECUTABLE_MODE = "100755"


@dataclass(frozen=True, slots=True)
class FileChange:
    """How one file differs between two trees; modes and hashes are as git writes them."""

    path: str
    old_mode: str
    old_hash: str
    new_mode: str
    new_hash: str


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What an undo would do."""

    current: str
    """Snapshot of the workspace as it is now."""
    target: str
    """Snapshot of the workspace as it would be."""
    changes: tuple[FileChange, ...]
    """From `current` to `target`."""
    left: tuple[str, ...]
    """Files that would not be undone, because they were changed since."""


def plan_undo(store: SnapshotStore, before: str, after: str) -> UndoPlan:
    """Find out which of the changes from `before` to `after` can be undone.

    Raises:
        SnapshotError: a snapshot no longer exists, or git failed.
    """
    current = store.take(UNDO_LABEL).commit
    try:
        changed = list_changes(store, before, after)
        changed_since = {change.path for change in list_changes(store, after, current)}
        undone = [change for change in changed if change.path not in changed_since]
        left = tuple(change.path for change in changed if change.path in changed_since)
        target = _commit_target(store, current, undone)
        return UndoPlan(current, target, list_changes(store, current, target), left)
    except (GitError, OSError) as error:
        raise SnapshotError(str(error)) from error


def carry_out(store: SnapshotStore, plan: UndoPlan) -> tuple[str, ...]:
    """Undo exactly what the plan says; return the files that could not be changed.

    A file that was changed since the plan was made is left as it is.

    Raises:
        SnapshotError: the content of a file cannot be read.
    """
    wanted = [change.new_hash for change in plan.changes if change.new_mode != _NO_FILE]
    removals = [change for change in plan.changes if change.new_mode == _NO_FILE]
    others = [change for change in plan.changes if change.new_mode != _NO_FILE]
    failed: list[str] = []
    with _BlobReader(store, wanted) as blobs:
        # Removals first: a file may become a folder.
        for change in (*removals, *others):
            content = b"" if change.new_mode == _NO_FILE else blobs.read(change.new_hash)
            try:
                _change_file(store.root, change, content)
            except (OSError, _FileChangedError):
                failed.append(change.path)
    return tuple(failed)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two snapshots differ."""

    paths: tuple[str, ...]
    diff: str


def compare(store: SnapshotStore, old: str, new: str) -> Comparison:
    """Return the files that differ between two snapshots, and the diff.

    Raises:
        SnapshotError: a snapshot no longer exists, or git failed.
    """
    try:
        store.open()
        paths = tuple(change.path for change in list_changes(store, old, new))
        diff = store.repository.run("diff", *DIFF_OPTIONS, old, new, "--")
    except (GitError, OSError) as error:
        raise SnapshotError(str(error)) from error
    return Comparison(paths, diff.decode("utf-8", "replace"))


def list_changes(store: SnapshotStore, old: str, new: str) -> tuple[FileChange, ...]:
    """Return the files that differ; a renamed file is removed and added.

    Raises:
        GitError: a snapshot no longer exists, or git failed.
    """
    words = ("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", old, new)
    fields = store.repository.run(*words).split(b"\0")[:-1]
    changes: list[FileChange] = []
    for description, path in zip(fields[::2], fields[1::2], strict=True):
        old_mode, new_mode, old_hash, new_hash, _ = description.decode()[1:].split(" ")
        changes.append(FileChange(os.fsdecode(path), old_mode, old_hash, new_mode, new_hash))
    return tuple(changes)


def _commit_target(store: SnapshotStore, current: str, undone: list[FileChange]) -> str:
    """Return a snapshot like `current`, but with the old state of these files."""
    if not undone:
        return current
    index = store.repository.folder / f"index-undo-{secrets.token_hex(8)}"
    entries = b"".join(
        f"{change.old_mode} {change.old_hash}\t".encode() + os.fsencode(change.path) + b"\0"
        for change in sorted(undone, key=lambda change: change.old_mode != _NO_FILE)
    )
    try:
        store.repository.run("read-tree", current, index=index)
        store.repository.run("update-index", "-z", "--index-info", stdin=entries, index=index)
        tree = store.repository.run("write-tree", index=index).decode().strip()
    finally:
        index.unlink(missing_ok=True)
    return store.repository.commit(tree, "after undo")


class _FileChangedError(Exception):
    """The file is not what the plan expects."""


class _BlobReader:
    """Reads blobs through one git process."""

    def __init__(self, store: SnapshotStore, hashes: list[str]) -> None:
        self._process = store.repository.start("cat-file", "--batch") if hashes else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def read(self, blob_hash: str) -> bytes:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            message = "git is not running"
            raise SnapshotError(message)
        try:
            process.stdin.write(f"{blob_hash}\n".encode())
            process.stdin.flush()
            header = process.stdout.readline().split()
            size = int(header[2])
            content = process.stdout.read(size + 1)
        except (OSError, ValueError, IndexError, subprocess.SubprocessError) as error:
            message = f"the content {blob_hash[:12]} is missing in the snapshot"
            raise SnapshotError(message) from error
        return content[:size]


def _change_file(root: Path, change: FileChange, content: bytes) -> None:
    """Replace, create or remove one file, if it is still what the plan expects.

    Raises:
        _FileChangedError: it is not.
        OSError: it cannot be changed, or a folder in its path is a link now.
    """
    path = root / change.path
    with open_parent_folder(path, create=change.new_mode != _NO_FILE) as folder:
        permissions = _check_file(path.name, folder, change)
        if change.new_mode == _NO_FILE:
            os.unlink(path.name, dir_fd=folder)
        else:
            _write_file(path.name, folder, change, content, permissions)
    if change.new_mode == _NO_FILE:
        _remove_empty_folders(root, path.parent)


def _check_file(name: str, folder: int, change: FileChange) -> int | None:
    """Return the permissions of a regular file; None: there is none."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        if change.old_mode == _NO_FILE:
            return None
        raise _FileChangedError from None
    if change.old_mode == _NO_FILE:
        raise _FileChangedError
    if stat.S_ISLNK(status.st_mode):
        content = os.fsencode(os.readlink(name, dir_fd=folder))
        is_same = change.old_mode == _LINK_MODE
    else:
        if not stat.S_ISREG(status.st_mode):
            raise _FileChangedError
        is_same = change.old_mode != _LINK_MODE
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with os.fdopen(file, "rb") as stream:
            content = stream.read()
    if not is_same or _hash_blob(content, len(change.old_hash)) != change.old_hash:
        raise _FileChangedError
    return None if stat.S_ISLNK(status.st_mode) else stat.S_IMODE(status.st_mode)


def _write_file(
    name: str, folder: int, change: FileChange, content: bytes, permissions: int | None
) -> None:
    """Write to a temporary name first, so that the file is never incomplete."""
    temporary = f".greenroom-{secrets.token_hex(8)}"
    try:
        if change.new_mode == _LINK_MODE:
            os.symlink(os.fsdecode(content), temporary, dir_fd=folder)
        else:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            with os.fdopen(os.open(temporary, flags, 0o666, dir_fd=folder), "wb") as stream:
                stream.write(content)
                mode = permissions or stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
                if change.new_mode == _EXECUTABLE_MODE:
                    mode |= (mode & 0o444) >> 2  # a user who may read it may run it
                else:
                    mode &= ~0o111
                os.fchmod(stream.fileno(), mode)
        if change.old_mode == _NO_FILE:
            os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
            os.unlink(temporary, dir_fd=folder)
        else:
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _remove_empty_folders(root: Path, folder: Path) -> None:
    while folder != root:
        try:
            folder.rmdir()
        except OSError:  # not empty
            return
        folder = folder.parent


def _hash_blob(content: bytes, hash_chars: int) -> str:
    """Return git's hash of a blob, in SHA-1 (40 digits) or SHA-256."""
    algorithm = hashlib.sha256() if hash_chars == 64 else hashlib.sha1(usedforsecurity=False)  # noqa: PLR2004
    algorithm.update(b"blob %d\0" % len(content))
    algorithm.update(content)
    return algorithm.hexdigest()
