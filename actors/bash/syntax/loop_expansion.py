"""Expands loop variables in the body of a `for` loop whose values are listed."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from actors.bash.syntax.parsed_command import CommandPart, Word, Words

_UNSPLITTABLE = re.compile(r"[\w./:,@%+=-]+")
_OPTION_STARTS = frozenset("-*?[$")
_MAX_LOOP_COMMANDS = 64


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


def list_loop_commands(words: Words, offset: int, loops: Sequence[ForLoop]) -> list[Words]:
    """List what a command becomes inside loops; nothing if a value or another word is unclear.

    `offset` is where the command begins.
    """
    commands = [words]
    for variable in dict.fromkeys(loop.variable for loop in loops):
        matching = [loop for loop in loops if loop.variable == variable]
        reference = re.compile(rf"\$(?:{variable}(?!\w)|{{{variable}}})")
        if not any(reference.search(word.text) for word in words if not word.is_literal):
            continue
        values = [value for loop in matching for value in loop.values]
        is_inside = any(loop.body_start <= offset < loop.body_end for loop in matching)
        is_known = (
            is_inside
            and all(loop.values for loop in matching)
            and all(map(_is_plain_value, values))
        )
        if not is_known or len(commands) * len(values) > _MAX_LOOP_COMMANDS:
            return []
        commands = [
            tuple([_substitute(reference, value, word) for word in command])
            for command in commands
            for value in values
        ]
    return commands if commands != [words] else []


def _is_plain_value(word: Word) -> bool:
    return _is_unsplittable(word) or word.is_plain_pattern


def _substitute(reference: re.Pattern[str], value: Word, word: Word) -> Word:
    if word.is_literal:
        return word
    text = reference.sub(lambda _: value.text, word.text)
    if text == word.text:
        return word
    return Word(
        text,
        is_literal=_UNSPLITTABLE.fullmatch(text) is not None,
        is_never_option=text[:1] not in _OPTION_STARTS,
    )


def _is_unsplittable(word: Word) -> bool:
    """Whether bash neither splits nor globs the word where it is not quoted."""
    return word.is_literal and _UNSPLITTABLE.fullmatch(word.text) is not None
