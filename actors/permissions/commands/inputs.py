"""What programs may run of that which comes in on their input; only denies hear it."""

import re
from collections.abc import Iterable

from actors.permissions.commands import language_rows
from actors.permissions.commands.command import Part
from actors.permissions.commands.hidden import Words
from actors.permissions.commands.options import listed
from actors.permissions.commands.shells import READING_SHELLS
from actors.permissions.commands.texts import commands_in

_READ_COMMANDS = frozenset(
    listed(
        "ssh autossh rsh plink at batch crontab newgrp sg su sudo doas runuser chroot unshare "
        "nsenter parallel make gmake ninja just script docker podman kubectl oc pwsh powershell "
        "cmd tmux screen"
    )
)
"""They run what they read, line by line or as a script of a shell."""
_READ_CODE = frozenset(name for names, _ in language_rows.ROWS for name in names.split()) | {
    *("gdb", "lldb", "expect", "ftp", "sftp", "lftp", "telnet", "socat", "bind"),
}
_LINE_BEGINS = {
    "crontab": re.compile(r"^[ \t]*+(?:@\w++[ \t]++|(?:[\w*/,-]++[ \t]++){5})", re.MULTILINE),
    "make": re.compile(r"^[ \t]*+[@+-]++", re.MULTILINE),
}
"""What stands before the command in each line."""
_VERSION = re.compile(r"-?\d[\d.]*$")


def reads_as_shell(parts: Iterable[Part]) -> bool:
    """Whether a shell among these may run what comes in."""
    return any(name in READING_SHELLS for part in parts for name in _names(part))


def first_readers(parts: Iterable[Part]) -> dict[str, int]:
    """Say by name which programs run what they read, and which part is the first of each."""
    found: dict[str, int] = {}
    for at, part in enumerate(parts):
        for name in _names(part):
            if name in _READ_COMMANDS or name in _READ_CODE:
                found.setdefault(name, at)
    return found


def told(name: str, text: str) -> tuple[tuple[str, ...], tuple[Words, ...]]:
    """Say what a program may run of a text on its input: as texts, and as words."""
    if name in _READ_CODE:
        return commands_in(text)
    begins = _LINE_BEGINS.get(name)
    return (begins.sub("", text) if begins else text,), ()


def _names(part: Part) -> Iterable[str]:
    """Name the commands of a part, those inside a wrapper too."""
    if part.words:
        bare = part.words[0].text.rpartition("/")[2]
        yield bare if bare.isalpha() else _VERSION.sub("", bare)
    for inner in part.inner:
        yield from _names(inner)
