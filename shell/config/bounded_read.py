"""Reads small files that may be hostile: never blocks on a pipe, never reads past a limit."""

import errno
import os
import stat
from pathlib import Path


def read_regular_file(path: Path, max_bytes: int) -> bytes:
    """Read at most `max_bytes` bytes of a regular file without blocking.

    Raises:
        OSError: it does not exist, is not a regular file, or cannot be read.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            problem = "Is a directory" if stat.S_ISDIR(mode) else "Not a regular file"
            raise OSError(errno.EINVAL, problem)
        return file.read(max_bytes)
