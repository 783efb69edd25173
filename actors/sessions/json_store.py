"""Small files that are replaced as a whole: configuration, trust, grants for a project.

A reader finds the old content or the new one, never a part, whenever the program or the machine
stops. Two programs that change one store do it one after the other.
"""

import json
import os
import zlib
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from errno import EAGAIN
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from actors.sessions.errors import LogError, StoreError
from actors.sessions.file_system import FileSystem, LocalFileSystem, make_private_folder
from actors.sessions.private_open import open_private

if TYPE_CHECKING:  # a verdict is explained without the weight of pydantic
    from pydantic import JsonValue

JsonObject: TypeAlias = "dict[str, JsonValue]"


@dataclass(frozen=True, slots=True)
class StoreContents:
    """What a store says."""

    content: JsonObject = field(default_factory=dict)
    """Without the format number; empty when there is no file, or a damaged one."""
    format: int = 0
    """Which version wrote it, so that an older one can be understood; 0: nothing is stored."""
    damage: str = ""
    """Why the file counts as empty, in one line for people; the next change keeps it aside."""


def replace_file(path: Path, data: bytes, file_system: FileSystem | None = None) -> None:
    """Put `data` in the place of a file, for its owner alone; it is on disk when this returns.

    Raises:
        StoreError: the old content stands.
    """
    file_system = file_system or LocalFileSystem()
    with _held(path, file_system):
        _replace(path, data, file_system)


def read_store(path: Path, max_format: int, file_system: FileSystem | None = None) -> StoreContents:
    """Read a JSON store without changing anything.

    Raises:
        StoreError: it cannot be read, is not ours alone, or a newer version wrote it.
    """
    with _told(path):
        return _read(path, max_format, file_system or LocalFileSystem())


def change_store(
    path: Path,
    max_format: int,
    change: "Callable[[StoreContents], Mapping[str, JsonValue]]",
    file_system: FileSystem | None = None,
) -> StoreContents:
    """Replace a JSON store by what `change` makes of it; nobody else's change comes between.

    A damaged store counts as empty and is kept beside it as `<name>.damaged-<checksum>`.

    Raises:
        StoreError: the old content stands.
    """
    file_system = file_system or LocalFileSystem()
    with _held(path, file_system):
        before = _read(path, max_format, file_system)
        after = StoreContents({**change(before)}, max_format)
        if before.damage:
            _set_aside(path, file_system)
        _replace(path, _written(max_format, after.content), file_system)
    return after


def _replace(path: Path, data: bytes, files: FileSystem) -> None:
    new = path.with_name(f"{path.name}.new")
    try:
        _write_whole(new, data, files)
        files.rename(new, path)
    except BaseException:
        with suppress(OSError):
            files.remove(new)
        raise
    files.sync_folder(path.parent)


def _write_whole(path: Path, data: bytes, files: FileSystem) -> None:
    """Write a file that is on disk when this returns; an unfinished one of a dead run is reused."""
    descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, files)
    try:
        written = 0
        while written < len(data):  # after a short write the next one says what is wrong
            written += files.write(descriptor, data[written:])
        files.sync(descriptor)
    finally:
        files.close(descriptor)


def _read(path: Path, known_format: int, files: FileSystem) -> StoreContents:
    try:
        data = _bytes_of(path, files)
    except (FileNotFoundError, NotADirectoryError):
        return StoreContents()
    try:
        version, content = _understood(data)
    except ValueError as error:
        return StoreContents(damage=f"{path}: damaged, so it counts as empty: {error}")
    if version > known_format:
        message = f"{path}: written in format {version}; this version knows up to {known_format}"
        raise StoreError(message)
    return StoreContents(content, version)


def _understood(data: bytes) -> tuple[int, JsonObject]:
    try:
        value: object = json.loads(data)
    except RecursionError as error:
        raise ValueError(str(error)) from error
    content = cast("JsonObject", value) if isinstance(value, dict) else {}
    version = content.pop("format", None)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        message = "it is no JSON object with a format number"
        raise ValueError(message)
    return version, content


def _written(known_format: int, content: JsonObject) -> bytes:
    return json.dumps({"format": known_format, **content}, indent=2).encode() + b"\n"


def _bytes_of(path: Path, files: FileSystem) -> bytes:
    descriptor = open_private(path, os.O_RDONLY, files)
    try:
        return files.read(descriptor)
    finally:
        files.close(descriptor)


def _set_aside(path: Path, files: FileSystem) -> None:
    aside = path.with_name(f"{path.name}.damaged-{zlib.crc32(_bytes_of(path, files)):08x}")
    files.rename(path, aside)
    files.sync_folder(path.parent)


@contextmanager
def _held(path: Path, files: FileSystem) -> Generator[None]:
    """Keep other programs from changing the store meanwhile."""
    with _told(path):
        make_private_folder(path.parent, files)
        lock = path.with_name(f"{path.name}.lock")
        descriptor = open_private(lock, os.O_RDWR | os.O_CREAT, files)
        try:
            if not files.lock(descriptor, wait=True):
                raise OSError(EAGAIN, "another program is changing it; try again")
            yield
        finally:
            files.close(descriptor)


@contextmanager
def _told(path: Path) -> Generator[None]:
    """Say what the system refused, and for which store."""
    try:
        yield
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise StoreError(message) from error
    except LogError as error:
        raise StoreError(error.detail) from error
