"""A disk in memory that can lose power: what was not synced is lost, reordered or partial.

As POSIX allows, only a sync of a file keeps its content, and only a sync of its folder keeps its
name.
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
class _Truncate:
    length: int


@dataclass
class _Node:
    """One file: the content that readers see, and the content that survives a power loss."""

    number: int
    content: bytes = b""
    synced: bytes = b""
    pending: list[_Write | _Truncate] = field(default_factory=list["_Write | _Truncate"])
    locked_by: int | None = None

    def apply(self, change: _Write | _Truncate) -> None:
        self.content = _apply_change(self.content, change)
        self.pending.append(change)

    def sync(self) -> None:
        self.synced, self.pending = self.content, []


@dataclass(frozen=True, slots=True)
class _NameChange:
    """A change of names: the new file of each path, or None if it is gone."""

    entries: tuple[tuple[Path, _Node | None], ...]


@dataclass
class _OpenFile:
    node: _Node
    flags: int


class PowerLossDisk:
    """Files in memory; `lose_power` leaves one of the possible states after a power loss."""

    def __init__(self, folder: Path) -> None:
        """Start with one synced folder and its parents."""
        self._names: dict[Path, _Node] = {}
        self._synced_names: dict[Path, _Node] = {}
        self._pending_name_changes: list[_NameChange] = []
        self._folders = {folder, *folder.parents}
        self._synced_folders = set(self._folders)
        self._descriptors: dict[int, _OpenFile] = {}
        self._last_number = 0

    # For tests.

    def read_content(self, path: Path) -> bytes | None:
        """Return the content of a file, or None if it does not exist."""
        node = self._names.get(path)
        return node.content if node else None

    def list_files(self) -> list[Path]:
        """Return the paths of all files, sorted."""
        return sorted(self._names)

    def add_file(self, path: Path, content: bytes) -> None:
        """Add a synced file."""
        self._last_number += 1
        node = _Node(self._last_number, content, content)
        self._names[path] = self._synced_names[path] = node

    def lose_power(self, random: Random) -> None:
        """Close all files; keep what was synced and a random part of the rest."""
        self._descriptors.clear()
        self._folders = {
            folder
            for folder in sorted(self._folders)
            if folder in self._synced_folders or random.random() < 0.5
        }
        for change in self._choose_survivors(self._pending_name_changes, random):
            self._sync_name_change(change)
        self._names = {
            path: node for path, node in self._synced_names.items() if path.parent in self._folders
        }
        self._synced_names = dict(self._names)
        self._pending_name_changes = []
        self._synced_folders = set(self._folders)
        for node in self._names.values():
            node.locked_by = None
            node.content = _after_power_loss(node, random)
            node.sync()

    def close_all(self) -> None:
        """Close all descriptors, as when the program ends; nothing is lost."""
        for descriptor in list(self._descriptors):
            self.close(descriptor)

    # As `FileSystem`.

    def open(self, path: Path, flags: int) -> int:
        if path in self._folders:
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        node = self._names.get(path)
        if node is None:
            node = self._create(path, flags)
        elif flags & os.O_EXCL:
            raise OSError(errno.EEXIST, os.strerror(errno.EEXIST))
        if flags & os.O_TRUNC and node.content:
            node.apply(_Truncate(0))
        self._last_number += 1
        self._descriptors[self._last_number] = _OpenFile(node, flags)
        return self._last_number

    def stat(self, descriptor: int) -> os.stat_result:
        node = self._node(descriptor)
        links = sum(linked_node is node for linked_node in self._names.values())
        mode = stat.S_IFREG | 0o600
        size = len(node.content)
        return os.stat_result((mode, node.number, 1, links, os.geteuid(), 0, size, 0, 0, 0))

    def lock(self, descriptor: int, *, wait: bool = False) -> bool:  # noqa: ARG002  (there is no other process)
        node = self._node(descriptor)
        if node.locked_by not in (None, descriptor):
            return False
        node.locked_by = descriptor
        return True

    def read(self, descriptor: int) -> bytes:
        return self._node(descriptor).content

    def write(self, descriptor: int, data: bytes) -> int:
        node = self._node(descriptor)
        node.apply(_Write(len(node.content), data))
        return len(data)

    def sync(self, descriptor: int) -> None:
        self._node(descriptor).sync()

    def truncate(self, descriptor: int, length_bytes: int) -> None:
        self._node(descriptor).apply(_Truncate(length_bytes))

    def close(self, descriptor: int) -> None:
        node = self._node(descriptor)
        if node.locked_by == descriptor:
            node.locked_by = None
        del self._descriptors[descriptor]

    def rename(self, path: Path, to: Path) -> None:
        self._change_names(_NameChange(((path, None), (to, self._find(path)))))

    def remove(self, path: Path) -> None:
        self._find(path)
        self._change_names(_NameChange(((path, None),)))

    def is_folder(self, path: Path) -> bool:
        return path in self._folders

    def make_folder(self, path: Path) -> None:
        if path.parent not in self._folders:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        self._folders.add(path)

    def sync_folder(self, path: Path) -> None:
        if path not in self._folders:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        self._synced_folders |= {folder for folder in self._folders if folder.parent == path}
        changes = [
            change for change in self._pending_name_changes if change.entries[-1][0].parent == path
        ]
        for change in changes:
            self._sync_name_change(change)
            self._pending_name_changes.remove(change)

    def _create(self, path: Path, flags: int) -> _Node:
        if not flags & os.O_CREAT or path.parent not in self._folders:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        self._last_number += 1
        node = _Node(self._last_number)
        self._change_names(_NameChange(((path, node),)))
        return node

    def _change_names(self, change: _NameChange) -> None:
        _apply_names(self._names, change)
        self._pending_name_changes.append(change)

    def _sync_name_change(self, change: _NameChange) -> None:
        _apply_names(self._synced_names, change)

    def _node(self, descriptor: int) -> _Node:
        if descriptor not in self._descriptors:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self._descriptors[descriptor].node

    def _find(self, path: Path) -> _Node:
        if path not in self._names:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return self._names[path]

    @staticmethod
    def _choose_survivors(changes: list[_NameChange], random: Random) -> list[_NameChange]:
        """Keep the first few changes: file systems journal names, so they survive in order."""
        return changes[: random.randint(0, len(changes))]


def _apply_names(names: dict[Path, _Node], change: _NameChange) -> None:
    for path, node in change.entries:
        if node is None:
            names.pop(path, None)
        else:
            names[path] = node


def _apply_change(content: bytes, change: _Write | _Truncate) -> bytes:
    if isinstance(change, _Truncate):
        return content[: change.length].ljust(change.length, b"\0")
    end = change.offset + len(change.data)
    return content[: change.offset].ljust(change.offset, b"\0") + change.data + content[end:]


def _after_power_loss(node: _Node, random: Random) -> bytes:
    """Keep, drop or cut each unsynced change, in any order; lost sectors read as NUL."""
    content = node.synced
    changes = [change for change in node.pending if random.random() < 0.7]
    if random.random() < 0.5:
        random.shuffle(changes)
    for change in changes:
        content = _apply_change(content, change)
        if isinstance(change, _Write) and random.random() < 0.7:
            content = _with_lost_sectors(content, change, random)
    return content


def _with_lost_sectors(content: bytes, write: _Write, random: Random) -> bytes:
    """Lose sectors of a write: they read as NUL, or the file is shorter."""
    end = write.offset + len(write.data)
    new_end = random.choice((end, random.randint(write.offset, end)))
    content = content[:new_end] + content[end:]
    begin = write.offset
    while begin < new_end:
        sector_end = min((begin // SECTOR_BYTES + 1) * SECTOR_BYTES, new_end)
        if random.random() < 0.3:
            content = content[:begin] + b"\0" * (sector_end - begin) + content[sector_end:]
        begin = sector_end
    return content
