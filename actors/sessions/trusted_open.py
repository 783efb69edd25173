"""Opens our own files, but only if no other user can have written them.

A session file's content goes to the model and decides what is allowed, so it must be a regular file
that belongs to the user and that only the user can write.
"""

import errno
import os
import stat
from pathlib import Path

from actors.sessions.errors import LogError
from actors.sessions.file_system import FileSystem, close_on_error

_WRITABLE_BY_OTHERS = 0o022


def open_private(path: Path, flags: int, file_system: FileSystem) -> int:
    """Open or create one of our own files; return its descriptor.

    Raises:
        LogError: it is not a regular file, belongs to another user, or other users can write to it.
        OSError: it cannot be opened.
    """
    descriptor = _open(path, flags, file_system)
    with close_on_error(descriptor, file_system):
        _require_trusted(path, file_system.stat(descriptor))
    return descriptor


def describe_trust_problem(status: os.stat_result) -> str:
    """Return why a file cannot be trusted to be ours, and what to do; empty if it can."""
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file; move it away"
    if status.st_uid != os.geteuid():
        return (
            f"belongs to another user (id {status.st_uid}); "
            "if you trust it, change its owner with chown; otherwise move it away"
        )
    if status.st_mode & _WRITABLE_BY_OTHERS:
        mode = stat.S_IMODE(status.st_mode)
        return f"other users can write to it (mode {mode:o}); if you trust it, run chmod 600 on it"
    return ""


def _open(path: Path, flags: int, file_system: FileSystem) -> int:
    try:
        return file_system.open(path, flags)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        message = f"{path}: a symbolic link, which is not followed here; move it away"
        raise LogError(message) from error


def _require_trusted(path: Path, status: os.stat_result) -> None:
    problem = describe_trust_problem(status)
    if problem:
        message = f"{path}: {problem}"
        raise LogError(message)
