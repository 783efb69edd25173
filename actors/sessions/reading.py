"""What a session file says: a strict prefix, a torn end told from damage."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from actors.sessions.faults import LogDamaged, LogError
from actors.sessions.files import Files, RealFiles
from actors.sessions.opening import open_private
from messages.transcript import FORMAT, Record, RunStarted, Session
from messages.wire import ChecksumError, Line, WireError, decode_line

_RECORDS: tuple[type, ...] = get_args(get_args(Record)[0])


@dataclass(frozen=True, slots=True)
class LogContents:
    """The records of a session file that count."""

    lines: tuple[Line, ...] = ()
    torn: bytes = b""
    """What stands behind the last whole record: a write that was cut short. Empty: nothing."""
    good_bytes: int = 0
    """Where the torn end begins; without one, the file's length."""
    torn_kept: Path | None = None
    """The file that the torn end was moved to, once it was cut off."""

    @property
    def records(self) -> tuple[Record, ...]:
        """What was recorded, without the stamps; that each is a record was checked on reading."""
        return tuple(cast("Record", line.message) for line in self.lines)


def read_log(path: Path, files: Files | None = None) -> LogContents:
    """Read a session file without locking or changing it.

    Raises:
        LogDamaged: a record before the last one cannot be trusted.
        LogError: there is no such file, it is not a session file that this version knows, or it is
            not ours alone.
    """
    files = files or RealFiles()
    try:
        descriptor = open_private(path, os.O_RDONLY, files)
        try:
            data = files.read(descriptor)
        finally:
            files.close(descriptor)
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise LogError(message) from error
    return parse(path, data)


def parse(path: Path, data: bytes) -> LogContents:
    """Take a session file's bytes apart; `path` is for the errors, raised as by `read_log`."""
    *whole, rest = data.split(b"\n")
    torn_line = rest == b"" and bool(whole) and _checksum_fails(whole[-1])
    if torn_line:
        rest = whole.pop() + b"\n"
    lines = _all_lines(path, whole)
    _check_first(path, lines)
    return LogContents(lines, torn=rest, good_bytes=len(data) - len(rest))


def last_run(data: bytes) -> RunStarted | None:
    """Find who opened the session last, in a file that may still be growing."""
    for raw in reversed(data.split(b"\n")):
        if b'"run_started"' in raw:
            try:
                said = decode_line(raw).message
            except WireError:
                continue
            if isinstance(said, RunStarted):
                return said
    return None


def _all_lines(path: Path, whole: list[bytes]) -> tuple[Line, ...]:
    lines: list[Line] = []
    offset_bytes = 0
    for number, raw in enumerate(whole, start=1):
        try:
            lines.append(_record(raw, number))
        except WireError as error:
            raise LogDamaged(path, number, offset_bytes, len(whole), str(error)) from None
        offset_bytes += len(raw) + 1
    return tuple(lines)


def _record(raw: bytes, seq: int) -> Line:
    line = decode_line(raw)
    if line.seq != seq:
        message = f"record {line.seq} stands where {seq} belongs"
        raise WireError(message)
    if not isinstance(line.message, _RECORDS):
        message = f"{type(line.message).__name__} is no record of a session"
        raise WireError(message)
    return line


def _checksum_fails(raw: bytes) -> bool:
    # Only an unfinished write is cut off: a whole line of a version we do not know never is.
    try:
        decode_line(raw)
    except ChecksumError:
        return True
    except WireError:
        return False
    return False


def _check_first(path: Path, lines: tuple[Line, ...]) -> None:
    first = lines[0].message if lines else None
    if not isinstance(first, Session):
        message = f"{path}: not a session file: it does not begin with a session record"
        raise LogError(message)
    if first.format > FORMAT:
        message = f"{path}: written in format {first.format}; this version knows up to {FORMAT}"
        raise LogError(message)
