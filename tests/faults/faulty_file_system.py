"""A file system that fails, cuts, delays or dies at any call; every test of files may use it."""

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

from actors.sessions.file_system import FileSystem, LocalFileSystem

T = TypeVar("T")


class ProcessKilledError(BaseException):
    """The program is dead: nothing of it runs any more, least of all its cleaning up."""


@dataclass(frozen=True, slots=True)
class KillPoint:
    """Die in one call, and do part of it before.

    A call that is no write is done when `portion` is the whole, else not.
    """

    call_number: int
    """Which one, counted from 1."""
    written_length: Callable[[int], int]
    """From a write's length to how many bytes of it are done."""


WRITE_PORTIONS: dict[str, Callable[[int], int]] = {
    "nothing": lambda _: 0,
    "one byte": lambda length: min(1, length),
    "half": lambda length: length // 2,
    "all but one byte": lambda length: max(0, length - 1),
    "everything": lambda length: length,
}


class FaultyFileSystem:
    """Another file system, until one of its calls is told to fail."""

    def __init__(
        self, inner: FileSystem | None = None, kill_point: KillPoint | None = None
    ) -> None:
        """Stand before `inner`, the real one unless told."""
        self.inner: FileSystem = inner or LocalFileSystem()
        self.failing_calls: dict[str, int] = {}
        """The error number that every call of a name fails with."""
        self.short_write_bytes = 0
        """How many bytes each write leaves out."""
        self.free_bytes: int | None = None
        """How much more fits, as on a full disk; None: the disk has no end."""
        self.before_call: Callable[[str], None] = _nothing
        """Called with each call's name before it is done: wait, count or raise there."""
        self.calls: list[str] = []
        self._kill = kill_point
        self._dead = False
        self._open: set[int] = set()

    def fail_calls(self, *calls: str, error_number: int = errno.EIO) -> None:
        """Let every call of these names fail; without names, let all work again."""
        self.failing_calls = dict.fromkeys(calls, error_number)

    def open(self, path: Path, flags: int) -> int:
        descriptor = self._done("open", lambda: self.inner.open(path, flags))
        self._open.add(descriptor)
        return descriptor

    def stat(self, descriptor: int) -> os.stat_result:
        return self._done("stat", lambda: self.inner.stat(descriptor))

    def lock(self, descriptor: int, *, wait: bool = False) -> bool:
        return self._done("lock", lambda: self.inner.lock(descriptor, wait=wait))

    def read(self, descriptor: int) -> bytes:
        return self._done("read", lambda: self.inner.read(descriptor))

    def write(self, descriptor: int, data: bytes) -> int:
        dies = self._begin("write")
        if dies is not None:
            if part := data[: dies.written_length(len(data))]:
                self.inner.write(descriptor, part)
            self._die()
        fits = max(0, len(data) - self.short_write_bytes)
        if self.free_bytes is not None:
            fits = min(fits, self.free_bytes)
            if not fits:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.free_bytes -= fits
        return self.inner.write(descriptor, data[:fits])

    def sync(self, descriptor: int) -> None:
        self._done("sync", lambda: self.inner.sync(descriptor))

    def truncate(self, descriptor: int, length_bytes: int) -> None:
        self._done("truncate", lambda: self.inner.truncate(descriptor, length_bytes))

    def close(self, descriptor: int) -> None:
        if not self._dead:
            self._open.discard(descriptor)
            self._done("close", lambda: self.inner.close(descriptor))

    def rename(self, path: Path, to: Path) -> None:
        self._done("rename", lambda: self.inner.rename(path, to))

    def remove(self, path: Path) -> None:
        self._done("remove", lambda: self.inner.remove(path))

    def is_folder(self, path: Path) -> bool:
        return self._done("is_folder", lambda: self.inner.is_folder(path))

    def make_folder(self, path: Path) -> None:
        self._done("make_folder", lambda: self.inner.make_folder(path))

    def sync_folder(self, path: Path) -> None:
        self._done("sync_folder", lambda: self.inner.sync_folder(path))

    def _done(self, name: str, call: Callable[[], T]) -> T:
        dies = self._begin(name)
        if dies is not None:
            if dies.written_length(2) == 2:
                call()
            self._die()
        return call()

    def _begin(self, name: str) -> KillPoint | None:
        """Count a call, fail it if told so; a kill that is due is the caller's to carry out."""
        if self._dead:
            raise ProcessKilledError
        self.calls.append(name)
        self.before_call(name)
        if name in self.failing_calls:
            number = self.failing_calls[name]
            raise OSError(number, os.strerror(number))
        return self._kill if self._kill and self._kill.call_number == len(self.calls) else None

    def _die(self) -> NoReturn:
        self._dead = True
        for descriptor in self._open:
            self.inner.close(descriptor)
        raise ProcessKilledError


def _nothing(_: str) -> None:
    pass
