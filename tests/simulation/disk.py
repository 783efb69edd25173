"""The files of a session in memory: what was written, and what of it is on disk."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from errno import EEXIST, EIO, ENOENT, ENOSPC
from pathlib import Path
from random import Random

GONE = Path("/dev/null")


@dataclass
class Inode:
    """One file: its bytes as a reader sees them, and how many of them a power cut leaves."""

    path: Path
    data: bytearray = field(default_factory=bytearray)
    synced: bytes = b""
    holder: int | None = None
    """The descriptor that has it locked."""


class SimulatedFiles:
    """The port of session files; fails by chance while armed."""

    def __init__(
        self,
        random: Random,
        chance: float = 0.0,
        on_sync: Callable[[Path, bytes, bytes], None] = lambda _path, _before, _after: None,
    ) -> None:
        self._random = random
        self._chance = chance
        self._on_sync = on_sync
        self._inodes: dict[Path, Inode] = {}
        self._open: dict[int, tuple[Inode, int]] = {}
        self._last = 2
        self.folders: set[Path] = {Path("/")}
        self.armed = False
        self.failures = 0
        self.dead = False
        """The power is gone: nothing that is done now counts."""

    def exit(self) -> None:
        """End the program: the system closes what it left open."""
        for descriptor in list(self._open):
            self.close(descriptor)

    def power_cut(self) -> None:
        """Leave what was synced, and of the rest as much as chance has it."""
        for inode in self._inodes.values():
            data = bytes(inode.data)
            more = data.removeprefix(inode.synced) if data.startswith(inode.synced) else b""
            left = self._random.choice((0, len(more), self._random.randint(0, len(more))))
            inode.data = bytearray(inode.synced + more[:left])
        self.dead = True

    def contents(self, path: Path) -> bytes:
        """Tell what a reader finds."""
        return bytes(self._inodes[path].data)

    def open(self, path: Path, flags: int) -> int:
        """Open or create a file."""
        self._maybe()
        if path not in self._inodes:
            if not flags & os.O_CREAT:
                raise OSError(ENOENT, os.strerror(ENOENT))
            self._inodes[path] = Inode(path)
        elif flags & os.O_EXCL:
            raise OSError(EEXIST, os.strerror(EEXIST))
        self._last += 1
        self._open[self._last] = self._inodes[path], flags
        return self._last

    def status(self, descriptor: int) -> os.stat_result:
        """Say that it is a file of ours alone."""
        size_bytes = len(self._file(descriptor).data)
        mode, owner = stat.S_IFREG | 0o600, os.geteuid()
        return os.stat_result((mode, 1, 1, 1, owner, owner, size_bytes, 0, 0, 0))

    def lock(self, descriptor: int, *, wait: bool = False) -> bool:  # noqa: ARG002  (nobody else is here)
        """Lock it against every other descriptor."""
        inode = self._file(descriptor)
        if inode.holder not in (None, descriptor):
            return False
        inode.holder = descriptor
        return True

    def read(self, descriptor: int) -> bytes:
        """Read all of it."""
        self._maybe()
        return bytes(self._file(descriptor).data)

    def write(self, descriptor: int, data: bytes) -> int:
        """Append; perhaps not all of it."""
        inode = self._file(descriptor)
        self._maybe(ENOSPC)
        short = self._fails()
        part = data[: self._random.randrange(len(data))] if short and data else data
        if not self.dead:
            inode.data += part
        return len(part)

    def sync(self, descriptor: int) -> None:
        """Put it on disk."""
        inode = self._file(descriptor)
        self._maybe()
        before, inode.synced = inode.synced, bytes(inode.data)
        if not self.dead:
            self._on_sync(inode.path, before, inode.synced)

    def truncate(self, descriptor: int, length_bytes: int) -> None:
        """Cut it off."""
        inode = self._file(descriptor)
        self._maybe()
        if not self.dead:
            del inode.data[length_bytes:]

    def close(self, descriptor: int) -> None:
        """Let go of it, and of its lock."""
        inode, _ = self._open.pop(descriptor, (Inode(GONE), 0))
        if inode.holder == descriptor:
            inode.holder = None

    def rename(self, path: Path, to: Path) -> None:
        """Put a file in the place of another."""
        self._maybe()
        if self.dead:
            return
        inode = self._inodes[to] = self._inodes.pop(path)
        inode.path = to
        self._on_sync(to, b"", inode.synced)  # its name is what makes it found

    def remove(self, path: Path) -> None:
        """Remove a file."""
        self._maybe()
        if self._inodes.pop(path, None) is None:
            raise OSError(ENOENT, os.strerror(ENOENT))

    def is_folder(self, path: Path) -> bool:
        """Say whether a folder is there."""
        return path in self.folders

    def make_folder(self, path: Path) -> None:
        """Make a folder."""
        self.folders.add(path)

    def sync_folder(self, path: Path) -> None:
        """Put its entries on disk."""
        if path not in self.folders:
            raise OSError(ENOENT, os.strerror(ENOENT))
        self._maybe()

    def _file(self, descriptor: int) -> Inode:
        return self._open[descriptor][0] if not self.dead else Inode(GONE)

    def _fails(self) -> bool:
        fails = self.armed and self._random.random() < self._chance
        self.failures += fails
        return fails

    def _maybe(self, number: int = EIO) -> None:
        if self._fails():
            raise OSError(number, os.strerror(number))
