"""What a word that is not literal still plainly names; only for rules that ask or deny."""

import os
import re
from collections.abc import Iterator

from actors.permissions.commands.command import Word
from actors.permissions.patterns import is_pattern

_HERE = re.compile(r"(?:\$PWD|\$\{PWD\}|~\+)(?=/|$)")
_HOME = re.compile(r"(?:\$HOME|\$\{HOME\}|~)(?=/|$)")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_EXPANDS = re.compile(r"[$`{]|^~")
_MOST = 64


def paths_in(word: Word, home: str) -> Iterator[tuple[str, bool]]:
    """Write out what a word names, as far as it can be told; and whether that is a pattern."""
    if word.literal:
        yield word.text, False
        return
    for text in _spelled_out(word.text):
        here = _HERE.sub(".", text, count=1) if _HERE.match(text) else text
        path = here
        if word.home or not here.startswith("~"):
            begin = _HOME.match(here)
            path = os.path.join(home, here[begin.end() :].lstrip("/")) if begin else here  # noqa: PTH118  (text, not a file)
        if path and not _EXPANDS.search(path):
            yield path, is_pattern(path)


def is_told(word: Word, home: str) -> bool:
    """Whether all that a word may name is written out by `paths_in`."""
    return word.literal or len([*paths_in(word, home)]) == len(_spelled_out(word.text))


def _spelled_out(text: str) -> list[str]:
    """Expand braces, as far as they are few; the others stay."""
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
