"""What a word stands for in the body of a loop that says what it runs over."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from actors.permissions.commands.command import Part
from actors.permissions.commands.hidden import Words

_WHOLE = re.compile(r"[\w./:,@%+=-]+")
"""What bash neither splits nor takes for a pattern, wherever it stands."""


class Loop(NamedTuple):
    """One `for name in words`."""

    name: str
    words: Words
    start: int
    """Where its body begins, in bytes."""
    end: int


def in_loops(part: Part, at: int, loops: Iterable[Loop]) -> Part:
    """Write out what a part reads that stands at `at`, where that is a loop's variable alone."""
    if all(word.literal for word in part.opens):
        return part
    opens, read = list(part.opens), list(part.reads)
    for loop in loops:
        if loop.start <= at < loop.end and loop.words:
            meant = {f"${loop.name}", f"${{{loop.name}}}"}
            fits = [word for word in opens if word.text in meant and _is_told(word.single, loop)]
            opens = [word for word in opens if word not in fits]
            opens += loop.words if fits else ()
            read += loop.words if fits else ()
    return part._replace(opens=tuple(opens), reads=tuple(read))


def _is_told(is_whole: bool, loop: Loop) -> bool:  # noqa: FBT001 - a word is quoted or not
    """Whether the variable is one of the loop's words; unquoted it may be taken apart."""
    return is_whole or all(word.literal and _WHOLE.fullmatch(word.text) for word in loop.words)
