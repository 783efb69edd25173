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

from actors.sessions.faults import LogError, StoreError
from actors.sessions.files import Files, LocalFileSystem, make_private
from actors.sessions.opening import open_private

if TYPE_CHECKING:  # a verdict is explained without the weight of pydantic
    from pydantic import JsonValue

Content: TypeAlias = "dict[str, JsonValue]"


@dataclass(frozen=True, slots=True)
class Stored:
    """What a store says."""

    content: Content = field(default_factory=dict)
    """Without the format number; empty when there is no file, or a damaged one."""
    format: int = 0
    """Which version wrote it, so that an older one can be understood; 0: nothing is stored."""
    damage: str = ""
    """Why the file counts as empty, in one line for people; the next change keeps it aside."""


def replace_file(path: Path, data: bytes, files: Files | None = None) -> None:
    """Put `data` in the place of a file, for its owner alone; it is on disk when this returns.

    Raises:
        StoreError: the old content stands.
    """
    files = files or LocalFileSystem()
    with _held(path, files):
        _replace(path, data, files)


def read_store(path: Path, known_format: int, files: Files | None = None) -> Stored:
    """Read a JSON store without changing anything.

    Raises:
        StoreError: it cannot be read, is not ours alone, or a newer version wrote it.
    """
    with _told(path):
        return _read(path, known_format, files or LocalFileSystem())


def change_store(
    path: Path,
    known_format: int,
    change: "Callable[[Stored], Mapping[str, JsonValue]]",
    files: Files | None = None,
) -> Stored:
    """Replace a JSON store by what `change` makes of it; nobody else's change comes between.

    A damaged store counts as empty and is kept beside it as `<name>.damaged-<checksum>`.

    Raises:
        StoreError: the old content stands.
    """
    files = files or LocalFileSystem()
    with _held(path, files):
        before = _read(path, known_format, files)
        after = Stored({**change(before)}, known_format)
        if before.damage:
            _set_aside(path, files)
        _replace(path, _written(known_format, after.content), files)
    return after


def _replace(path: Path, data: bytes, files: Files) -> None:
    new = path.with_name(f"{path.name}.new")
    try:
        _write_whole(new, data, files)
        files.rename(new, path)
    except BaseException:
        with suppress(OSError):
            files.remove(new)
        raise
    files.sync_folder(path.parent)


def _write_whole(path: Path, data: bytes, files: Files) -> None:
    """Write a file that is on disk when this returns; an unfinished one of a dead run is reused."""
    descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, files)
    try:
        written = 0
        while written < len(data):  # after a short write the next one says what is wrong
            written += files.write(descriptor, data[written:])
        files.sync(descriptor)
    finally:
        files.close(descriptor)


def _read(path: Path, known_format: int, files: Files) -> Stored:
    try:
        data = _bytes_of(path, files)
    except (FileNotFoundError, NotADirectoryError):
        return Stored()
    try:
        version, content = _understood(data)
    except ValueError as error:
        return Stored(damage=f"{path}: damaged, so it counts as empty: {error}")
    if version > known_format:
        message = f"{path}: written in format {version}; this version knows up to {known_format}"
        raise StoreError(message)
    return Stored(content, version)


def _understood(data: bytes) -> tuple[int, Content]:
    try:
        value: object = json.loads(data)
    except RecursionError as error:
        raise ValueError(str(error)) from error
    content = cast("Content", value) if isinstance(value, dict) else {}
    version = content.pop("format", None)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        message = "it is no JSON object with a format number"
        raise ValueError(message)
    return version, content


def _written(known_format: int, content: Content) -> bytes:
    return json.dumps({"format": known_format, **content}, indent=2).encode() + b"\n"


def _bytes_of(path: Path, files: Files) -> bytes:
    descriptor = open_private(path, os.O_RDONLY, files)
    try:
        return files.read(descriptor)
    finally:
        files.close(descriptor)


def _set_aside(path: Path, files: Files) -> None:
    aside = path.with_name(f"{path.name}.damaged-{zlib.crc32(_bytes_of(path, files)):08x}")
    files.rename(path, aside)
    files.sync_folder(path.parent)


@contextmanager
def _held(path: Path, files: Files) -> Generator[None]:
    """Keep other programs from changing the store meanwhile."""
    with _told(path):
        make_private(path.parent, files)
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
