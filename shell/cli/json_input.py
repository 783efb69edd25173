"""Reads JSON that the user names on the command line: a file, or one value per line.

Whatever is wrong with it is a `StartError` that names the file and the line.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from shell.startup.errors import StartError

_MAX_INPUT_BYTES = 16 * 1024 * 1024
"""For one line of a batch, and for a file of rules."""
_MAX_SKIPPED_BYTES = 1024 * 1024 * 1024
"""A longer line ends a batch, because it may never end."""


def read_json(path: Path) -> object:
    """Read a file with one JSON value.

    Raises:
        StartError: it cannot be read, is too long, or is not valid JSON.
    """
    return _parse_json(_read_text(path), str(path))


def parse_line(line: bytes, location: str) -> object:
    """Parse one line of `read_lines`.

    Raises:
        StartError: it was cut off, or is not valid JSON.
    """
    _require_size(len(line), location)
    return _parse_json(_decode(line.strip(), location), location)


def read_lines(path: Path) -> Iterator[bytes]:
    """Read line by line, so that a file may be long, or a pipe that is still being written.

    A line that is too long is cut off after the limit, which `parse_line` reports.

    Raises:
        StartError: the file cannot be read, or a line is so long that it may never end.
    """
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(_MAX_INPUT_BYTES + 1):
                number += 1
                yield line
                _skip_rest(line, file, f"{path}:{number}")
    except (OSError, ValueError) as error:
        raise _to_start_error(path, error) from error


def _skip_rest(line: bytes, file: BinaryIO, location: str) -> None:
    """Skip the rest of a line that was not read completely; it may never end."""
    skipped_bytes = 0
    while len(line) > _MAX_INPUT_BYTES and not line.endswith(b"\n"):
        skipped_bytes += len(line)
        _require_size(skipped_bytes, location, _MAX_SKIPPED_BYTES)
        line = file.readline(_MAX_INPUT_BYTES + 1)


def _parse_json(text: str, location: str) -> object:
    try:
        return json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:
        problem = str(error)
        if isinstance(error, json.JSONDecodeError) and "\n" not in text:
            problem = f"{error.msg} at column {error.colno}"
        message = f"{location}: not valid JSON: {problem}"
        raise StartError(message) from error


def _reject_constant(name: str) -> None:
    message = f"{name} is not a JSON number"
    raise ValueError(message)


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_INPUT_BYTES + 1)
    except (OSError, ValueError) as error:
        raise _to_start_error(path, error) from error
    _require_size(len(data), str(path))
    return _decode(data, str(path))


def _require_size(size_bytes: int, location: str, max_bytes: int = _MAX_INPUT_BYTES) -> None:
    if size_bytes > max_bytes:
        message = f"{location}: longer than {max_bytes // 1024**2} MiB"
        raise StartError(message)


def _decode(data: bytes, location: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = f"{location}: not valid UTF-8"
        raise StartError(message) from error


def _to_start_error(path: Path, error: OSError | ValueError) -> StartError:
    return StartError(f"{path}: {getattr(error, 'strerror', None) or error}")
