"""Small JSON files that are replaced as a whole: configuration, trust, project grants.

A reader finds the old content or the new one, never a part of it, whenever the program or the
machine stops. Two programs that change the same store do so one after the other.
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

from actors.sessions.errors import LogError, StoreError, map_os_errors
from actors.sessions.file_system import FileSystem, LocalFileSystem, make_private_folder
from actors.sessions.trusted_open import open_private

if TYPE_CHECKING:  # `permissions check` reads stores without loading pydantic
    from pydantic import JsonValue

JsonObject: TypeAlias = "dict[str, JsonValue]"


@dataclass(frozen=True, slots=True)
class StoreContents:
    """The content of a store."""

    content: JsonObject = field(default_factory=dict)
    """Without the format number; empty if there is no file or it is damaged."""
    format: int = 0
    """The format it was written in, so that an older one can be understood; 0: nothing stored."""
    damage: str = ""
    """Why the file is treated as empty, for the user; the next change moves it to another name."""


def read_store(path: Path, max_format: int, file_system: FileSystem | None = None) -> StoreContents:
    """Read a JSON store without changing anything.

    Raises:
        StoreError: it cannot be read, other users can write to it, or its format is too new.
    """
    with _map_errors(path):
        return _read(path, max_format, file_system or LocalFileSystem())


def change_store(
    path: Path,
    max_format: int,
    change: "Callable[[StoreContents], Mapping[str, JsonValue]]",
    file_system: FileSystem | None = None,
) -> StoreContents:
    """Replace a JSON store's content with what `change` returns, under a lock.

    A damaged store is treated as empty and moved to `<name>.damaged-<checksum>`.

    Raises:
        StoreError: the store was not changed.
    """
    file_system = file_system or LocalFileSystem()
    with _lock(path, file_system):
        before = _read(path, max_format, file_system)
        after = StoreContents({**change(before)}, max_format)
        if before.damage:
            _move_damaged_file(path, file_system)
        _replace(path, _encode(max_format, after.content), file_system)
    return after


def _replace(path: Path, data: bytes, file_system: FileSystem) -> None:
    temporary = path.with_name(f"{path.name}.new")
    try:
        _write_and_sync(temporary, data, file_system)
        file_system.rename(temporary, path)
    except BaseException:
        with suppress(OSError):
            file_system.remove(temporary)
        raise
    file_system.sync_folder(path.parent)


def _write_and_sync(path: Path, data: bytes, file_system: FileSystem) -> None:
    """Write a file and sync it; one left over from a killed run is overwritten."""
    descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, file_system)
    try:
        written = 0
        while written < len(data):  # after a short write, the next one raises the reason
            written += file_system.write(descriptor, data[written:])
        file_system.sync(descriptor)
    finally:
        file_system.close(descriptor)


def _read(path: Path, max_format: int, file_system: FileSystem) -> StoreContents:
    try:
        data = _read_bytes(path, file_system)
    except (FileNotFoundError, NotADirectoryError):
        return StoreContents()
    try:
        format_number, content = _decode(data)
    except ValueError as error:
        return StoreContents(damage=f"{path}: damaged and treated as empty: {error}")
    if format_number > max_format:
        message = (
            f"{path}: written in format {format_number}, but this version reads up to format "
            f"{max_format}. Upgrade Greenroom, or move the file away"
        )
        raise StoreError(message)
    return StoreContents(content, format_number)


def _decode(data: bytes) -> tuple[int, JsonObject]:
    try:
        value: object = json.loads(data)
    except RecursionError as error:
        raise ValueError(str(error)) from error
    content = cast("JsonObject", value) if isinstance(value, dict) else {}
    format_number = content.pop("format", None)
    if not isinstance(format_number, int) or isinstance(format_number, bool) or format_number < 1:
        message = "it is not a JSON object with a format number"
        raise ValueError(message)
    return format_number, content


def _encode(format_number: int, content: JsonObject) -> bytes:
    return json.dumps({"format": format_number, **content}, indent=2).encode() + b"\n"


def _read_bytes(path: Path, file_system: FileSystem) -> bytes:
    descriptor = open_private(path, os.O_RDONLY, file_system)
    try:
        return file_system.read(descriptor)
    finally:
        file_system.close(descriptor)


def _move_damaged_file(path: Path, file_system: FileSystem) -> None:
    # In the name, so that the file replaces no other damaged one.
    checksum = zlib.crc32(_read_bytes(path, file_system))
    file_system.rename(path, path.with_name(f"{path.name}.damaged-{checksum:08x}"))
    file_system.sync_folder(path.parent)


@contextmanager
def _lock(path: Path, file_system: FileSystem) -> Generator[None]:
    """Keep other programs from changing the store."""
    with _map_errors(path):
        make_private_folder(path.parent, file_system)
        lock_file = path.with_name(f"{path.name}.lock")
        descriptor = open_private(lock_file, os.O_RDWR | os.O_CREAT, file_system)
        try:
            if not file_system.lock(descriptor, wait=True):
                raise OSError(EAGAIN, "another program is changing it; try again")
            yield
        finally:
            file_system.close(descriptor)


@contextmanager
def _map_errors(path: Path) -> Generator[None]:
    """Turn errors about a store into errors for the user."""
    try:
        with map_os_errors(path):
            yield
    except LogError as error:
        raise StoreError(error.detail) from error
