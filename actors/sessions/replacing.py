"""Replacing a small file of ours as a whole: a reader finds the old one or the new one."""

import os
import secrets
from pathlib import Path

from actors.sessions.files import RealFiles, make_private

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def replace_file(path: Path, data: bytes) -> None:
    """Put a file in the place of another and return when it is on disk; only its owner reads it.

    Raises:
        OSError: it could not be written; the old file is as it was.
    """
    make_private(path.parent, RealFiles())
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(new, _NEW, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    RealFiles().sync_folder(path.parent)
