"""A file system whose calls fail, write too little, wait, or kill the program."""

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

from actors.sessions.file_system import FileSystem, LocalFileSystem

T = TypeVar("T")


class ProcessKilledError(BaseException):
    """The program was killed; not even its cleanup runs."""


@dataclass(frozen=True, slots=True)
class KillPoint:
    """Kills the program during one call, which may be partly done.

    A call other than a write takes effect only if `written_length` keeps everything.
    """

    call_number: int
    """The call, counted from 1."""
    written_length: Callable[[int], int]
    """Returns the number of bytes written, given the length of a write."""


WRITE_PORTIONS: dict[str, Callable[[int], int]] = {
    "nothing": lambda _: 0,
    "one byte": lambda length: min(1, length),
    "half": lambda length: length // 2,
    "all but one byte": lambda length: max(0, length - 1),
    "everything": lambda length: length,
}


class FaultyFileSystem:
    """Forwards calls to another file system, except those that a test makes fail."""

    def __init__(
        self, inner: FileSystem | None = None, kill_point: KillPoint | None = None
    ) -> None:
        """Forward to `inner`, by default the local file system."""
        self.inner: FileSystem = inner or LocalFileSystem()
        self.failing_calls: dict[str, int] = {}
        """Error numbers by call name; every call of that name fails."""
        self.short_write_bytes = 0
        """Bytes that each write leaves out."""
        self.free_bytes: int | None = None
        """Free space on the disk; None: unlimited."""
        self.before_call: Callable[[str], None] = _do_nothing
        """Called with the name of each call, before it; may wait, count or raise."""
        self.calls: list[str] = []
        self._kill_point = kill_point
        self._is_killed = False
        self._open: set[int] = set()

    def fail_calls(self, *calls: str, error_number: int = errno.EIO) -> None:
        """Make every call with one of these names fail; without names, make all calls succeed."""
        self.failing_calls = dict.fromkeys(calls, error_number)

    def open(self, path: Path, flags: int) -> int:
        descriptor = self._call("open", lambda: self.inner.open(path, flags))
        self._open.add(descriptor)
        return descriptor

    def stat(self, descriptor: int) -> os.stat_result:
        return self._call("stat", lambda: self.inner.stat(descriptor))

    def lock(self, descriptor: int, *, wait: bool = False) -> bool:
        return self._call("lock", lambda: self.inner.lock(descriptor, wait=wait))

    def read(self, descriptor: int) -> bytes:
        return self._call("read", lambda: self.inner.read(descriptor))

    def write(self, descriptor: int, data: bytes) -> int:
        kill_point = self._begin_call("write")
        if kill_point is not None:
            if part := data[: kill_point.written_length(len(data))]:
                self.inner.write(descriptor, part)
            self._kill()
        length_bytes = max(0, len(data) - self.short_write_bytes)
        if self.free_bytes is not None:
            length_bytes = min(length_bytes, self.free_bytes)
            if not length_bytes:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.free_bytes -= length_bytes
        return self.inner.write(descriptor, data[:length_bytes])

    def sync(self, descriptor: int) -> None:
        self._call("sync", lambda: self.inner.sync(descriptor))

    def truncate(self, descriptor: int, length_bytes: int) -> None:
        self._call("truncate", lambda: self.inner.truncate(descriptor, length_bytes))

    def close(self, descriptor: int) -> None:
        if not self._is_killed:
            self._open.discard(descriptor)
            self._call("close", lambda: self.inner.close(descriptor))

    def rename(self, path: Path, to: Path) -> None:
        self._call("rename", lambda: self.inner.rename(path, to))

    def remove(self, path: Path) -> None:
        self._call("remove", lambda: self.inner.remove(path))

    def is_folder(self, path: Path) -> bool:
        return self._call("is_folder", lambda: self.inner.is_folder(path))

    def make_folder(self, path: Path) -> None:
        self._call("make_folder", lambda: self.inner.make_folder(path))

    def sync_folder(self, path: Path) -> None:
        self._call("sync_folder", lambda: self.inner.sync_folder(path))

    def _call(self, name: str, call: Callable[[], T]) -> T:
        kill_point = self._begin_call(name)
        if kill_point is not None:
            if kill_point.written_length(2) == 2:
                call()
            self._kill()
        return call()

    def _begin_call(self, name: str) -> KillPoint | None:
        """Count a call and make it fail if configured; return the kill point if it is due."""
        if self._is_killed:
            raise ProcessKilledError
        self.calls.append(name)
        self.before_call(name)
        if name in self.failing_calls:
            number = self.failing_calls[name]
            raise OSError(number, os.strerror(number))
        is_due = self._kill_point and self._kill_point.call_number == len(self.calls)
        return self._kill_point if is_due else None

    def _kill(self) -> NoReturn:
        self._is_killed = True
        for descriptor in self._open:
            self.inner.close(descriptor)
        raise ProcessKilledError


def _do_nothing(_: str) -> None:
    pass
