"""A session file begins whole: it gets its name when its first records are on disk."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from errno import ENOSPC
from pathlib import Path

from actors.sessions.errors import LogError, LogLockedError
from actors.sessions.file_system import FileSystem, make_private_folder
from actors.sessions.log_reader import find_last_session_opened
from actors.sessions.private_open import open_private

_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL


def create_session_file(path: Path, data: bytes, file_system: FileSystem) -> int:
    """Write a new session file and lock it; return its descriptor.

    A program that is killed meanwhile leaves an empty file at most, which is no session.

    Raises:
        LogError: there is such a file already, or it cannot be written.
    """
    with map_os_errors(path):
        make_private_folder(path.parent, file_system)
        # Takes the name, so that nothing is ever replaced by the rename below.
        file_system.close(open_private(path, _FLAGS, file_system))
        new = path.with_name(f"{path.name}.new")
        try:
            return _begun(path, new, data, file_system)
        except BaseException:
            for left in (new, path):
                with suppress(OSError):
                    file_system.remove(left)
            raise


def open_locked(path: Path, flags: int, file_system: FileSystem) -> int:
    """Open a session file and lock it against every other writer.

    Raises:
        LogLocked: another program has it open.
        LogError: it is not ours alone.
        OSError: it cannot be opened.
    """
    descriptor = open_private(path, flags, file_system)
    try:
        _lock(path, descriptor, file_system)
    except BaseException:
        file_system.close(descriptor)
        raise
    return descriptor


def _lock(path: Path, descriptor: int, files: FileSystem) -> None:
    if files.lock(descriptor):
        return
    run = find_last_session_opened(files.read(descriptor))
    # A program that was killed just as it started another leaves the lock to that one, until it
    # becomes the other: for a moment.
    if run is None or is_process_running(run.pid) or not files.lock(descriptor, wait=True):
        raise LogLockedError(path, run.pid if run else None)


def is_process_running(pid: int) -> bool:
    """Whether there is such a process, whoever's it is."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


@contextmanager
def map_os_errors(path: Path) -> Generator[None]:
    """Say what the system refused, and for which session.

    Raises:
        LogError: instead of every OSError.
    """
    try:
        yield
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise LogError(message) from error


def require_complete_write(written: int, data: bytes) -> None:
    """Take a short write for a failed one.

    Raises:
        OSError: something is left.
    """
    if written < len(data):
        why = f"only {written} of {len(data)} bytes went in; is the disk full?"
        raise OSError(ENOSPC, why)


def _begun(path: Path, new: Path, data: bytes, files: FileSystem) -> int:
    descriptor = open_locked(new, _FLAGS, files)
    try:
        written = files.write(descriptor, data)
        require_complete_write(written, data)
        files.sync(descriptor)
        files.rename(new, path)
        files.sync_folder(path.parent)
    except BaseException:
        files.close(descriptor)
        raise
    return descriptor
