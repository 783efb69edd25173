"""Reading a small file that somebody else may have made: never a pipe, never without an end."""

import errno
import os
import stat
from pathlib import Path


def read_regular_file(path: Path, max_bytes: int) -> bytes:
    """Read at most so many bytes of a regular file, without ever waiting.

    Raises:
        OSError: it is not there, not a regular file, or cannot be read.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            what = "it is a folder" if stat.S_ISDIR(mode) else "it is no regular file"
            raise OSError(errno.EINVAL, what)
        return file.read(max_bytes)
