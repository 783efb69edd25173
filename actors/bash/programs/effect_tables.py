"""The table of commands that run or write through their arguments; each row says why.

To add one, add a row to the table of its theme: `runs` for a wrapper, `scripts` for what takes a
text to run, `when` for options that do harm, `among` for words that do, `always` where nothing of
it can be seen.
"""

import re

from actors.bash.effects.command_options import WrapperOptions, split_names
from actors.bash.effects.embedded_commands import find_option_commands
from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects, Words
from actors.bash.effects.table_rules import EffectRule, ask_always, runs_command
from actors.bash.programs import language_table, shell_table, tool_table, wrapper_table

_ROWS = (*shell_table.ROWS, *wrapper_table.ROWS, *language_table.ROWS, *tool_table.ROWS)
EFFECT_RULES = {name: guard for names, guard in _ROWS for name in names.split()}
_GNU = (
    "awk chroot csplit date dd env find kill make nice nohup patch printf sed shuf sort split "
    "stdbuf tar tee test time timeout uniq xargs"
)
EFFECT_RULES.update((f"g{name}", EFFECT_RULES[name]) for name in _GNU.split())
"""On macOS, GNU's tools go by these names."""
_LOADER = runs_command(
    "the loader runs what it is given",
    WrapperOptions(long_with_value=split_names("library-path preload audit inhibit-rpath argv0")),
)
_PART_OF_GIT = ask_always("it is a part of git")
_FAMILIES = ("git-", "ld-linux", "ld.so", "ld-musl")
_VERSION = re.compile(r"-?\d[\d.]*$|\.exe$")
_LONGEST_NAME = 64


def find_indirect_effects(words: Words, stdin: str = "") -> IndirectEffects:
    """Say what a command runs or writes through its arguments."""
    if not words:
        return NO_EFFECTS
    guard = find_effect_rule(words[0].text)
    hidden = guard(words, stdin) if guard else NO_EFFECTS
    if hidden.ask_reason or len(words) == 1:
        return hidden
    told = find_option_commands(words)
    return IndirectEffects(possible_scripts=told) if told else NO_EFFECTS


def find_effect_rule(name: str) -> EffectRule | None:
    """Find the row of a command by its bare name, whatever its version."""
    bare = name.rpartition("/")[2]
    guard = EFFECT_RULES.get(bare)
    if guard or bare.isalpha():
        return guard
    if bare.startswith(_FAMILIES):
        return _PART_OF_GIT if bare.startswith("git-") else _LOADER
    return None if len(bare) > _LONGEST_NAME else EFFECT_RULES.get(_VERSION.sub("", bare))
