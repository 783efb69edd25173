"""What git would leave out of a folder: the rules of its `.gitignore` files.

The file nearest to a path has the first word, and what lies in an ignored folder is never looked
at. Source: gitignore(5).
"""

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass

from actors.tools.wildcards import compile_wildcards

_RULES = ".gitignore"
MAX_GITIGNORE_BYTES = 256 * 1024
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_BYTES = "latin-1"
"""Git compares bytes, so each is taken for a character."""
MAX_IGNORE_PATTERN_CHARS = 1_000
"""A longer line is none that a person wrote."""


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """One line."""

    regex: "re.Pattern[str]"
    is_ignore: bool
    folders_only: bool
    names_only: bool
    """It holds for the last part of a path, at any depth."""


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The rules of one folder."""

    folder: str
    """Relative to where the walk's paths begin, with a `/` at its end; empty: that place itself."""
    patterns_last_first: tuple[IgnorePattern, ...]

    def match_path(self, path: str) -> bool | None:
        """Whether `path` is left out; None: these rules do not speak of it."""
        inside = os.fsencode(path.removeprefix(self.folder)).decode(_BYTES)
        whole = inside.removesuffix("/")
        name = whole.rpartition("/")[2]
        for rule in self.patterns_last_first:
            if rule.folders_only and whole == inside:
                continue
            if rule.regex.fullmatch(name if rule.names_only else whole):
                return rule.is_ignore
        return None


def load_ignore_files(folder_descriptor: int, prefix: str) -> tuple[IgnoreFile, ...]:
    """Read the rules of the folder with descriptor `folder`; none where there is no plain file."""
    lines = _text(folder_descriptor).removeprefix("\xef\xbb\xbf").split("\n")
    rules = [rule for line in reversed(lines) if (rule := _rule(line))]
    return (IgnoreFile(prefix, tuple(rules)),) if rules else ()


def is_ignored(path: str, ignore_files: Sequence[IgnoreFile]) -> bool:
    """Whether `path` (folders end in `/`) is left out; `rules` from the outermost inwards."""
    said = (each.match_path(path) for each in reversed(ignore_files))
    return next((word for word in said if word is not None), False)


def _rule(line: str) -> IgnorePattern | None:
    """Read a line; None: it says nothing, or what git could not read either."""
    text = _without_blanks(line.removesuffix("\r"))
    pattern = text.removeprefix("!")
    plain = pattern.removesuffix("/")
    if not plain or text.startswith("#") or len(text) > MAX_IGNORE_PATTERN_CHARS:
        return None
    try:
        return IgnorePattern(
            compile_wildcards(plain.removeprefix("/")),
            is_ignore=pattern == text,
            folders_only=plain != pattern,
            names_only="/" not in plain,
        )
    except ValueError:
        return None


def _without_blanks(line: str) -> str:
    """Leave out blanks at the end, but for one behind a backslash of its own."""
    text = line.rstrip(" ")
    backslashes = len(text) - len(text.rstrip("\\"))
    return f"{text} " if backslashes % 2 and text != line else text


def _text(folder: int) -> str:
    try:
        file = os.open(_RULES, _READ, dir_fd=folder)
    except OSError:  # none, a link, or not ours to read: then nothing is left out by it
        return ""
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return ""
        return os.read(file, MAX_GITIGNORE_BYTES).decode(_BYTES)
    finally:
        os.close(file)
