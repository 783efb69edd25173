"""Lists the files that git tracks in the workspace, from git's index and without running git."""

import os
import re
import struct
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from actors.permissions.protected_paths import read_file_start

MAX_INDEX_BYTES = 64 * 1024 * 1024
"""Longest index of git that is read; with a longer one, the tracked files are unknown."""
_HEADER = struct.Struct(">4sII")
_HAS_MORE_FLAGS = 0x4000
_PREFIX_COMPRESSED = 4
"""The version of the index in which a name holds only what differs from the name before it."""
_GIT_FILE = re.compile(r"gitdir: (.+)")
_LONG_HASHES = re.compile(r"objectformat\s*=\s*sha256", re.IGNORECASE)


class TrackedFiles(NamedTuple):
    """The tracked files, relative to the root of the repository."""

    paths: tuple[str, ...] = ()
    problem: str = ""
    """Why they are unknown. Empty: `paths` has all of them."""
    text: str = ""
    """The absolute paths as one text, for a quick search in all of them."""


def list_tracked_files(root: str) -> TrackedFiles:
    """List the files in the index of the repository at `root`; none if there is no repository."""
    folder = _find_git_folder(root)
    try:
        status = os.stat(f"{folder}/index")  # noqa: PTH116  (text)
    except (FileNotFoundError, NotADirectoryError):
        return TrackedFiles()
    except OSError as error:
        return TrackedFiles(problem=f"git's index cannot be read: {error.strerror}")
    return _read_index(root, folder, (status.st_ino, status.st_size, status.st_mtime_ns))


@lru_cache(1)
def _read_index(root: str, folder: str, _version: tuple[int, ...]) -> TrackedFiles:
    """Read an index; one that has not changed is read once."""
    try:
        descriptor = os.open(f"{folder}/index", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:  # noqa: PTH123  (a descriptor)
            data = file.read(MAX_INDEX_BYTES + 1)
        tracked = _parse(data, _get_hash_size(folder))
    except (OSError, struct.error, ValueError, IndexError):
        return TrackedFiles(problem="git's index cannot be read")
    text = "\0".join([f"{root}/{path}" for path in tracked.paths])
    return tracked._replace(text=text)


def _find_git_folder(root: str) -> str:
    """Return the folder of a repository; in a linked worktree, `.git` is a file that names it."""
    match = _GIT_FILE.match(read_file_start(f"{root}/.git"))
    return os.path.join(root, match[1].strip()) if match else f"{root}/.git"  # noqa: PTH118  (text)


def _get_hash_size(folder: str) -> int:
    common = read_file_start(f"{folder}/commondir").strip()
    config = read_file_start(os.path.join(folder, common, "config"))  # noqa: PTH118  (text)
    return 32 if _LONG_HASHES.search(config) else 20


def _parse(data: bytes, hash_size: int) -> TrackedFiles:
    signature, version, count = _HEADER.unpack_from(data)
    if signature != b"DIRC" or len(data) > MAX_INDEX_BYTES:
        return TrackedFiles(problem="git's index is too long or has an unknown format")
    entries = [*_iter_names(data, version, count, hash_size)]
    end = entries[-1][1] if entries else _HEADER.size
    if data[end : end + 4] == b"link":  # another file has the other entries
        return TrackedFiles(problem="git's index is split")
    return TrackedFiles(tuple([os.fsdecode(name) for name, _ in entries]))


def _iter_names(
    data: bytes, version: int, count: int, hash_size: int
) -> Iterator[tuple[bytes, int]]:
    """Yield the name of each entry, and where the entry ends."""
    offset, name = _HEADER.size, b""
    for _ in range(count):
        start = offset
        offset += 40 + hash_size
        has_more_flags = int.from_bytes(data[offset : offset + 2]) & _HAS_MORE_FLAGS
        offset += 4 if has_more_flags else 2
        kept = 0
        if version == _PREFIX_COMPRESSED:
            removed, offset = _read_length(data, offset)
            kept = len(name) - removed
        end = data.index(b"\0", offset)
        name = name[:kept] + data[offset:end]
        # Other versions pad each entry with one to eight bytes.
        offset = end + 1 if version == _PREFIX_COMPRESSED else start + (end - start + 8) // 8 * 8
        yield name, offset


def _read_length(data: bytes, offset: int) -> tuple[int, int]:
    """Read a number of variable length; return it and where it ends."""
    byte = data[offset]
    value = byte & 0x7F
    while byte & 0x80:
        offset += 1
        byte = data[offset]
        value = ((value + 1) << 7) | (byte & 0x7F)
    return value, offset + 1
