"""Finds commands that programs may run from their standard input; only deny rules match them."""

import re
from collections.abc import Iterable

from actors.bash.effects.command_options import split_names
from actors.bash.effects.embedded_commands import find_commands_in_code
from actors.bash.programs import language_table
from actors.bash.programs.shells import STDIN_SHELLS
from actors.bash.syntax.parsed_command import CommandPart, Words

_READ_COMMANDS = frozenset(
    split_names(
        "ssh autossh rsh plink at batch crontab newgrp sg su sudo doas runuser chroot unshare "
        "nsenter parallel make gmake ninja just script docker podman kubectl oc pwsh powershell "
        "cmd tmux screen"
    )
)
"""Programs that run their input, line by line or as a shell script."""
_READ_CODE = frozenset(name for names, _ in language_table.ROWS for name in names.split()) | {
    *("gdb", "lldb", "expect", "ftp", "sftp", "lftp", "telnet", "socat", "bind"),
}
_LINE_PREFIXES = {
    "crontab": re.compile(r"^[ \t]*+(?:@\w++[ \t]++|(?:[\w*/,-]++[ \t]++){5})", re.MULTILINE),
    "make": re.compile(r"^[ \t]*+[@+-]++", re.MULTILINE),
}
"""What comes before the command in each line."""
_READERS = STDIN_SHELLS | _READ_COMMANDS | _READ_CODE
_VERSION = re.compile(r"-?\d[\d.]*$")


def find_stdin_readers(parts: Iterable[CommandPart]) -> dict[str, int]:
    """Map the name of each program that may run its input to the index of its first part.

    A part without a reason to ask does only what its arguments say.
    """
    readers: dict[str, int] = {}
    for index, part in enumerate(parts):
        if part.ask_reason:
            _add_readers(part, index, readers)
    return readers


def find_stdin_commands(name: str, text: str) -> tuple[tuple[str, ...], tuple[Words, ...]]:
    """Return what a program may run from its input, as texts and as words; nothing for shells."""
    if name in STDIN_SHELLS:
        return (), ()
    if name in _READ_CODE:
        return find_commands_in_code(text)
    prefix = _LINE_PREFIXES.get(name)
    return (prefix.sub("", text) if prefix else text,), ()


def _add_readers(part: CommandPart, index: int, readers: dict[str, int]) -> None:
    """Add the program of a part and those nested in it."""
    bare = part.words[0].text.rpartition("/")[2] if part.words else ""
    name = bare if bare.isalpha() or bare in _READERS else _VERSION.sub("", bare)
    if name in _READERS:
        readers.setdefault(name, index)
    for inner in part.nested_parts:
        _add_readers(inner, index, readers)
