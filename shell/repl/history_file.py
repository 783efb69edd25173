"""The input history file, shared by all sessions.

It is as private as the session files (mode 0600, symbolic links are not followed). Inputs that
contain a folded paste, start with a blank, or look like a key or password are never written. If the
file cannot be read or written, the session uses only its own history.
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
_MAX_FILE_BYTES = 2_000_000
_SAFE_OPEN_FLAGS = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_SECRET = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY|\b(?:sk|rk|pk)[-_][\w-]{16,}|\bgh[a-z]_\w{16,}"
    r"|\bgithub_pat_\w+|\bxox[a-z]-[\w-]+|\bAKIA[0-9A-Z]{12,}|\bAIza[\w-]{30,}|\beyJ[\w-]+\.[\w-]+\."
    r"|(?i:pass(?:word|wd|phrase)|secret|token|api[_-]?key)\w*\s*[:=]\s*\S",
)


def can_store_entry(text: str) -> bool:
    """Return whether an input may be written to the file."""
    return 0 < len(text) <= MAX_ENTRY_CHARS and not text[0].isspace() and not _SECRET.search(text)


def load_entries(path: Path | None) -> tuple[str, ...]:
    """Return the last entries, oldest first; invalid lines are skipped."""
    if path is None:
        return ()
    try:
        with os.fdopen(_open_regular_file(path, os.O_RDONLY), "rb") as opened:
            data = opened.read(2 * _MAX_FILE_BYTES)
    except FileNotFoundError:
        return ()
    except OSError as error:
        log.warning("the input history cannot be read: %s", error)
        return ()
    return _parse_entries(data)[-MAX_ENTRIES:]


def append_entry(path: Path | None, text: str, secrets: tuple[bytes, ...] = ()) -> None:
    """Add an entry, with `secrets` redacted; drop the oldest entries when there are too many."""
    if path is None or not can_store_entry(text):
        return
    data = text.encode("utf-8", "replace")
    text = redact(data, secrets).decode()
    try:
        _append(path, text)
    except OSError as error:
        log.warning("the input history cannot be written: %s", error)


def _append(path: Path, text: str) -> None:
    file = _open_regular_file(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    with os.fdopen(file, "r+b") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)  # if it is locked, the entry is lost
        if os.fstat(file).st_size > _MAX_FILE_BYTES:
            newest = _parse_entries(opened.read())[-MAX_ENTRIES // 2 :]
            opened.truncate(0)
            opened.write(b"".join(map(_format_line, newest)))
        opened.write(_format_line(text))


def _open_regular_file(path: Path, flags: int) -> int:
    """Open a file for its owner only; refuse anything that is not a regular file."""
    file = os.open(path, flags | _SAFE_OPEN_FLAGS, 0o600)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return file


def _format_line(text: str) -> bytes:
    return json.dumps(text).encode() + b"\n"


def _parse_entries(data: bytes) -> tuple[str, ...]:
    return tuple(entry for line in data.split(b"\n") if (entry := _parse_entry(line)))


def _parse_entry(line: bytes) -> str:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    return entry.encode("utf-8", "replace").decode() if isinstance(entry, str) else ""
