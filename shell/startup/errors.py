"""What the system refuses before the work begins: a fault of the disk, or of what was asked."""

from errno import EDQUOT, EFBIG, EIO, ENOSPC, EROFS

from shell.cli.arguments import DiskError, StartError

DISK_ERRNOS = frozenset({EDQUOT, EFBIG, EIO, ENOSPC, EROFS})
"""The disk is full, at its limit for us, broken or read-only, whatever path it is asked for."""


def to_start_error(message: str, error: BaseException | None) -> StartError:
    """Tell what happened as the fault of whoever can mend it; `error` is what the system said."""
    of_disk = isinstance(error, OSError) and error.errno in DISK_ERRNOS
    return DiskError(message) if of_disk else StartError(message)
