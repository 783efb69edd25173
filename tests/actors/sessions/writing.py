"""What the tests of session files share: records, a fixed clock and a file system that fails."""

import errno
import os
from pathlib import Path

from actors.sessions.files import RealFiles
from actors.sessions.log import SessionLog
from messages.address import PRIMARY, ROOT, Address
from messages.transcript import Record, RunStarted, Session
from messages.turns import TurnStarted
from messages.wire import Line, encode_line

NOW_S = 1_700_000_000.125
SESSION = Session(session_id="20260131-235959-ab12", workspace="/home/me/project")
RUN = RunStarted(run=1, pid=4711, version="0.1.0")
FIRST: tuple[tuple[Record, Address], ...] = ((SESSION, ROOT), (RUN, ROOT))


def clock() -> float:
    return NOW_S


def turn(number: int) -> TurnStarted:
    return TurnStarted(turn=number, prompt=f"prompt {number}\n\u2028 é")


def line(seq: int, said: Record) -> bytes:
    return encode_line(Line(seq, NOW_S, PRIMARY, said))


def create(path: Path, files: RealFiles | None = None) -> SessionLog:
    return SessionLog.create(path, FIRST, clock, files)


def whole_log(records: int) -> list[bytes]:
    """The lines of a session of so many records."""
    return [line(1, SESSION), line(2, RUN), *(line(n, turn(n)) for n in range(3, records + 1))]


class FaultyFiles(RealFiles):
    """The real file system, until one of its calls is told to fail."""

    def __init__(self) -> None:
        self.failing: set[str] = set()
        self.short_by = 0

    def lock(self, descriptor: int, *, wait: bool = False) -> bool:
        self._may_fail("lock")
        return super().lock(descriptor, wait=wait)

    def read(self, descriptor: int) -> bytes:
        self._may_fail("read")
        return super().read(descriptor)

    def write(self, descriptor: int, data: bytes) -> int:
        self._may_fail("write")
        return super().write(descriptor, data[: len(data) - self.short_by])

    def sync(self, descriptor: int) -> None:
        self._may_fail("sync")
        super().sync(descriptor)

    def truncate(self, descriptor: int, length_bytes: int) -> None:
        self._may_fail("truncate")
        super().truncate(descriptor, length_bytes)

    def make_folder(self, path: Path) -> None:
        self._may_fail("make_folder")
        super().make_folder(path)

    def sync_folder(self, path: Path) -> None:
        self._may_fail("sync_folder")
        super().sync_folder(path)

    def _may_fail(self, call: str) -> None:
        if call in self.failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
