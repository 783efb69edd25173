"""The file of what the person has said, for all their sessions.

It is as private as the sessions themselves (0600, never through a link) and shorter: what held a
folded paste, or began with a blank, or looks like a key or password is never written here. A
history that cannot be read or written is no reason to stop; then this session has its own only.
"""

import errno
import fcntl
import json
import logging
import os
import re
import stat
from pathlib import Path

from actors.redaction.redaction import redact

log = logging.getLogger("greenroom.history")

MAX_ENTRIES = 1_000
MAX_ENTRY_CHARS = 4_000
_MOST_BYTES = 2_000_000
_SAFELY = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_SECRET = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY|\b(?:sk|rk|pk)[-_][\w-]{16,}|\bgh[a-z]_\w{16,}"
    r"|\bgithub_pat_\w+|\bxox[a-z]-[\w-]+|\bAKIA[0-9A-Z]{12,}|\bAIza[\w-]{30,}|\beyJ[\w-]+\.[\w-]+\."
    r"|(?i:pass(?:word|wd|phrase)|secret|token|api[_-]?key)\w*\s*[:=]\s*\S",
)


def can_store_entry(text: str) -> bool:
    """Whether what was said may be written to the file."""
    return 0 < len(text) <= MAX_ENTRY_CHARS and not text[0].isspace() and not _SECRET.search(text)


def load_entries(path: Path | None) -> tuple[str, ...]:
    """Read the last entries, oldest first; lines that are none are left out."""
    if path is None:
        return ()
    try:
        with os.fdopen(_regular(path, os.O_RDONLY), "rb") as opened:
            data = opened.read(2 * _MOST_BYTES)
    except FileNotFoundError:
        return ()
    except OSError as error:
        log.warning("the history cannot be read: %s", error)
        return ()
    return _entries(data)[-MAX_ENTRIES:]


def append_entry(path: Path | None, text: str, secrets: tuple[bytes, ...] = ()) -> None:
    """Add an entry, `secrets` left out of it; the oldest leave when there are too many."""
    if path is None or not can_store_entry(text):
        return
    data = text.encode("utf-8", "replace")
    text = redact(data, secrets).decode()
    try:
        _append(path, text)
    except OSError as error:
        log.warning("the history cannot be written: %s", error)


def _append(path: Path, text: str) -> None:
    file = _regular(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    with os.fdopen(file, "r+b") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)  # two programs at once: one goes without
        if os.fstat(file).st_size > _MOST_BYTES:
            kept = _entries(opened.read())[-MAX_ENTRIES // 2 :]
            opened.truncate(0)
            opened.write(b"".join(map(_line, kept)))
        opened.write(_line(text))


def _regular(path: Path, flags: int) -> int:
    """Open a file, for its owner alone; what else may stand there is refused."""
    file = os.open(path, flags | _SAFELY, 0o600)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return file


def _line(text: str) -> bytes:
    return json.dumps(text).encode() + b"\n"


def _entries(data: bytes) -> tuple[str, ...]:
    return tuple(entry for line in data.split(b"\n") if (entry := _entry(line)))


def _entry(line: bytes) -> str:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    return entry.encode("utf-8", "replace").decode() if isinstance(entry, str) else ""
