"""The session file, open for writing: held by a lock, each append whole or not at all."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path
from typing import NoReturn

from actors.sessions.create import (
    create_session_file,
    map_os_errors,
    open_locked,
    require_complete_write,
)
from actors.sessions.errors import LogDamagedError, LogError, LogLockedError
from actors.sessions.file_system import FileSystem, LocalFileSystem
from actors.sessions.log_reader import LogContents, parse_log
from actors.sessions.private_open import open_private
from messages.address import Address
from messages.journal import Record
from messages.serialization import JournalLine, encode_line

__all__ = ["LogDamagedError", "LogError", "LogLockedError", "SessionLog"]

_FLAGS = os.O_RDWR | os.O_APPEND
WallClock = Callable[[], float]
"""Seconds since 1970."""


class SessionLog:
    """One session file, held against every other writer until `close`."""

    def __init__(  # noqa: PLR0913  (called by `create` and `open` alone)
        self,
        path: Path,
        descriptor: int,
        wall_clock: WallClock,
        file_system: FileSystem,
        *,
        record_count: int,
        valid_bytes: int,
    ) -> None:
        """Take over an open, locked file that holds so much; use `create` or `open`."""
        self.path = path
        self._lock = descriptor
        self._descriptor = descriptor
        self._wall_clock = wall_clock
        self._files = file_system
        self._seq = record_count
        self._good_bytes = valid_bytes
        self._doubtful = False
        """Nobody knows what stands behind the good bytes: it is looked at before the next write."""
        self.last_failure = ""
        """Why the last append was refused; empty: it is on disk."""

    @classmethod
    def create(
        cls,
        path: Path,
        records: Sequence[tuple[Record, Address]],
        wall_clock: WallClock,
        file_system: FileSystem | None = None,
    ) -> "SessionLog":
        """Begin a session file and its folder; the first record is its `Session`.

        Raises:
            LogError: the file is there already, or cannot be written.
        """
        file_system = file_system or LocalFileSystem()
        with map_os_errors(path):
            data = encode_group(records, 1, wall_clock())
        descriptor = create_session_file(path, data, file_system)
        counts = {"record_count": len(records), "valid_bytes": len(data)}
        return cls(path, descriptor, wall_clock, file_system, **counts)

    @classmethod
    def open(
        cls, path: Path, wall_clock: WallClock, file_system: FileSystem | None = None
    ) -> tuple["SessionLog", LogContents]:
        """Go on with a session file; a torn end is kept aside and cut off first.

        Raises:
            LogLocked: another program has it open.
            LogDamaged: a record before the last group cannot be trusted; the file is untouched.
            LogError: it cannot be read or written, is not a session file, or not ours alone.
        """
        file_system = file_system or LocalFileSystem()
        descriptor, contents = _opened(path, file_system)
        counts = {"record_count": len(contents.lines), "valid_bytes": contents.valid_bytes}
        return cls(path, descriptor, wall_clock, file_system, **counts), contents

    def reopen(self) -> None:
        """Open the file anew, as after a crash of whoever wrote to it.

        Raises:
            LogError: as `open`; the log cannot be used then.
        """
        self.close()
        descriptor, held = _opened(self.path, self._files)
        self._lock = self._descriptor = descriptor
        if not self._doubtful:  # else what was refused may stand there, and has yet to be cut off
            self._seq, self._good_bytes = len(held.lines), held.valid_bytes

    def read(self) -> LogContents:
        """Read back what is on disk.

        Raises:
            LogError: it cannot be read, or a record of it cannot be trusted.
        """
        self._require_open()
        with map_os_errors(self.path):
            data = self._files.read(self._descriptor)
        return parse_log(self.path, data[: self._good_bytes])

    def append(self, records: Sequence[tuple[Record, Address]]) -> None:
        """Write records as one group and return when they are on disk.

        Raises:
            LogError: none of them counts. The log serves on as soon as the disk does.
        """
        if not records:
            return
        try:
            self._append(records)
        except LogError as error:
            self.last_failure = error.detail
            raise
        self.last_failure = ""

    def _append(self, records: Sequence[tuple[Record, Address]]) -> None:
        self._require_open()
        with map_os_errors(self.path):
            data = encode_group(records, self._seq + 1, self._wall_clock())
            if self._doubtful:
                self._open_anew()
            self._require_there()
            self._write(data)
            self._sync()
        self._seq += len(records)
        self._good_bytes += len(data)

    def close(self) -> None:
        """Let go of the file; a second time does nothing."""
        if self._lock >= 0:
            held = {self._lock, self._descriptor}
            self._lock = self._descriptor = -1
            for descriptor in held:
                self._files.close(descriptor)

    def _require_open(self) -> None:
        if self._lock < 0:
            self._refuse("closed")

    def _require_there(self) -> None:
        """Refuse to write into a file that has no name any more, where nobody would find it."""
        if not self._files.stat(self._descriptor).st_nlink:
            self._doubtful = True
            self._refuse("the file is gone; put it back, or begin a new session")

    def _write(self, data: bytes) -> None:
        try:
            written = self._files.write(self._descriptor, data)
        except OSError:
            self._cut_back()
            raise
        if written < len(data):
            self._cut_back()
            require_complete_write(written, data)

    def _sync(self) -> None:
        try:
            self._files.sync(self._descriptor)
        except OSError:
            # What the descriptor would say from now on is worth nothing: a second sync of it
            # succeeds although the data is gone.
            self._doubtful = True
            self._try_to_open_anew()
            raise

    def _cut_back(self) -> None:
        """Take an unfinished group off again, so that no later record is glued to it.

        Synced too: what was refused must not come back after a power cut.
        """
        try:
            self._files.truncate(self._descriptor, self._good_bytes)
            self._files.sync(self._descriptor)
        except OSError:
            self._doubtful = True

    def _try_to_open_anew(self) -> None:
        """Cut off now what was reported as not written; else before the next write."""
        try:
            self._open_anew()
        except (OSError, LogError):
            self._doubtful = True

    def _open_anew(self) -> None:
        """Take a fresh descriptor and look at what is on disk; the lock is never let go."""
        descriptor = open_private(self.path, _FLAGS, self._files)
        try:
            self._check(descriptor)
            self._files.truncate(descriptor, self._good_bytes)
            self._files.sync(descriptor)
        except BaseException:
            self._files.close(descriptor)
            raise
        if self._descriptor != self._lock:
            self._files.close(self._descriptor)
        self._descriptor = descriptor
        self._doubtful = False

    def _check(self, descriptor: int) -> None:
        """Require the records that were acknowledged, in the file that we hold."""
        here, ours = self._files.stat(descriptor), self._files.stat(self._lock)
        if (here.st_dev, here.st_ino) != (ours.st_dev, ours.st_ino):
            self._refuse("another file has taken its place; put it back, or begin a new session")
        held = parse_log(self.path, self._files.read(descriptor)[: self._good_bytes])
        if (len(held.lines), held.valid_bytes) != (self._seq, self._good_bytes):
            whole = len(held.lines)
            self._refuse(f"of {self._seq} records {whole} are left; begin a new session")

    def _refuse(self, why: str) -> NoReturn:
        message = f"{self.path}: {why}"
        raise LogError(message)


def encode_group(records: Sequence[tuple[Record, Address]], first_seq: int, now_s: float) -> bytes:
    """Write records as one group of lines, the first with number `seq`."""
    numbered = enumerate(records, start=first_seq)
    return b"".join(
        encode_line(JournalLine(n, now_s, by, said, group=first_seq)) for n, (said, by) in numbered
    )


def _opened(path: Path, files: FileSystem) -> tuple[int, LogContents]:
    with map_os_errors(path):
        descriptor = open_locked(path, _FLAGS, files)
        try:
            contents = _recovered(path, descriptor, files)
            # Whoever began it may have been killed before its name was on disk.
            files.sync_folder(path.parent)
        except BaseException:
            files.close(descriptor)
            raise
    return descriptor, contents


def _recovered(path: Path, descriptor: int, files: FileSystem) -> LogContents:
    contents = parse_log(path, files.read(descriptor))
    if not contents.torn:
        return contents
    # Aside first: a crash between the two steps leaves the torn end twice, never nowhere.
    aside = _keep_aside(path, contents, files)
    files.truncate(descriptor, contents.valid_bytes)
    files.sync(descriptor)
    return replace(contents, torn_file=aside)


def _keep_aside(path: Path, contents: LogContents, files: FileSystem) -> Path:
    aside = path.with_name(f"{path.name}.torn-{contents.valid_bytes}")
    descriptor = open_private(aside, os.O_WRONLY | os.O_CREAT | os.O_APPEND, files)
    try:
        if files.write(descriptor, contents.torn) < len(contents.torn):
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        files.sync(descriptor)
    finally:
        files.close(descriptor)
    files.sync_folder(path.parent)
    return aside
