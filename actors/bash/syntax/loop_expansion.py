"""Expands loop variables in the body of a `for` loop whose values are listed."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from actors.bash.syntax.parsed_command import CommandPart, Word, Words

_MAX_EXPANSIONS = 128
"""Expansions of one command; nested loops multiply them."""
_LOOKUP_COMMANDS = {"hash", "type", "which"}
_LOOKUP_OPTIONS = {("command", "-v"), ("command", "-V")}
_UNSPLITTABLE = re.compile(r"[\w./:,@%+=-]+")


LoopResults = dict[tuple[int, tuple[int, ...]], CommandPart]
"""The expanded parts of one text, by the identity of the part and its position relative to each
loop: 0 before, 1 inside, 2 after."""


class ForLoop(NamedTuple):
    """One `for variable in values` loop."""

    variable: str
    values: Words
    body_start: int
    """Where its body begins, as a byte offset."""
    body_end: int


def expand_loop_reads(part: CommandPart, offset: int, loops: Sequence[ForLoop]) -> CommandPart:
    """Replace each opened file that is just a loop variable by the values of the loop.

    `offset` is where the part begins. An inner loop leaves its last value in a variable of the
    same name, so all loops over that name apply.
    """
    opened: list[Word] = []
    expanded: list[Word] = []
    for word in part.opened_files:
        matching = [
            loop for loop in loops if word.text in (f"${loop.variable}", f"${{{loop.variable}}}")
        ]
        values = [value for loop in matching for value in loop.values]
        is_inside = any(loop.body_start <= offset < loop.body_end for loop in matching)
        is_known = is_inside and all(loop.values for loop in matching)
        if is_known and (word.is_one_word or all(map(_is_unsplittable, values))):
            opened += values
            expanded += values
        else:
            opened.append(word)
    return part._replace(
        opened_files=tuple(opened), possible_read_paths=(*part.possible_read_paths, *expanded)
    )


def can_vary(part: CommandPart) -> bool:
    """Whether a part can differ between the iterations of a loop."""
    words = part.words if _may_run_arguments(part) else part.opened_files
    return not all(word.is_literal for word in words)


def _may_run_arguments(part: CommandPart) -> bool:
    """Whether the command it runs is among its arguments, or its name is expanded."""
    return bool(part.nested_parts) or (bool(part.words) and not part.words[0].is_literal)


def expand_loop_commands(part: CommandPart, offset: int, loops: Sequence[ForLoop]) -> list[Words]:
    """List the commands that a part runs if loop variables name them, or a part of them.

    `offset` is where the part begins. A variable outlives its loop. A command that only looks
    another one up (`command -v`) runs none.
    """
    first, *more = [word.text for word in part.words[:2]] or [""]
    is_lookup = first in _LOOKUP_COMMANDS or (first, *more) in _LOOKUP_OPTIONS
    if not _may_run_arguments(part) or is_lookup:
        return []
    commands = [part.words]
    for loop in loops:
        if loop.body_start <= offset:
            variable = re.compile(rf"\$(?:{loop.variable}\b|{{{loop.variable}}})")
            pairs = ((words, value) for words in commands for value in loop.values)
            commands = [
                _substitute(variable, value, words)
                for words, value in islice(pairs, _MAX_EXPANSIONS)
            ] or commands
    return [words for words in dict.fromkeys(commands) if words != part.words]


def _substitute(variable: re.Pattern[str], value: Word, words: Words) -> Words:
    """Replace a variable by a value; the command word is then split at blanks."""
    result: list[Word] = []
    for index, word in enumerate(words):
        text = value.text.join(variable.split(word.text))
        if text == word.text:
            result.append(word)
        else:
            result += map(Word, [text] if index else text.split())
    return tuple(result)


def _is_unsplittable(word: Word) -> bool:
    """Whether bash neither splits nor globs the word where it is not quoted."""
    return word.is_literal and _UNSPLITTABLE.fullmatch(word.text) is not None
