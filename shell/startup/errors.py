"""Errors that keep the program from starting as requested.

Imports nothing but `errno`, so that `--version` stays fast.
"""

from errno import EDQUOT, EFBIG, EIO, ENOSPC, EROFS

DISK_ERRNOS = frozenset({EDQUOT, EFBIG, EIO, ENOSPC, EROFS})
"""The disk is full, over quota, broken or read-only; another path would not help."""


class StartError(Exception):
    """The program cannot start as requested; each argument is printed as one line."""

    exit_status = 2


class DiskError(StartError):
    """The program cannot start because the disk cannot be written."""

    exit_status = 1


def to_start_error(message: str, error: BaseException | None) -> StartError:
    """Return a `DiskError` if `error`, the cause, is a failure of the disk, else a `StartError`."""
    is_disk_failure = isinstance(error, OSError) and error.errno in DISK_ERRNOS
    return DiskError(message) if is_disk_failure else StartError(message)
