"""The port through which sessions and stores touch the file system, one call of it each."""

import fcntl
import os
import threading
from pathlib import Path
from typing import Protocol

PRIVATE_FILE_MODE = 0o600
PRIVATE_FOLDER_MODE = 0o700
_READ_BYTES = 1 << 20
_LOCK_PAUSE_S = 0.01
_LOCK_TRIES = 200
_SAFELY = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class FileSystem(Protocol):
    """What our own files need of the system; a faulty one can stand in for each call.

    Every method raises OSError as the system does.
    """

    def open(self, path: Path, flags: int) -> int:
        """Open or create a file that only its owner may read, never by a link or waiting.

        Return its descriptor.
        """
        ...

    def stat(self, descriptor: int) -> os.stat_result:
        """Say what kind of file it is, whose, and who may do what."""
        ...

    def lock(self, descriptor: int, *, wait: bool = False) -> bool:
        """Lock the file for as long as it is open; False when another holds it.

        `wait` gives one that holds it for a moment the time to let go.
        """
        ...

    def read(self, descriptor: int) -> bytes:
        """Read the whole file."""
        ...

    def write(self, descriptor: int, data: bytes) -> int:
        """Write once; return how many bytes went in, which may be fewer."""
        ...

    def sync(self, descriptor: int) -> None:
        """Return when what was written is on disk."""
        ...

    def truncate(self, descriptor: int, length_bytes: int) -> None:
        """Cut the file off."""
        ...

    def close(self, descriptor: int) -> None:
        """Close, and unlock what was locked."""
        ...

    def rename(self, path: Path, to: Path) -> None:
        """Put a file in the place of another, which is either still there or gone at once."""
        ...

    def remove(self, path: Path) -> None:
        """Remove a file."""
        ...

    def is_folder(self, path: Path) -> bool:
        """Say whether a folder is there."""
        ...

    def make_folder(self, path: Path) -> None:
        """Make a folder that only its owner may enter; its parent is there."""
        ...

    def sync_folder(self, path: Path) -> None:
        """Return when the folder's entries are on disk."""
        ...


class LocalFileSystem:
    """The system's own calls."""

    def open(self, path: Path, flags: int) -> int:
        """Open or create a file that only its owner may read, never by a link or waiting."""
        return os.open(path, flags | _SAFELY, PRIVATE_FILE_MODE)

    def stat(self, descriptor: int) -> os.stat_result:
        """Say what kind of file it is, whose, and who may do what."""
        return os.fstat(descriptor)

    def lock(self, descriptor: int, *, wait: bool = False) -> bool:
        """Lock the file for as long as it is open; False when another holds it."""
        tries = _LOCK_TRIES if wait else 1
        while not _try_to_lock(descriptor):
            tries -= 1
            if not tries:
                return False
            threading.Event().wait(_LOCK_PAUSE_S)
        return True

    def read(self, descriptor: int) -> bytes:
        """Read the whole file."""
        parts = bytearray()
        while part := os.pread(descriptor, _READ_BYTES, len(parts)):
            parts += part
        return bytes(parts)

    def write(self, descriptor: int, data: bytes) -> int:
        """Write once; return how many bytes went in, which may be fewer."""
        return os.write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        """Return when what was written is on disk."""
        # macOS has no fdatasync, and its fsync says nothing about the disk's own cache.
        if hasattr(os, "fdatasync"):
            os.fdatasync(descriptor)
        else:
            os.fsync(descriptor)

    def truncate(self, descriptor: int, length_bytes: int) -> None:
        """Cut the file off."""
        os.ftruncate(descriptor, length_bytes)

    def close(self, descriptor: int) -> None:
        """Close, and unlock what was locked."""
        os.close(descriptor)

    def rename(self, path: Path, to: Path) -> None:
        """Put a file in the place of another, which is either still there or gone at once."""
        path.replace(to)

    def remove(self, path: Path) -> None:
        """Remove a file."""
        path.unlink()

    def is_folder(self, path: Path) -> bool:
        """Say whether a folder is there."""
        return path.is_dir()

    def make_folder(self, path: Path) -> None:
        """Make a folder that only its owner may enter; its parent is there."""
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


def make_private_folder(folder: Path, file_system: FileSystem) -> None:
    """Make a folder and those above it that are missing; each is on disk when this returns."""
    if file_system.is_folder(folder):
        return
    make_private_folder(folder.parent, file_system)
    file_system.make_folder(folder)
    file_system.sync_folder(folder.parent)
