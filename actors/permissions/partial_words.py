"""What a word that is not literal still plainly names; only for rules that ask or deny."""

import os
import re
from collections.abc import Iterator

from actors.bash.parse import Word
from actors.permissions.glob_expansion import is_glob

_BEGINS = {"$", "~"}
_HERE = re.compile(r"^(?:\$PWD|\$\{PWD\}|~\+)(?=/|$)")
_HOME = re.compile(r"(?:\$HOME|\$\{HOME\}|~)(?=/|$)")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_EXPANDS = re.compile(r"[$`{]|^~")
_MOST = 64


def expand_partial_word(word: Word, home: str) -> Iterator[tuple[str, bool]]:
    """Write out what a word names, as far as it can be told; and whether that is a pattern."""
    if word.is_literal:
        yield word.text, False
        return
    for text in _spelled_out(word.text):
        path = _HERE.sub(".", text, count=1) if text[:1] in _BEGINS else text
        begin = _HOME.match(path) if path[:1] in _BEGINS else None
        if begin and (word.has_home_prefix or path[0] != "~"):
            path = os.path.join(home, path[begin.end() :].lstrip("/"))  # noqa: PTH118  (text, not a file)
        if path and not _EXPANDS.search(path):
            yield path, is_glob(path)


def is_fully_expanded(word: Word, home: str) -> bool:
    """Whether all that a word may name is written out by `paths_in`."""
    return word.is_literal or len([*expand_partial_word(word, home)]) == len(
        _spelled_out(word.text)
    )


def _spelled_out(text: str) -> list[str]:
    """Expand braces, as far as they are few; the others stay."""
    if "{" not in text:
        return [text]
    done: list[str] = []
    pending = [text]
    while pending and len(done) + len(pending) < _MOST:
        each = pending.pop()
        braces = _BRACES.search(each)
        if braces is None:
            done.append(each)
        else:
            pending += [
                each[: braces.start()] + choice + each[braces.end() :]
                for choice in braces[1].split(",")
            ]
    return [*done, *pending]
