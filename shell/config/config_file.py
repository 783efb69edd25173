"""Reading a configuration file: what it says, or everything that is wrong with it."""

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
"""In a line: the parser's time grows with the square of the parts of a key."""
_AT = re.compile(r"^(?P<why>.*) \(at line (?P<line>\d+), column \d+\)$", re.DOTALL)


class ConfigFileError(Exception):
    """A file cannot be used; each problem is one line for people, with file and line."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        """Keep them all, so that they can be mended at once."""
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file that was read."""

    path: Path
    config: FileConfig
    text: str

    def format_location(self, *key: str | int) -> str:
        """Name a key of the file with its line, for people."""
        return f"{self.path}:{find_line(key, find_key_lines(self.text))}: {format_key(key)}"


def read_config_file(path: Path) -> ConfigFile | None:
    """Read a configuration file; None: there is none.

    Raises:
        ConfigFileError: it is there and cannot be used as it stands.
    """
    text = _text(path)
    if text is None:
        return None
    document = _document(path, text)
    wrong = list(find_problems(document, FILE_SCHEMA))
    # What else a later format says is no mistake.
    wrong = [each for each in wrong if each[0] == ("format",)] or wrong
    if wrong:
        raise ConfigFileError(_told(path, text, wrong))
    return ConfigFile(path, build_config(document), text)


def _text(path: Path) -> str | None:
    try:
        data = read_regular_file(path, MAX_BYTES + 1)
    except OSError as error:
        missing = error.errno in (errno.ENOENT, errno.ENOTDIR)
        if missing and not path.is_symlink():
            return None
        why = "it is a link that leads nowhere" if missing else error.strerror
        raise ConfigFileError((f"{path}: cannot be read: {why}",)) from error
    if len(data) > MAX_BYTES:
        line = data.count(b"\n", 0, MAX_BYTES) + 1
        raise ConfigFileError((f"{path}:{line}: here it gets longer than {MAX_BYTES:,} bytes",))
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigFileError((f"{path}:{line}: not UTF-8",)) from None


def _document(path: Path, text: str) -> dict[str, Any]:
    for number, words in enumerate(text.split("\n"), start=1):
        if words.count(".") > MAX_DOTS_PER_LINE:
            raise ConfigFileError(
                (f"{path}:{number}: a line with more than {MAX_DOTS_PER_LINE} dots",)
            )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT.match(str(error))
        line = int(found["line"]) if found else text.count("\n") + 1
        why = _syntax_problem(path, text, line, found["why"] if found else str(error))
    except RecursionError:
        why = _syntax_problem(path, text, find_failing_line(text), "nested too deeply")
    except ValueError:  # Python reads no number of so many digits
        why = _syntax_problem(path, text, find_failing_line(text), "a number of too many digits")
    raise ConfigFileError((why,))


def _syntax_problem(path: Path, text: str, line: int, what: str) -> str:
    key, equals, _ = text.split("\n")[line - 1].partition("=")
    name = f"{key.strip()}: " if equals and key.strip().isprintable() else ""
    return f"{path}:{line}: {name}not valid TOML: {what}"


def _told(path: Path, text: str, wrong: list[tuple[KeyPath, str]]) -> tuple[str, ...]:
    lines = find_key_lines(text)
    found = sorted((find_line(key, lines), f"{format_key(key)}: {what}") for key, what in wrong)
    told = [f"{path}:{line}: {what}" for line, what in found]
    more = len(told) - MAX_PROBLEMS
    return (*told[:MAX_PROBLEMS], *([f"{path}: {more} more problems"] if more > 0 else []))
