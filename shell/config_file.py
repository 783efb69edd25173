"""Reading a configuration file: what it says, or everything that is wrong with it."""

import errno
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from shell.config_schema import FileConfig
from shell.regular import read_regular
from shell.toml_lines import Key, line_of, lines_of

MOST_BYTES = 256 * 1024
MOST_PROBLEMS = 20
_SHOWN_CHARS = 40
_AT = re.compile(r"^(?P<why>.*) \(at line (?P<line>\d+), column \d+\)$", re.DOTALL)
_TYPES = {
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "string_type": "must be a text in quotes",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list of [[…]] tables",
    "model_type": "must be a table",
    "string_too_short": "must not be empty",
    "string_pattern_mismatch": "must be a name of a-z, 0-9 and -, at most 48 characters",
}


class ConfigFileError(Exception):
    """A file cannot be used; each problem is one line for people, with file and line."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        """Keep them all, so that they can be mended at once."""
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Read:
    """A file that was read."""

    path: Path
    config: FileConfig
    text: str

    def place(self, *key: str | int) -> str:
        """Name a key of the file with its line, for people."""
        return f"{self.path}:{line_of(key, lines_of(self.text))}: {_named(key)}"


def read_config(path: Path) -> Read | None:
    """Read a configuration file; None: there is none.

    Raises:
        ConfigFileError: it is there and cannot be used as it stands.
    """
    text = _text(path)
    if text is None:
        return None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigFileError((_syntax_problem(path, text, str(error)),)) from None
    except (RecursionError, ValueError) as error:  # the second: a date or a number beyond reason
        why = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ConfigFileError((f"{path}: not valid TOML: {why}",)) from None
    try:
        return Read(path, FileConfig.model_validate(document), text)
    except ValidationError as error:
        raise ConfigFileError(_problems(path, text, error)) from None


def _text(path: Path) -> str | None:
    try:
        data = read_regular(path, MOST_BYTES + 1)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return None
        raise ConfigFileError((f"{path}: cannot be read: {error.strerror}",)) from error
    if len(data) > MOST_BYTES:
        raise ConfigFileError((f"{path}: longer than {MOST_BYTES:,} bytes",))
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigFileError((f"{path}:{line}: not UTF-8",)) from None


def _syntax_problem(path: Path, text: str, why: str) -> str:
    found = _AT.match(why)
    line = int(found["line"]) if found else text.count("\n") + 1
    what = found["why"] if found else why
    key, equals, _ = text.split("\n")[line - 1].partition("=")
    name = f"{key.strip()}: " if equals and key.strip().isprintable() else ""
    return f"{path}:{line}: {name}not valid TOML: {what}"


def _problems(path: Path, text: str, error: ValidationError) -> tuple[str, ...]:
    lines = lines_of(text)
    found = [
        (line_of(each["loc"], lines), f"{_named(each['loc'])}: {_said(each)}")
        for each in error.errors(include_url=False)
    ]
    told = [f"{path}:{line}: {what}" for line, what in sorted(found)]
    more = len(told) - MOST_PROBLEMS
    return (*told[:MOST_PROBLEMS], *([f"{path}: {more} more problems"] if more > 0 else []))


def _named(key: Key) -> str:
    """Write a key as TOML does; elements of a list count from 1."""
    name = ""
    for part in key:
        name += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if name else part
    return name


def _said(error: ErrorDetails) -> str:
    """Say what is wrong; the value too, but not that of a key that nobody knows."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown(error["loc"])
    if kind == "missing":
        return "is missing"
    if kind == "literal_error":
        what = "must be " + str(context["expected"]).replace("'", "")
    elif kind == "value_error":
        return str(context["error"])
    else:
        what = _TYPES.get(kind) or error["msg"].replace("Input should be", "must be")
    return f"{what}, not {_shown(error['input'])}"


def _unknown(key: Key) -> str:
    known = _keys_beside(key)
    name = str(key[-1])
    near = get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
    return f"no such key; {hint}"


def _keys_beside(key: Key) -> list[str]:
    kind: type[BaseModel] = FileConfig
    for part in key[:-1]:
        if isinstance(part, str):
            kind = _section(kind, part)
    return list(kind.model_fields)


def _section(kind: type[BaseModel], name: str) -> type[BaseModel]:
    """Find the model of a table or of a list's tables."""
    default = kind.model_fields[name].default
    if isinstance(default, BaseModel):
        return type(default)
    annotation: Any = kind.model_fields[name].annotation
    return cast("type[BaseModel]", annotation.__args__[0])


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
