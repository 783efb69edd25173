"""What a word stands for in the body of a loop that says what it runs over."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from actors.bash.effects.indirect_effects import Words
from actors.bash.syntax.parsed_command import CommandPart, Word

_MOST = 128
"""Commands that one command of a loop may come to; of loops in loops there are soon more."""
_ASKING, _ASKING_BY = {"hash", "type", "which"}, {("command", "-v"), ("command", "-V")}
_WHOLE = re.compile(r"[\w./:,@%+=-]+")


LoopResults = dict[tuple[int, tuple[int, ...]], CommandPart]
"""What the loops of one text make of its parts, by their identity and by which of the loops they
stand before, in or behind."""


class ForLoop(NamedTuple):
    """One `for name in words`."""

    variable: str
    values: Words
    body_start: int
    """Where its body begins, in bytes."""
    body_end: int


def expand_loop_reads(part: CommandPart, offset: int, loops: Sequence[ForLoop]) -> CommandPart:
    """Write out what a part reads that stands at `at`, where that is a loop's variable alone.

    A loop within leaves its last word in a variable of the same name, so all of that name count.
    """
    opens: list[Word] = []
    read: list[Word] = []
    for word in part.opened_files:
        meant = [
            loop for loop in loops if word.text in (f"${loop.variable}", f"${{{loop.variable}}}")
        ]
        words = [each for loop in meant for each in loop.values]
        is_within = any(loop.body_start <= offset < loop.body_end for loop in meant)
        is_told = is_within and all(loop.values for loop in meant)
        if is_told and (word.is_one_word or all(map(_is_whole, words))):
            opens += words
            read += words
        else:
            opens.append(word)
    return part._replace(
        opened_files=tuple(opens), possible_read_paths=(*part.possible_read_paths, *read)
    )


def can_vary(part: CommandPart) -> bool:
    """Whether a loop can make anything else of a part."""
    words = part.words if _is_given(part) else part.opened_files
    return not all(word.is_literal for word in words)


def _is_given(part: CommandPart) -> bool:
    """Whether what it runs stands among its words, or is not certain."""
    return bool(part.nested_parts) or (bool(part.words) and not part.words[0].is_literal)


def expand_loop_commands(part: CommandPart, offset: int, loops: Sequence[ForLoop]) -> list[Words]:
    """Write out what a part at `at` runs that takes its command, or a part of it, from a loop.

    A variable outlives its loop. What only asks about a command (`command -v`) runs none.
    """
    first, *more = [word.text for word in part.words[:2]] or [""]
    if not _is_given(part) or first in _ASKING or (first, *more) in _ASKING_BY:
        return []
    meant = [part.words]
    for loop in loops:
        if loop.body_start <= offset:
            variable = re.compile(rf"\$(?:{loop.variable}\b|{{{loop.variable}}})")
            told = ((words, value) for words in meant for value in loop.values)
            meant = [_with(variable, value, words) for words, value in islice(told, _MOST)] or meant
    return [words for words in dict.fromkeys(meant) if words != part.words]


def _with(variable: re.Pattern[str], value: Word, words: Words) -> Words:
    """Put a value in the place of a variable; a command word falls apart at blanks."""
    found: list[Word] = []
    for at, word in enumerate(words):
        text = value.text.join(variable.split(word.text))
        if text == word.text:
            found.append(word)
        else:
            found += map(Word, [text] if at else text.split())
    return tuple(found)


def _is_whole(word: Word) -> bool:
    """Whether bash neither splits it nor takes it for a pattern, where nothing quotes it."""
    return word.is_literal and _WHOLE.fullmatch(word.text) is not None
