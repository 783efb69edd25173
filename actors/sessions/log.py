"""The session file, open for writing: one locked descriptor, each append whole or not at all."""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path

from actors.sessions.faults import LogDamaged, LogError, LogLocked
from actors.sessions.files import Files, RealFiles, make_private
from actors.sessions.opening import open_private
from actors.sessions.reading import LogContents, last_run, parse
from messages.address import Address
from messages.transcript import Record
from messages.wire import Line, encode_line

__all__ = ["LogDamaged", "LogError", "LogLocked", "SessionLog"]

_FLAGS = os.O_RDWR | os.O_APPEND
WallClock = Callable[[], float]
"""Seconds since 1970."""


class SessionLog:
    """One session file, held against every other writer until `close`."""

    def __init__(
        self, path: Path, descriptor: int, wall_clock: WallClock, files: Files, held: LogContents
    ) -> None:
        """Take over an open, locked file that holds `held`; use `create` or `open`."""
        self.path = path
        self._descriptor = descriptor
        self._wall_clock = wall_clock
        self._files = files
        self._seq = len(held.lines)
        self._good_bytes = held.good_bytes
        self._unusable = ""

    @classmethod
    def create(
        cls,
        path: Path,
        records: Sequence[tuple[Record, Address]],
        wall_clock: WallClock,
        files: Files | None = None,
    ) -> "SessionLog":
        """Begin a session file and its folder; the first record is its `Session`.

        Raises:
            LogError: the file is there already, or cannot be written.
        """
        files = files or RealFiles()
        with _named(path):
            make_private(path.parent, files)
            descriptor = _locked(path, _FLAGS | os.O_CREAT | os.O_EXCL, files)
            log = cls(path, descriptor, wall_clock, files, LogContents())
            try:
                log.append(records)
                files.sync_folder(path.parent)
            except BaseException:
                log.close()
                raise
        return log

    @classmethod
    def open(
        cls, path: Path, wall_clock: WallClock, files: Files | None = None
    ) -> tuple["SessionLog", LogContents]:
        """Go on with a session file; a torn end is kept aside and cut off first.

        Raises:
            LogLocked: another program has it open.
            LogDamaged: a record before the last one cannot be trusted; the file is untouched.
            LogError: it cannot be read or written, is not a session file, or not ours alone.
        """
        files = files or RealFiles()
        with _named(path):
            descriptor = _locked(path, _FLAGS, files)
            try:
                contents = _recovered(path, descriptor, files)
            except BaseException:
                files.close(descriptor)
                raise
        return cls(path, descriptor, wall_clock, files, contents), contents

    def reopen(self) -> None:
        """Open the file anew, as after a crash of whoever wrote to it.

        Raises:
            LogError: as `open`; the log cannot be used then.
        """
        self.close()
        with _named(self.path):
            descriptor = _locked(self.path, _FLAGS, self._files)
            try:
                held = _recovered(self.path, descriptor, self._files)
            except BaseException:
                self._files.close(descriptor)
                raise
        self._descriptor, self._unusable = descriptor, ""
        self._seq, self._good_bytes = len(held.lines), held.good_bytes

    def read(self) -> LogContents:
        """Read back what is on disk.

        Raises:
            LogError: it cannot be read, or a record of it cannot be trusted.
        """
        if self._descriptor < 0:
            raise LogError(self._unusable)
        with _named(self.path):
            data = self._files.read(self._descriptor)
        return parse(self.path, data)

    def append(self, records: Sequence[tuple[Record, Address]]) -> None:
        """Write records as one group and return when they are on disk.

        Raises:
            LogError: none of them counts. After a failed write the log serves on; after a failed
                sync nobody knows what the disk holds, and it must be opened anew.
        """
        if self._unusable:
            raise LogError(self._unusable)
        if not records:
            return
        data = self._encoded(records)
        self._write(data)
        self._sync()
        self._seq += len(records)
        self._good_bytes += len(data)

    def close(self) -> None:
        """Let go of the file; a second time does nothing."""
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            self._unusable = f"{self.path}: closed"
            self._files.close(descriptor)

    def _encoded(self, records: Sequence[tuple[Record, Address]]) -> bytes:
        now_s = self._wall_clock()
        numbered = enumerate(records, start=self._seq + 1)
        try:
            return b"".join(encode_line(Line(seq, now_s, by, said)) for seq, (said, by) in numbered)
        except ValueError as error:  # half of a surrogate pair passes for text, but is no UTF-8
            message = f"{self.path}: a record cannot be written: {error}"
            raise LogError(message) from error

    def _write(self, data: bytes) -> None:
        try:
            with _named(self.path):
                written = self._files.write(self._descriptor, data)
        except LogError:
            self._cut_back()
            raise
        if written < len(data):
            self._cut_back()
            message = f"{self.path}: only {written} of {len(data)} bytes went in; is the disk full?"
            raise LogError(message)

    def _sync(self) -> None:
        try:
            with _named(self.path):
                self._files.sync(self._descriptor)
        except LogError as error:
            self._cut_back()
            self._unusable = f"{error.detail} (open the session anew)"
            raise

    def _cut_back(self) -> None:
        """Take an unfinished group off again, so that no later record is glued to it."""
        try:
            with _named(self.path):
                self._files.truncate(self._descriptor, self._good_bytes)
        except LogError as error:
            self._unusable = f"{error.detail} (open the session anew)"


def _locked(path: Path, flags: int, files: Files) -> int:
    descriptor = open_private(path, flags, files)
    try:
        _lock(path, descriptor, files)
    except BaseException:
        files.close(descriptor)
        raise
    return descriptor


def _lock(path: Path, descriptor: int, files: Files) -> None:
    if not files.lock(descriptor):
        run = last_run(files.read(descriptor))
        raise LogLocked(path, run.pid if run else None)


def _recovered(path: Path, descriptor: int, files: Files) -> LogContents:
    contents = parse(path, files.read(descriptor))
    if not contents.torn:
        return contents
    # Aside first: a crash between the two steps leaves the torn end twice, never nowhere.
    aside = _keep_aside(path, contents, files)
    files.truncate(descriptor, contents.good_bytes)
    files.sync(descriptor)
    return replace(contents, torn_kept=aside)


def _keep_aside(path: Path, contents: LogContents, files: Files) -> Path:
    aside = path.with_name(f"{path.name}.torn-{contents.good_bytes}")
    descriptor = open_private(aside, os.O_WRONLY | os.O_CREAT | os.O_APPEND, files)
    try:
        if files.write(descriptor, contents.torn) < len(contents.torn):
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        files.sync(descriptor)
    finally:
        files.close(descriptor)
    files.sync_folder(path.parent)
    return aside


@contextmanager
def _named(path: Path) -> Generator[None]:
    """Say what the system refused, and for which session."""
    try:
        yield
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise LogError(message) from error
