"""Opens a session file with a lock, so that it has only one writer."""

import os
from pathlib import Path

from actors.sessions.errors import LogLockedError
from actors.sessions.file_system import FileSystem, close_on_error
from actors.sessions.log_reader import find_last_session_opened
from actors.sessions.trusted_open import open_private


def open_locked(path: Path, flags: int, file_system: FileSystem) -> int:
    """Open a session file and lock it against every other writer; return its descriptor.

    Raises:
        LogLockedError: another program has it open.
        LogError: another user could have written it.
        OSError: it cannot be opened.
    """
    descriptor = open_private(path, flags, file_system)
    with close_on_error(descriptor, file_system):
        _lock(path, descriptor, file_system)
    return descriptor


def is_process_running(pid: int) -> bool:
    """Return whether a process with this id exists, whichever user it belongs to."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _lock(path: Path, descriptor: int, file_system: FileSystem) -> None:
    if file_system.lock(descriptor):
        return
    run = find_last_session_opened(file_system.read(descriptor))
    # If a program is killed just as it forks a child, the child holds the lock for a moment, until
    # it executes another program.
    is_held_briefly = run is not None and not is_process_running(run.pid)
    if not is_held_briefly or not file_system.lock(descriptor, wait=True):
        raise LogLockedError(path, run.pid if run else None)
