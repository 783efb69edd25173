"""The session file, open for writing: locked, and each append complete or not there at all."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from actors.sessions.create import create_session_file
from actors.sessions.errors import LogError, map_os_errors
from actors.sessions.file_system import (
    FileSystem,
    LocalFileSystem,
    close_on_error,
    require_complete_write,
)
from actors.sessions.log_reader import LogContents, parse_log
from actors.sessions.session_lock import open_locked
from actors.sessions.trusted_open import open_private
from messages.address import Address
from messages.journal import Record
from messages.serialization import JournalLine, encode_line

_FLAGS = os.O_RDWR | os.O_APPEND
WallClock = Callable[[], float]
"""Seconds since 1970."""


class SessionLog:
    """One session file, locked against every other writer until `close`."""

    def __init__(  # noqa: PLR0913  (called only by `create` and `open`)
        self,
        path: Path,
        descriptor: int,
        wall_clock: WallClock,
        file_system: FileSystem,
        *,
        record_count: int,
        valid_bytes: int,
    ) -> None:
        """Take over an open, locked file with this content; use `create` or `open` instead."""
        self.path = path
        self._lock_descriptor = descriptor
        self._descriptor = descriptor
        self._wall_clock = wall_clock
        self._file_system = file_system
        self._record_count = record_count
        self._valid_bytes = valid_bytes
        self._must_reopen = False
        """The bytes after the valid ones are unknown, so the next write checks the file first."""
        self.last_failure = ""
        """Why the last append failed; empty: it is on disk."""

    @classmethod
    def create(
        cls,
        path: Path,
        records: Sequence[tuple[Record, Address]],
        wall_clock: WallClock,
        file_system: FileSystem | None = None,
    ) -> "SessionLog":
        """Create a session file and its folder; the first record is a `SessionHeader`.

        Raises:
            LogError: the file already exists or cannot be written.
        """
        file_system = file_system or LocalFileSystem()
        with map_os_errors(path):
            data = encode_group(records, 1, wall_clock())
        descriptor = create_session_file(path, data, file_system)
        return cls(
            path,
            descriptor,
            wall_clock,
            file_system,
            record_count=len(records),
            valid_bytes=len(data),
        )

    @classmethod
    def open(
        cls, path: Path, wall_clock: WallClock, file_system: FileSystem | None = None
    ) -> tuple["SessionLog", LogContents]:
        """Open an existing session file; torn bytes at its end are moved to another file.

        Raises:
            LogLockedError: another program has it open.
            LogDamagedError: a record before the last group is damaged; the file is not changed.
            LogError: it cannot be read or written, is not a session file, or other users could have
                written it.
        """
        file_system = file_system or LocalFileSystem()
        descriptor, contents = _open_and_recover(path, file_system)
        session_log = cls(
            path,
            descriptor,
            wall_clock,
            file_system,
            record_count=len(contents.lines),
            valid_bytes=contents.valid_bytes,
        )
        return session_log, contents

    def reopen(self) -> None:
        """Open the file again after a crash of its writer.

        Raises:
            LogError: as for `open`; the log cannot be used then.
        """
        self.close()
        descriptor, contents = _open_and_recover(self.path, self._file_system)
        self._lock_descriptor = self._descriptor = descriptor
        # Otherwise a failed append may still be in the file and has yet to be removed.
        if not self._must_reopen:
            self._record_count = len(contents.lines)
            self._valid_bytes = contents.valid_bytes

    def read(self) -> LogContents:
        """Read back what is on disk.

        Raises:
            LogError: it cannot be read, or a record is damaged.
        """
        self._require_open()
        with map_os_errors(self.path):
            data = self._file_system.read(self._descriptor)
        return parse_log(self.path, data[: self._valid_bytes])

    def append(self, records: Sequence[tuple[Record, Address]]) -> None:
        """Write records as one group; return when they are on disk.

        Raises:
            LogError: none of them was written. The log works again as soon as the disk does.
        """
        if not records:
            return
        try:
            self._append(records)
        except LogError as error:
            self.last_failure = error.detail
            raise
        self.last_failure = ""

    def close(self) -> None:
        """Close the file; do nothing if it is closed."""
        if self._lock_descriptor >= 0:
            descriptors = {self._lock_descriptor, self._descriptor}  # two after a reopen
            self._lock_descriptor = self._descriptor = -1
            for descriptor in descriptors:
                self._file_system.close(descriptor)

    def _append(self, records: Sequence[tuple[Record, Address]]) -> None:
        self._require_open()
        with map_os_errors(self.path):
            data = encode_group(records, self._record_count + 1, self._wall_clock())
            if self._must_reopen:
                self._reopen_descriptor()
            self._require_linked()
            self._write(data)
            self._sync()
        self._record_count += len(records)
        self._valid_bytes += len(data)

    def _require_open(self) -> None:
        if self._lock_descriptor < 0:
            self._fail("closed")

    def _require_linked(self) -> None:
        """Fail if the file was deleted, because what is written to it would be lost."""
        if not self._file_system.stat(self._descriptor).st_nlink:
            self._must_reopen = True
            self._fail("the file was deleted; restore it, or start a new session")

    def _write(self, data: bytes) -> None:
        try:
            written = self._file_system.write(self._descriptor, data)
        except OSError:
            self._remove_partial_group()
            raise
        if written < len(data):
            self._remove_partial_group()
            require_complete_write(written, data)

    def _sync(self) -> None:
        try:
            self._file_system.sync(self._descriptor)
        except OSError:
            # The descriptor cannot be trusted from here on: a second sync of it succeeds although
            # the data is lost.
            self._must_reopen = True
            self._try_to_reopen_descriptor()
            raise

    def _remove_partial_group(self) -> None:
        """Truncate an unfinished group, so that no later record is appended to it.

        Synced too, because a failed append must not come back after a power loss.
        """
        try:
            self._file_system.truncate(self._descriptor, self._valid_bytes)
            self._file_system.sync(self._descriptor)
        except OSError:
            self._must_reopen = True

    def _try_to_reopen_descriptor(self) -> None:
        """Remove the failed append now if possible, otherwise before the next write."""
        try:
            self._reopen_descriptor()
        except (OSError, LogError):
            self._must_reopen = True

    def _reopen_descriptor(self) -> None:
        """Replace the descriptor and check the file; the lock is held throughout."""
        descriptor = open_private(self.path, _FLAGS, self._file_system)
        with close_on_error(descriptor, self._file_system):
            self._require_same_content(descriptor)
            self._file_system.truncate(descriptor, self._valid_bytes)
            self._file_system.sync(descriptor)
        if self._descriptor != self._lock_descriptor:
            self._file_system.close(self._descriptor)
        self._descriptor = descriptor
        self._must_reopen = False

    def _require_same_content(self, descriptor: int) -> None:
        """Check that this is the locked file and has every acknowledged record."""
        opened = self._file_system.stat(descriptor)
        locked = self._file_system.stat(self._lock_descriptor)
        if (opened.st_dev, opened.st_ino) != (locked.st_dev, locked.st_ino):
            self._fail("the file was replaced; put it back, or start a new session")
        contents = parse_log(self.path, self._file_system.read(descriptor)[: self._valid_bytes])
        record_count = len(contents.lines)
        if (record_count, contents.valid_bytes) != (self._record_count, self._valid_bytes):
            self._fail(
                f"only {record_count} of {self._record_count} records are left; start a new session"
            )

    def _fail(self, reason: str) -> NoReturn:
        message = f"{self.path}: {reason}"
        raise LogError(message)


def encode_group(records: Sequence[tuple[Record, Address]], first_seq: int, now_s: float) -> bytes:
    """Encode records as one group of lines; `first_seq` numbers the first one."""
    return b"".join(
        encode_line(JournalLine(seq, now_s, author, record, group=first_seq))
        for seq, (record, author) in enumerate(records, start=first_seq)
    )


def _open_and_recover(path: Path, file_system: FileSystem) -> tuple[int, LogContents]:
    with map_os_errors(path):
        descriptor = open_locked(path, _FLAGS, file_system)
        with close_on_error(descriptor, file_system):
            contents = _recover(path, descriptor, file_system)
            # The program that created the file may have been killed before its name was on disk.
            file_system.sync_folder(path.parent)
    return descriptor, contents


def _recover(path: Path, descriptor: int, file_system: FileSystem) -> LogContents:
    contents = parse_log(path, file_system.read(descriptor))
    if not contents.torn:
        return contents
    # Saved first: a crash between the two steps leaves the torn bytes twice rather than nowhere.
    torn_file = _save_torn_bytes(path, contents, file_system)
    file_system.truncate(descriptor, contents.valid_bytes)
    file_system.sync(descriptor)
    return replace(contents, torn_file=torn_file)


def _save_torn_bytes(path: Path, contents: LogContents, file_system: FileSystem) -> Path:
    torn_file = path.with_name(f"{path.name}.torn-{contents.valid_bytes}")
    descriptor = open_private(torn_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, file_system)
    try:
        written = file_system.write(descriptor, contents.torn)
        require_complete_write(written, contents.torn)
        file_system.sync(descriptor)
    finally:
        file_system.close(descriptor)
    file_system.sync_folder(path.parent)
    return torn_file
