"""A file system that fails, cuts, delays or dies at any call; every test of files may use it."""

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

from actors.sessions.files import Files, LocalFileSystem

T = TypeVar("T")


class Killed(BaseException):
    """The program is dead: nothing of it runs any more, least of all its cleaning up."""


@dataclass(frozen=True, slots=True)
class Kill:
    """Die in one call, and do part of it before.

    A call that is no write is done when `portion` is the whole, else not.
    """

    call: int
    """Which one, counted from 1."""
    portion: Callable[[int], int]
    """From a write's length to how many bytes of it are done."""


PORTIONS: dict[str, Callable[[int], int]] = {
    "nothing": lambda _: 0,
    "one byte": lambda length: min(1, length),
    "half": lambda length: length // 2,
    "all but one byte": lambda length: max(0, length - 1),
    "everything": lambda length: length,
}


class FaultyFiles:
    """Another file system, until one of its calls is told to fail."""

    def __init__(self, inner: Files | None = None, kill: Kill | None = None) -> None:
        """Stand before `inner`, the real one unless told."""
        self.inner: Files = inner or LocalFileSystem()
        self.failing: dict[str, int] = {}
        """The error number that every call of a name fails with."""
        self.short_by = 0
        """How many bytes each write leaves out."""
        self.room_bytes: int | None = None
        """How much more fits, as on a full disk; None: the disk has no end."""
        self.before: Callable[[str], None] = _nothing
        """Called with each call's name before it is done: wait, count or raise there."""
        self.calls: list[str] = []
        self._kill = kill
        self._dead = False
        self._open: set[int] = set()

    def fail(self, *calls: str, number: int = errno.EIO) -> None:
        """Let every call of these names fail; without names, let all work again."""
        self.failing = dict.fromkeys(calls, number)

    def open(self, path: Path, flags: int) -> int:
        descriptor = self._done("open", lambda: self.inner.open(path, flags))
        self._open.add(descriptor)
        return descriptor

    def status(self, descriptor: int) -> os.stat_result:
        return self._done("status", lambda: self.inner.status(descriptor))

    def lock(self, descriptor: int, *, wait: bool = False) -> bool:
        return self._done("lock", lambda: self.inner.lock(descriptor, wait=wait))

    def read(self, descriptor: int) -> bytes:
        return self._done("read", lambda: self.inner.read(descriptor))

    def write(self, descriptor: int, data: bytes) -> int:
        dies = self._begin("write")
        if dies is not None:
            if part := data[: dies.portion(len(data))]:
                self.inner.write(descriptor, part)
            self._die()
        fits = max(0, len(data) - self.short_by)
        if self.room_bytes is not None:
            fits = min(fits, self.room_bytes)
            if not fits:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.room_bytes -= fits
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
            if dies.portion(2) == 2:
                call()
            self._die()
        return call()

    def _begin(self, name: str) -> Kill | None:
        """Count a call, fail it if told so; a kill that is due is the caller's to carry out."""
        if self._dead:
            raise Killed
        self.calls.append(name)
        self.before(name)
        if name in self.failing:
            number = self.failing[name]
            raise OSError(number, os.strerror(number))
        return self._kill if self._kill and self._kill.call == len(self.calls) else None

    def _die(self) -> NoReturn:
        self._dead = True
        for descriptor in self._open:
            self.inner.close(descriptor)
        raise Killed


def _nothing(_: str) -> None:
    pass
