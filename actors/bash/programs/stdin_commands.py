"""What programs may run of that which comes in on their input; only denies hear it."""

import re
from collections.abc import Iterable

from actors.bash.effects.command_options import split_names
from actors.bash.effects.embedded_commands import find_commands_in_code
from actors.bash.effects.indirect_effects import Words
from actors.bash.programs import language_table
from actors.bash.programs.shells import STDIN_SHELLS
from actors.bash.syntax.parsed_command import CommandPart

_READ_COMMANDS = frozenset(
    split_names(
        "ssh autossh rsh plink at batch crontab newgrp sg su sudo doas runuser chroot unshare "
        "nsenter parallel make gmake ninja just script docker podman kubectl oc pwsh powershell "
        "cmd tmux screen"
    )
)
"""They run what they read, line by line or as a script of a shell."""
_READ_CODE = frozenset(name for names, _ in language_table.ROWS for name in names.split()) | {
    *("gdb", "lldb", "expect", "ftp", "sftp", "lftp", "telnet", "socat", "bind"),
}
_LINE_BEGINS = {
    "crontab": re.compile(r"^[ \t]*+(?:@\w++[ \t]++|(?:[\w*/,-]++[ \t]++){5})", re.MULTILINE),
    "make": re.compile(r"^[ \t]*+[@+-]++", re.MULTILINE),
}
"""What stands before the command in each line."""
_READERS = STDIN_SHELLS | _READ_COMMANDS | _READ_CODE
_VERSION = re.compile(r"-?\d[\d.]*$")


def find_stdin_readers(parts: Iterable[CommandPart]) -> dict[str, int]:
    """Say by name which programs may run what they read, and which part is the first of each.

    One that asks for no reason is told what to do by its arguments alone.
    """
    found: dict[str, int] = {}
    for at, part in enumerate(parts):
        if part.ask_reason:
            _note_readers(part, at, found)
    return found


def find_stdin_commands(name: str, text: str) -> tuple[tuple[str, ...], tuple[Words, ...]]:
    """Say what a program may run of a text on its input: as texts, and as words; but for shells."""
    if name in STDIN_SHELLS:
        return (), ()
    if name in _READ_CODE:
        return find_commands_in_code(text)
    begins = _LINE_BEGINS.get(name)
    return (begins.sub("", text) if begins else text,), ()


def _note_readers(part: CommandPart, at: int, found: dict[str, int]) -> None:
    """Note the program of a part, and those inside it."""
    bare = part.words[0].text.rpartition("/")[2] if part.words else ""
    name = bare if bare.isalpha() or bare in _READERS else _VERSION.sub("", bare)
    if name in _READERS:
        found.setdefault(name, at)
    for inner in part.nested_parts:
        _note_readers(inner, at, found)
