"""Reads and checks one configuration file."""

import errno
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shell.config.bounded_read import read_regular_file
from shell.config.schema import FILE_SCHEMA, FileConfig, build_config
from shell.config.toml_line_numbers import KeyPath, find_failing_line, find_key_lines, find_line
from shell.config.validation import find_problems, format_key

MAX_BYTES = 256 * 1024
MAX_PROBLEMS = 20
MAX_DOTS_PER_LINE = 500
"""The parser's time grows with the square of the number of parts of a key."""
_PARSER_MESSAGE = re.compile(r"^(?P<reason>.*) \(at line (?P<line>\d+), column \d+\)$", re.DOTALL)


class ConfigFileError(Exception):
    """A configuration file cannot be used; each problem is one line with file and line number."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        """All problems are reported at once, so that the user can fix them at once."""
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A valid configuration file."""

    path: Path
    config: FileConfig
    text: str

    def format_location(self, *key: str | int) -> str:
        """Return `path:line: key` of a key in the file."""
        return f"{self.path}:{find_line(key, find_key_lines(self.text))}: {format_key(key)}"


def read_config_file(path: Path) -> ConfigFile | None:
    """Read a configuration file; None if it does not exist.

    Raises:
        ConfigFileError: it exists and is invalid or cannot be read.
    """
    text = _read_text(path)
    if text is None:
        return None
    document = _parse_document(path, text)
    problems = list(find_problems(document, FILE_SCHEMA))
    # In a later format, keys that this version does not know are no mistake.
    problems = [(key, problem) for key, problem in problems if key == ("format",)] or problems
    if problems:
        raise ConfigFileError(_format_problems(path, text, problems))
    return ConfigFile(path, build_config(document), text)


def _read_text(path: Path) -> str | None:
    try:
        data = read_regular_file(path, MAX_BYTES + 1)
    except OSError as error:
        is_missing = error.errno in (errno.ENOENT, errno.ENOTDIR)
        if is_missing and not path.is_symlink():
            return None
        reason = "is a broken link" if is_missing else f"cannot be read: {error.strerror}"
        raise ConfigFileError((f"{path}: {reason}",)) from error
    if len(data) > MAX_BYTES:
        line = data.count(b"\n", 0, MAX_BYTES) + 1
        raise ConfigFileError((f"{path}:{line}: the file is larger than {MAX_BYTES:,} bytes",))
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigFileError((f"{path}:{line}: is not UTF-8",)) from None


def _parse_document(path: Path, text: str) -> dict[str, Any]:
    for number, line_text in enumerate(text.split("\n"), start=1):
        if line_text.count(".") > MAX_DOTS_PER_LINE:
            raise ConfigFileError(
                (f"{path}:{number}: the line has more than {MAX_DOTS_PER_LINE} dots",)
            )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _PARSER_MESSAGE.match(str(error))
        line = int(match["line"]) if match else text.count("\n") + 1
        reason = match["reason"] if match else str(error)
    except RecursionError:
        line, reason = find_failing_line(text), "nested too deeply"
    except ValueError:  # Python does not parse numbers of thousands of digits
        line, reason = find_failing_line(text), "a number has too many digits"
    raise ConfigFileError((_format_syntax_error(path, text, line, reason),))


def _format_syntax_error(path: Path, text: str, line: int, reason: str) -> str:
    key, equals, _ = text.split("\n")[line - 1].partition("=")
    name = f"{key.strip()}: " if equals and key.strip().isprintable() else ""
    return f"{path}:{line}: {name}invalid TOML: {reason}"


def _format_problems(path: Path, text: str, problems: list[tuple[KeyPath, str]]) -> tuple[str, ...]:
    key_lines = find_key_lines(text)
    by_line = sorted(
        (find_line(key, key_lines), f"{format_key(key)}: {problem}") for key, problem in problems
    )
    lines = [f"{path}:{line}: {problem}" for line, problem in by_line]
    more = len(lines) - MAX_PROBLEMS
    return (*lines[:MAX_PROBLEMS], *([f"{path}: {more} more problems"] if more > 0 else []))
