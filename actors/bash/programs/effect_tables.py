"""The table of commands that run or write through their arguments, with the reasons to ask.

To add a command, add a row to the table of its kind: `runs_command` for a wrapper, `runs_script` if
it takes a text to run, `ask_on_options` and `ask_on_words` if certain arguments are dangerous, and
`ask_always` if its arguments do not show what it does.
"""

import re

from actors.bash.effects.command_options import WrapperOptions, split_names
from actors.bash.effects.embedded_commands import find_option_commands
from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects
from actors.bash.effects.table_rules import EffectRule, ask_always, runs_command
from actors.bash.programs import language_table, shell_table, tool_table, wrapper_table
from actors.bash.syntax.parsed_command import Words

_ROWS = (*shell_table.ROWS, *wrapper_table.ROWS, *language_table.ROWS, *tool_table.ROWS)
_EFFECT_RULES = {name: rule for names, rule in _ROWS for name in names.split()}
_GNU_TOOLS = (
    "awk chroot csplit date dd env find kill make nice nohup patch printf sed shuf sort split "
    "stdbuf tar tee test time timeout uniq xargs"
)
# On macOS, the GNU tools have names that begin with "g".
_EFFECT_RULES.update((f"g{name}", _EFFECT_RULES[name]) for name in _GNU_TOOLS.split())
_DYNAMIC_LOADER = runs_command(
    "runs another command",
    WrapperOptions(long_with_value=split_names("library-path preload audit inhibit-rpath argv0")),
)
_INTERNAL_GIT_PROGRAM = ask_always("is an internal git program")
_PREFIXES = ("git-", "ld-linux", "ld.so", "ld-musl")
_VERSION_SUFFIX = re.compile(r"-?\d[\d.]*$|\.exe$")
_MAX_NAME_CHARS = 64


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
    bare = name.rpartition("/")[2]
    rule = _EFFECT_RULES.get(bare)
    if rule or bare.isalpha():
        return rule
    if bare.startswith(_PREFIXES):
        return _INTERNAL_GIT_PROGRAM if bare.startswith("git-") else _DYNAMIC_LOADER
    if len(bare) > _MAX_NAME_CHARS:
        return None
    return _EFFECT_RULES.get(_VERSION_SUFFIX.sub("", bare))
