"""The table of commands that run or write through their arguments; each row says why.

To add one, add a row to the table of its theme: `runs` for a wrapper, `scripts` for what takes a
text to run, `when` for options that do harm, `among` for words that do, `always` where nothing of
it can be seen.
"""

import re

from actors.permissions.commands import language_rows, shell_rows, tool_rows, wrapper_rows
from actors.permissions.commands.guards import EffectRule, always, runs
from actors.permissions.commands.hidden import NOTHING, Hidden, Words
from actors.permissions.commands.options import Leading, listed
from actors.permissions.commands.texts import in_options

_ROWS = (*shell_rows.ROWS, *wrapper_rows.ROWS, *language_rows.ROWS, *tool_rows.ROWS)
GUARDS = {name: guard for names, guard in _ROWS for name in names.split()}
_GNU = (
    "awk chroot csplit date dd env find kill make nice nohup patch printf sed shuf sort split "
    "stdbuf tar tee test time timeout uniq xargs"
)
GUARDS.update((f"g{name}", GUARDS[name]) for name in _GNU.split())
"""On macOS, GNU's tools go by these names."""
_LOADER = runs(
    "the loader runs what it is given",
    Leading(long=listed("library-path preload audit inhibit-rpath argv0")),
)
_PART_OF_GIT = always("it is a part of git")
_FAMILIES = ("git-", "ld-linux", "ld.so", "ld-musl")
_VERSION = re.compile(r"-?\d[\d.]*$|\.exe$")
_LONGEST_NAME = 64


def hidden_in(words: Words, stdin: str = "") -> Hidden:
    """Say what a command runs or writes through its arguments."""
    if not words:
        return NOTHING
    guard = guard_of(words[0].text)
    hidden = guard(words, stdin) if guard else NOTHING
    if hidden.why or len(words) == 1:
        return hidden
    told = in_options(words)
    return Hidden(guessed=told) if told else NOTHING


def guard_of(name: str) -> EffectRule | None:
    """Find the row of a command by its bare name, whatever its version."""
    bare = name.rpartition("/")[2]
    guard = GUARDS.get(bare)
    if guard or bare.isalpha():
        return guard
    if bare.startswith(_FAMILIES):
        return _PART_OF_GIT if bare.startswith("git-") else _LOADER
    return None if len(bare) > _LONGEST_NAME else GUARDS.get(_VERSION.sub("", bare))
