"""The paths that a word with expansions, which is not literal, can still be known to name."""

import os
import re
from functools import lru_cache

from actors.bash.parse import Word
from actors.permissions.glob_expansion import is_glob

_VARIABLE_STARTS = {"$", "~"}
_CURRENT_DIRECTORY = re.compile(r"^(?:\$PWD|\$\{PWD\}|~\+)(?=/|$)")
_HOME = re.compile(r"(?:\$HOME|\$\{HOME\}|~)(?=/|$)")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_EXPANSION = re.compile(r"[$`{]|^~")
_MAX_ALTERNATIVES = 64
_CACHE_SIZE = 512
"""Each word is expanded several times per decision."""


def expand_partial_word(word: Word, home: str) -> list[tuple[str, bool]]:
    """Return the paths that a word names as far as they are known, and whether each is a pattern.

    Only rules that ask or deny may use the result, because it can be incomplete.
    """
    paths: list[tuple[str, bool]] = []
    for text in _expand_braces(word.text):
        path = _CURRENT_DIRECTORY.sub(".", text, count=1) if text[:1] in _VARIABLE_STARTS else text
        home_prefix = _HOME.match(path) if path[:1] in _VARIABLE_STARTS else None
        if home_prefix and (word.has_home_prefix or path[0] != "~"):  # in quotes, `~` is itself
            path = os.path.join(home, path[home_prefix.end() :].lstrip("/"))  # noqa: PTH118  (text, not a file)
        if path and not _EXPANSION.search(path):
            paths.append((path, is_glob(path)))
    return paths


def is_fully_expanded(word: Word, home: str) -> bool:
    """Whether `expand_partial_word` returns everything that a word may name."""
    return len(expand_partial_word(word, home)) == len(_expand_braces(word.text))


def has_fixed_paths(word: Word, home: str) -> bool:
    """Whether a word names the same files regardless of which files exist."""
    paths = dict(expand_partial_word(word, home))
    return bool(paths) and not any(paths.values())


def may_be_replaced(
    word: Word, directories: tuple[str, ...], home: str, written: list[str]
) -> bool:
    """Whether a word may name a file that does not exist, or that is among those `written`."""
    return any(
        is_pattern or _is_missing_or_written(os.path.join(folder, path), written)  # noqa: PTH118  (text, not a file)
        for path, is_pattern in expand_partial_word(word, home)
        for folder in directories
    )


def _is_missing_or_written(path: str, written: list[str]) -> bool:
    plain = os.path.normpath(path)
    is_written = any(plain == target or plain.startswith(f"{target}/") for target in written)
    return is_written or not os.path.lexists(plain)


@lru_cache(_CACHE_SIZE)
def _expand_braces(text: str) -> tuple[str, ...]:
    """Expand braces up to the limit; texts beyond it keep their braces."""
    if "{" not in text:
        return (text,)
    expanded: list[str] = []
    pending = [text]
    while pending and len(expanded) + len(pending) < _MAX_ALTERNATIVES:
        candidate = pending.pop()
        braces = _BRACES.search(candidate)
        if braces is None:
            expanded.append(candidate)
        else:
            pending += [
                candidate[: braces.start()] + alternative + candidate[braces.end() :]
                for alternative in braces[1].split(",")
            ]
    return (*expanded, *pending)
