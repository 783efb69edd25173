"""Finds commands that programs may run from their standard input; only deny rules match them."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from actors.bash.effects.possible_commands import find_commands_in_code
from actors.bash.programs.program import Program
from actors.bash.programs.table import find_program_of_version
from actors.bash.syntax.parsed_command import CommandPart, Words

_VERSION = re.compile(r"-?\d[\d.]*$")


class StdinReader(NamedTuple):
    """A program that may run its input."""

    program: Program
    part_index: int
    """The index of its first part."""


def find_stdin_readers(parts: Iterable[CommandPart]) -> tuple[StdinReader, ...]:
    """List the programs that may run their input, each once.

    A part without a reason to ask does only what its arguments say.
    """
    readers: dict[str, StdinReader] = {}
    for index, part in enumerate(parts):
        if part.ask_reason:
            _add_readers(part, index, readers)
    return tuple(readers.values())


def find_stdin_commands(program: Program, text: str) -> tuple[tuple[str, ...], tuple[Words, ...]]:
    """Return what a program may run from its input, as texts and as words; nothing for shells."""
    if program.stdin == "script":
        return (), ()
    if program.stdin == "code":
        return find_commands_in_code(text)
    prefix = program.stdin_line_prefix
    return (prefix.sub("", text) if prefix else text,), ()


def _add_readers(part: CommandPart, index: int, readers: dict[str, StdinReader]) -> None:
    """Add the program of a part and those nested in it."""
    bare = part.words[0].text.rpartition("/")[2] if part.words else ""
    program = find_program_of_version(bare, _VERSION)
    if program.stdin:
        readers.setdefault(_VERSION.sub("", bare), StdinReader(program, index))
    for inner in part.nested_parts:
        _add_readers(inner, index, readers)
