"""Finds what a command runs or writes through its arguments, from the record of its program."""

import re

from actors.bash.effects.effect_rules import EffectRule
from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects
from actors.bash.effects.option_parsing import find_command_or_output_option
from actors.bash.effects.possible_commands import find_option_commands
from actors.bash.effects.read_only import find_unlisted_read_option
from actors.bash.programs.code_arguments import find_file_names_in_code
from actors.bash.programs.program import Program
from actors.bash.programs.table import find_program_of_version
from actors.bash.programs.version_queries import is_version_query
from actors.bash.syntax.parsed_command import Words

_SUFFIX = re.compile(r"-?\d[\d.]*$|\.exe$")
_VERSION = re.compile(r"\d[\d.]*$")


def find_indirect_effects(words: Words, stdin: str = "") -> IndirectEffects:
    """Return what a command runs or writes through its arguments."""
    if not words:
        return NO_EFFECTS
    program = find_program_of_version(words[0].text.rpartition("/")[2], _SUFFIX)
    if is_version_query(program, words):
        return NO_EFFECTS
    effects = program.effect_rule(words, stdin) if program.effect_rule else NO_EFFECTS
    if effects.ask_reason or len(words) == 1:
        return effects
    scripts = find_option_commands(words)
    reason = _find_unsafe_option(program, words)
    if reason or scripts:
        return IndirectEffects(reason, possible_scripts=scripts)
    return NO_EFFECTS


def _find_unsafe_option(program: Program, words: Words) -> str:
    """Return why an option that the program's record does not list needs approval.

    Without a list, only options whose names say that they take a command or an output file do.
    """
    if program.takes_text or program.stdin == "code":
        return ""
    if program.read_options is not None:
        option = find_unlisted_read_option(program.read_options, words[1:])
        return f"`{option}` is not known to be safe" if option else ""
    if program.has_listed_options:
        return ""
    option = find_command_or_output_option(words[1:])
    return f"`{option}` may run a command or write a file" if option else ""


def find_effect_rule(name: str) -> EffectRule | None:
    """Find the rule of a command by its name, ignoring its folder and its version."""
    return find_program_of_version(name.rpartition("/")[2], _SUFFIX).effect_rule


def takes_only_operands(name: str) -> bool:
    """Whether a program has a record that says that it has no subcommands."""
    program = find_program_of_version(name.rpartition("/")[2], _SUFFIX)
    return bool(program.names) and not program.has_subcommands


def find_code_files(words: Words) -> Words:
    """List the files that code among the arguments of a command may name."""
    program = find_program_of_version(words[0].text.rpartition("/")[2], _VERSION)
    return find_file_names_in_code(words) if program.code_names_files else ()
