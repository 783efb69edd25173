"""Writes a new private file for the user."""

import os
from contextlib import suppress
from pathlib import Path

_NEW_FILE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_new_file(path: Path, data: bytes) -> None:
    """Write a new file that only its owner can read, since conversations may contain secrets.

    Raises:
        FileExistsError: the file exists.
        OSError: it cannot be written; an incomplete file is removed.
    """
    descriptor = os.open(path, _NEW_FILE_FLAGS, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise
