"""Finds commands that programs may run from their standard input; only deny rules match them."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from actors.bash.effects.possible_commands import find_commands_in_code
from actors.bash.programs.program import Program
from actors.bash.programs.table import find_program_of_version
from actors.bash.syntax.parsed_command import CommandPart, Word, Words

_VERSION = re.compile(r"-?\d[\d.]*$")
_MAX_REPLACED = 16


class StdinReader(NamedTuple):
    """A command that may run its input."""

    program: Program
    words: Words
    part_index: int
    """The index of the part that it is, or is nested in."""


def find_stdin_readers(parts: Iterable[CommandPart]) -> tuple[StdinReader, ...]:
    """List the programs that may run their input, each once; `xargs` once for each command.

    A part without a reason to ask does only what its arguments say.
    """
    readers: dict[tuple[str, Words], StdinReader] = {}
    for index, part in enumerate(parts):
        if part.ask_reason:
            _add_readers(part, index, readers)
    return tuple(readers.values())


def find_stdin_commands(
    reader: StdinReader, text: str
) -> tuple[tuple[str, ...], tuple[Words, ...]]:
    """Return what a program may run from its input, as texts and as words; nothing for shells."""
    program = reader.program
    if program.stdin == "script":
        return (), ()
    if program.stdin == "arguments":
        return (), tuple(_add_arguments(reader.words, text.split()))
    if program.stdin == "code":
        return find_commands_in_code(text)
    prefix = program.stdin_line_prefix
    return (prefix.sub("", text) if prefix else text,), ()


def _add_arguments(words: Words, texts: list[str]) -> Iterator[Words]:
    """Yield the command with its input as arguments: at the end, and in place of `{}`."""
    yield (*words, *map(Word, texts))
    for text in texts[:_MAX_REPLACED]:
        replaced = tuple([word.with_text(word.text.replace("{}", text)) for word in words])
        if replaced != words:
            yield replaced


def _add_readers(
    part: CommandPart, index: int, readers: dict[tuple[str, Words], StdinReader]
) -> None:
    """Add the program of a part and those nested in it."""
    bare = part.words[0].text.rpartition("/")[2] if part.words else ""
    program = find_program_of_version(bare, _VERSION)
    if program.stdin:
        words = part.words if program.stdin == "arguments" else ()
        readers.setdefault((_VERSION.sub("", bare), words), StdinReader(program, words, index))
    for inner in part.nested_parts:
        _add_readers(inner, index, readers)
