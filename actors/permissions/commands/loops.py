"""What a word stands for in the body of a loop that says what it runs over."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from actors.permissions.commands.command import Part, Word
from actors.permissions.commands.hidden import Words

_MOST = 1_000
"""Texts that one command of a loop may come to; of loops in loops there are soon more."""
_WHOLE = re.compile(r"[\w./:,@%+=-]+")


class Loop(NamedTuple):
    """One `for name in words`."""

    name: str
    words: Words
    start: int
    """Where its body begins, in bytes."""
    end: int


def in_loops(part: Part, at: int, loops: Sequence[Loop]) -> Part:
    """Write out what a part reads that stands at `at`, where that is a loop's variable alone.

    A loop within leaves its last word in a variable of the same name, so all of that name count.
    """
    if all(word.literal for word in part.opens):
        return part
    opens: list[Word] = []
    read: list[Word] = []
    for word in part.opens:
        meant = [loop for loop in loops if word.text in (f"${loop.name}", f"${{{loop.name}}}")]
        words = [each for loop in meant for each in loop.words]
        is_within = any(loop.start <= at < loop.end for loop in meant)
        is_told = is_within and all(loop.words for loop in meant)
        if is_told and (word.single or all(map(_is_whole, words))):
            opens += words
            read += words
        else:
            opens.append(word)
    return part._replace(opens=tuple(opens), reads=(*part.reads, *read))


def run_in_loops(part: Part, at: int, loops: Sequence[Loop]) -> list[str]:
    """Write out what a part runs that takes its command from a loop's variable."""
    if not loops or not part.words or (part.words[0].literal and not part.inner):
        return []
    texts = [part.text]
    for loop in loops:
        if loop.start <= at < loop.end:
            variable = re.compile(rf"\$(?:{loop.name}\b|{{{loop.name}}})")
            meant = ((each, word.text) for each in texts for word in loop.words)
            told = (to.join(variable.split(each)) for each, to in meant)
            texts = list(dict.fromkeys(islice(told, _MOST))) or texts
    return [each for each in texts if each != part.text]


def _is_whole(word: Word) -> bool:
    """Whether bash neither splits it nor takes it for a pattern, where nothing quotes it."""
    return word.literal and _WHOLE.fullmatch(word.text) is not None
