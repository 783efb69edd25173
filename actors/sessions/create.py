"""Creates session files; a file gets its name only when its first records are on disk."""

import os
from contextlib import suppress
from pathlib import Path

from actors.sessions.errors import map_os_errors
from actors.sessions.file_system import (
    FileSystem,
    close_on_error,
    make_private_folder,
    require_complete_write,
)
from actors.sessions.session_lock import open_locked
from actors.sessions.trusted_open import open_private

_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL


def create_session_file(path: Path, data: bytes, file_system: FileSystem) -> int:
    """Write a new session file and lock it; return its descriptor.

    If the program is killed meanwhile, at most an empty file is left, which is not a session.

    Raises:
        LogError: the file already exists or cannot be written.
    """
    with map_os_errors(path):
        make_private_folder(path.parent, file_system)
        # Reserves the name, so that the rename below never replaces a file.
        file_system.close(open_private(path, _FLAGS, file_system))
        temporary = path.with_name(f"{path.name}.new")
        try:
            return _write_and_rename(temporary, path, data, file_system)
        except BaseException:
            for leftover in (temporary, path):
                with suppress(OSError):
                    file_system.remove(leftover)
            raise


def _write_and_rename(temporary: Path, path: Path, data: bytes, file_system: FileSystem) -> int:
    descriptor = open_locked(temporary, _FLAGS, file_system)
    with close_on_error(descriptor, file_system):
        written = file_system.write(descriptor, data)
        require_complete_write(written, data)
        file_system.sync(descriptor)
        file_system.rename(temporary, path)
        file_system.sync_folder(path.parent)
    return descriptor
