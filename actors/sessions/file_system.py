"""The file system port of session files and stores: one method per system call."""

import fcntl
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from errno import ENOSPC
from pathlib import Path
from typing import Protocol

PRIVATE_FILE_MODE = 0o600
PRIVATE_FOLDER_MODE = 0o700
_READ_BYTES = 1 << 20
_LOCK_RETRY_S = 0.01
_MAX_LOCK_TRIES = 200
_SAFE_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class FileSystem(Protocol):
    """The system calls that our own files need; tests replace them with faulty ones.

    Every method raises OSError as the system does.
    """

    def open(self, path: Path, flags: int) -> int:
        """Open or create a file that only its owner may read; return its descriptor.

        It follows no link and does not wait for a pipe.
        """
        ...

    def stat(self, descriptor: int) -> os.stat_result:
        """Return the file's type, owner and mode."""
        ...

    def lock(self, descriptor: int, *, wait: bool = False) -> bool:
        """Lock the file until it is closed; return False if another process holds the lock.

        `wait` retries for a short time.
        """
        ...

    def read(self, descriptor: int) -> bytes:
        """Read the whole file."""
        ...

    def write(self, descriptor: int, data: bytes) -> int:
        """Write once; return the number of bytes written, which may be fewer."""
        ...

    def sync(self, descriptor: int) -> None:
        """Return when the written data is on disk."""
        ...

    def truncate(self, descriptor: int, length_bytes: int) -> None:
        """Truncate the file."""
        ...

    def close(self, descriptor: int) -> None:
        """Close the file, which also unlocks it."""
        ...

    def rename(self, path: Path, to: Path) -> None:
        """Replace the file `to` with `path` atomically."""
        ...

    def remove(self, path: Path) -> None:
        """Remove a file."""
        ...

    def is_folder(self, path: Path) -> bool:
        """Return whether the folder exists."""
        ...

    def make_folder(self, path: Path) -> None:
        """Create a folder that only its owner may enter; its parent must exist."""
        ...

    def sync_folder(self, path: Path) -> None:
        """Return when the folder's entries are on disk."""
        ...


class LocalFileSystem:
    """The real system calls."""

    def open(self, path: Path, flags: int) -> int:
        """Open or create a file that only its owner may read, without following a link."""
        return os.open(path, flags | _SAFE_FLAGS, PRIVATE_FILE_MODE)

    def stat(self, descriptor: int) -> os.stat_result:
        """Return the file's type, owner and mode."""
        return os.fstat(descriptor)

    def lock(self, descriptor: int, *, wait: bool = False) -> bool:
        """Lock the file until it is closed; return False if another process holds the lock."""
        tries = _MAX_LOCK_TRIES if wait else 1
        while not _try_to_lock(descriptor):
            tries -= 1
            if not tries:
                return False
            threading.Event().wait(_LOCK_RETRY_S)
        return True

    def read(self, descriptor: int) -> bytes:
        """Read the whole file."""
        data = bytearray()
        while chunk := os.pread(descriptor, _READ_BYTES, len(data)):
            data += chunk
        return bytes(data)

    def write(self, descriptor: int, data: bytes) -> int:
        """Write once; return the number of bytes written, which may be fewer."""
        return os.write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        """Return when the written data is on disk."""
        # macOS has no fdatasync, and its fsync says nothing about the disk's own cache.
        if hasattr(os, "fdatasync"):
            os.fdatasync(descriptor)
        else:
            os.fsync(descriptor)

    def truncate(self, descriptor: int, length_bytes: int) -> None:
        """Truncate the file."""
        os.ftruncate(descriptor, length_bytes)

    def close(self, descriptor: int) -> None:
        """Close the file, which also unlocks it."""
        os.close(descriptor)

    def rename(self, path: Path, to: Path) -> None:
        """Replace the file `to` with `path` atomically."""
        path.replace(to)

    def remove(self, path: Path) -> None:
        """Remove a file."""
        path.unlink()

    def is_folder(self, path: Path) -> bool:
        """Return whether the folder exists."""
        return path.is_dir()

    def make_folder(self, path: Path) -> None:
        """Create a folder that only its owner may enter; its parent must exist."""
        path.mkdir(mode=PRIVATE_FOLDER_MODE, exist_ok=True)

    def sync_folder(self, path: Path) -> None:
        """Return when the folder's entries are on disk."""
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _try_to_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def close_on_error(descriptor: int, file_system: FileSystem) -> Generator[None]:
    """Close a file if the block raises; otherwise it stays open."""
    try:
        yield
    except BaseException:
        file_system.close(descriptor)
        raise


def make_private_folder(folder: Path, file_system: FileSystem) -> None:
    """Create a folder and its missing parents; all are on disk when this returns."""
    if file_system.is_folder(folder):
        return
    make_private_folder(folder.parent, file_system)
    file_system.make_folder(folder)
    file_system.sync_folder(folder.parent)


def require_complete_write(written_bytes: int, data: bytes) -> None:
    """Treat a short write as a failure.

    Raises:
        OSError: not all of `data` was written.
    """
    if written_bytes < len(data):
        detail = f"only {written_bytes} of {len(data)} bytes were written; the disk may be full"
        raise OSError(ENOSPC, detail)
