"""A disk in memory whose power can fail: what was not synced is lost, reordered or half there.

It is as unkind as POSIX allows: only a sync makes a file's content last, and only a sync of its
folder makes its name last. Long because it is one disk: files, folders, descriptors, power.
"""

import errno
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

SECTOR_BYTES = 512


@dataclass(frozen=True, slots=True)
class _Write:
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class _Cut:
    length: int


@dataclass
class _Node:
    """One file: what readers see, and what is sure to survive."""

    number: int
    content: bytes = b""
    lasting: bytes = b""
    pending: list[_Write | _Cut] = field(default_factory=list["_Write | _Cut"])
    locked_by: int | None = None

    def do(self, change: _Write | _Cut) -> None:
        self.content = _changed(self.content, change)
        self.pending.append(change)

    def settle(self) -> None:
        self.lasting, self.pending = self.content, []


@dataclass(frozen=True, slots=True)
class _Name:
    """A change of names: each of these paths means that file now, or none."""

    means: tuple[tuple[Path, _Node | None], ...]


@dataclass
class _Open:
    node: _Node
    flags: int


class PowerLossDisk:
    """Files in memory; `lose_power` leaves what a machine might find after a power cut."""

    def __init__(self, folder: Path) -> None:
        """Begin with one lasting folder and those above it."""
        self._names: dict[Path, _Node] = {}
        self._lasting_names: dict[Path, _Node] = {}
        self._pending_names: list[_Name] = []
        self._folders = {folder, *folder.parents}
        self._lasting_folders = set(self._folders)
        self._descriptors: dict[int, _Open] = {}
        self._made = 0

    # What a test looks at.

    def read_content(self, path: Path) -> bytes | None:
        """What a reader would find; None: no such file."""
        node = self._names.get(path)
        return node.content if node else None

    def list_files(self) -> list[Path]:
        """Every file, sorted."""
        return sorted(self._names)

    def add_file(self, path: Path, content: bytes) -> None:
        """Have a file that lasts."""
        self._made += 1
        node = _Node(self._made, content, content)
        self._names[path] = self._lasting_names[path] = node

    def lose_power(self, random: Random) -> None:
        """Close everything; keep what was synced, and any part of the rest in any order."""
        self._descriptors.clear()
        self._folders = {
            each
            for each in sorted(self._folders)
            if each in self._lasting_folders or random.random() < 0.5
        }
        for change in self._survivors(self._pending_names, random):
            self._rename_lastingly(change)
        self._names = {
            path: node for path, node in self._lasting_names.items() if path.parent in self._folders
        }
        self._lasting_names = dict(self._names)
        self._pending_names = []
        self._lasting_folders = set(self._folders)
        for node in self._names.values():
            node.locked_by = None
            node.content = _after_power_loss(node, random)
            node.settle()

    def close_all(self) -> None:
        """End the program but not the machine: descriptors close, nothing is lost."""
        for descriptor in list(self._descriptors):
            self.close(descriptor)

    # The port.

    def open(self, path: Path, flags: int) -> int:
        if path in self._folders:
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        node = self._names.get(path)
        if node is None:
            node = self._created(path, flags)
        elif flags & os.O_EXCL:
            raise OSError(errno.EEXIST, os.strerror(errno.EEXIST))
        if flags & os.O_TRUNC and node.content:
            node.do(_Cut(0))
        self._made += 1
        self._descriptors[self._made] = _Open(node, flags)
        return self._made

    def stat(self, descriptor: int) -> os.stat_result:
        node = self._node(descriptor)
        links = sum(each is node for each in self._names.values())
        mode = stat.S_IFREG | 0o600
        size = len(node.content)
        return os.stat_result((mode, node.number, 1, links, os.geteuid(), 0, size, 0, 0, 0))

    def lock(self, descriptor: int, *, wait: bool = False) -> bool:  # noqa: ARG002  (nobody else runs)
        node = self._node(descriptor)
        if node.locked_by not in (None, descriptor):
            return False
        node.locked_by = descriptor
        return True

    def read(self, descriptor: int) -> bytes:
        return self._node(descriptor).content

    def write(self, descriptor: int, data: bytes) -> int:
        node = self._node(descriptor)
        node.do(_Write(len(node.content), data))
        return len(data)

    def sync(self, descriptor: int) -> None:
        self._node(descriptor).settle()

    def truncate(self, descriptor: int, length_bytes: int) -> None:
        self._node(descriptor).do(_Cut(length_bytes))

    def close(self, descriptor: int) -> None:
        node = self._node(descriptor)
        if node.locked_by == descriptor:
            node.locked_by = None
        del self._descriptors[descriptor]

    def rename(self, path: Path, to: Path) -> None:
        self._rename(_Name(((path, None), (to, self._named(path)))))

    def remove(self, path: Path) -> None:
        self._named(path)
        self._rename(_Name(((path, None),)))

    def is_folder(self, path: Path) -> bool:
        return path in self._folders

    def make_folder(self, path: Path) -> None:
        if path.parent not in self._folders:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        self._folders.add(path)

    def sync_folder(self, path: Path) -> None:
        if path not in self._folders:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        self._lasting_folders |= {each for each in self._folders if each.parent == path}
        here = [each for each in self._pending_names if each.means[-1][0].parent == path]
        for change in here:
            self._rename_lastingly(change)
            self._pending_names.remove(change)

    def _created(self, path: Path, flags: int) -> _Node:
        if not flags & os.O_CREAT or path.parent not in self._folders:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        self._made += 1
        node = _Node(self._made)
        self._rename(_Name(((path, node),)))
        return node

    def _rename(self, change: _Name) -> None:
        _apply(self._names, change)
        self._pending_names.append(change)

    def _rename_lastingly(self, change: _Name) -> None:
        _apply(self._lasting_names, change)

    def _node(self, descriptor: int) -> _Node:
        if descriptor not in self._descriptors:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self._descriptors[descriptor].node

    def _named(self, path: Path) -> _Node:
        if path not in self._names:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return self._names[path]

    @staticmethod
    def _survivors(changes: list[_Name], random: Random) -> list[_Name]:
        """Names are journalled by file systems, so they last in order, but not always all."""
        return changes[: random.randint(0, len(changes))]


