"""Finds what a command runs or writes through its arguments, from the record of its program."""

import re

from actors.bash.effects.effect_rules import EffectRule
from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects
from actors.bash.effects.possible_commands import find_option_commands
from actors.bash.programs.code_arguments import find_file_names_in_code
from actors.bash.programs.table import find_program_of_version
from actors.bash.syntax.parsed_command import Words

_SUFFIX = re.compile(r"-?\d[\d.]*$|\.exe$")
_VERSION = re.compile(r"\d[\d.]*$")


def find_indirect_effects(words: Words, stdin: str = "") -> IndirectEffects:
    """Return what a command runs or writes through its arguments."""
    if not words:
        return NO_EFFECTS
    rule = find_effect_rule(words[0].text)
    effects = rule(words, stdin) if rule else NO_EFFECTS
    if effects.ask_reason or len(words) == 1:
        return effects
    scripts = find_option_commands(words)
    return IndirectEffects(possible_scripts=scripts) if scripts else NO_EFFECTS


def find_effect_rule(name: str) -> EffectRule | None:
    """Find the rule of a command by its name, ignoring its folder and its version."""
    return find_program_of_version(name.rpartition("/")[2], _SUFFIX).effect_rule


def takes_only_operands(name: str) -> bool:
    """Whether a program has a record, by which it has no subcommands."""
    program = find_program_of_version(name.rpartition("/")[2], _SUFFIX)
    return bool(program.names) and not program.has_subcommands


def find_code_files(words: Words) -> Words:
    """List the files that code among the arguments of a command may name."""
    program = find_program_of_version(words[0].text.rpartition("/")[2], _VERSION)
    return find_file_names_in_code(words) if program.code_names_files else ()
