"""Opening a session file: only one that nobody else can have written.

What a session file says goes to the model and decides what is allowed, so it is taken from a
regular file of ours alone.
"""

import errno
import os
import stat
from pathlib import Path

from actors.sessions.errors import LogError
from actors.sessions.file_system import FileSystem

_OTHERS_MAY_WRITE = 0o022


def open_private(path: Path, flags: int, file_system: FileSystem) -> int:
    """Open or create a session file; return its descriptor.

    Raises:
        LogError: it is no regular file, another user's, or one that others may write to.
        OSError: it cannot be opened.
    """
    descriptor = _opened(path, flags, file_system)
    try:
        _require_ours(path, file_system.stat(descriptor))
    except BaseException:
        file_system.close(descriptor)
        raise
    return descriptor


def describe_trust_problem(status: os.stat_result) -> str:
    """Say why a file is not taken for ours and what to do about it; empty: it is ours."""
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file; move it away"
    if status.st_uid != os.geteuid():
        return f"belongs to another user (id {status.st_uid}); chown it if you trust it, or move it"
    if status.st_mode & _OTHERS_MAY_WRITE:
        mode = stat.S_IMODE(status.st_mode)
        return f"others may write to it (mode {mode:o}); chmod it to 600 if you trust it"
    return ""


def _opened(path: Path, flags: int, files: FileSystem) -> int:
    try:
        return files.open(path, flags)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        message = f"{path}: a link, and no file of ours is opened by one; move it away"
        raise LogError(message) from error


def _require_ours(path: Path, status: os.stat_result) -> None:
    problem = describe_trust_problem(status)
    if problem:
        message = f"{path}: {problem}"
        raise LogError(message)