def _apply(names: dict[Path, _Node], change: _Name) -> None:
    for path, node in change.means:
        if node is None:
            names.pop(path, None)
        else:
            names[path] = node


def _changed(content: bytes, change: _Write | _Cut) -> bytes:
    if isinstance(change, _Cut):
        return content[: change.length].ljust(change.length, b"\0")
    end = change.offset + len(change.data)
    return content[: change.offset].ljust(change.offset, b"\0") + change.data + content[end:]


def _after_power_loss(node: _Node, random: Random) -> bytes:
    """Keep, drop or halve each unsynced change, in order or not; lost sectors read as NUL."""
    content = node.lasting
    changes = [each for each in node.pending if random.random() < 0.7]
    if random.random() < 0.5:
        random.shuffle(changes)
    for change in changes:
        content = _changed(content, change)
        if isinstance(change, _Write) and random.random() < 0.7:
            content = _with_lost_sectors(content, change, random)
    return content


def _with_lost_sectors(content: bytes, write: _Write, random: Random) -> bytes:
    """Lose some sectors of a write: they read as NUL, or, at its end, the file is shorter."""
    end = write.offset + len(write.data)
    kept_end = random.choice((end, random.randint(write.offset, end)))
    content = content[:kept_end] + content[end:]
    begin = write.offset
    while begin < kept_end:
        sector_end = min((begin // SECTOR_BYTES + 1) * SECTOR_BYTES, kept_end)
        if random.random() < 0.3:
            content = content[:begin] + b"\0" * (sector_end - begin) + content[sector_end:]
        begin = sector_end
    return content
