"""A file that a person asked for: new, whole, and for its owner alone."""

import os
from contextlib import suppress
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_new_file(path: Path, data: bytes) -> None:
    """Write a file that is not there yet; conversations hold secrets, so nobody else may read it.

    Raises:
        FileExistsError: it is there.
        OSError: it cannot be written; nothing is left of it, so that the name can be used again.
    """
    descriptor = os.open(path, _NEW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise
