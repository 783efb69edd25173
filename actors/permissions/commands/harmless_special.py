"""Harmless commands whose arguments are a language of their own; and which command is which."""

import re

from actors.permissions.commands.command import Word
from actors.permissions.commands.harmless import (
    ReadOnlyCommand,
    match_read_only_options,
    split_name_set,
)
from actors.permissions.commands.harmless_rows import READ_ONLY_OPTIONS
from actors.permissions.commands.hidden import Words

_FIND_FLAGS = split_name_set(
    "-print -print0 -ls -prune -quit -depth -mount -xdev -empty -true -false -not -o -or -a -and "
    "-readable -writable -executable -nouser -nogroup -daystart -noleaf ! ( ) , -H -P"
)
_FIND_VALUED = split_name_set(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size "
    "-mtime -atime -ctime -mmin -amin -cmin -maxdepth -mindepth -perm -user -group "
    "-uid -gid -links -inum -lname -ilname -fstype -used -printf "
    "-newermt -newerat -newerct -newerBt"
)
_FIND_FILES = split_name_set("-newer -anewer -cnewer -samefile")
_FILTER = re.compile(r"--(?:include|exclude|exclude-dir)=[\w./*?{},-]+")
"""Whatever these expand to is such an option again."""
_SED_PRINT = r"(?:\d+(?:,(?:\d+|\$))?p|\$p)"
_SED_LINES = re.compile(rf"{_SED_PRINT}(?>(?:; ?{_SED_PRINT})*)")


def match_read_only_command(name: str, arguments: Words) -> ReadOnlyCommand | None:
    """Say what a command reads; None where it is not known to be harmless."""
    special, row = _SPECIAL.get(name), READ_ONLY_OPTIONS.get(name)
    if special is None and row is None:
        return None
    if not all(word.is_literal or _FILTER.fullmatch(word.text) for word in arguments):
        return None
    if special is not None:
        return special(arguments)
    return match_read_only_options(row, arguments) if row else None


def _find(arguments: Words) -> ReadOnlyCommand | None:
    paths: list[Word] = []
    at = 0
    while at < len(arguments):
        word = arguments[at]
        at += 1
        if word.text in _FIND_FLAGS:
            continue
        if word.text in _FIND_VALUED | _FIND_FILES:
            if at == len(arguments):
                return None
            if word.text in _FIND_FILES:
                paths.append(arguments[at])
            at += 1
        elif word.text.startswith("-"):
            return None
        else:
            paths.append(word)
    return ReadOnlyCommand(tuple(paths) or (Word("."),))


def _tail(arguments: Words) -> ReadOnlyCommand | None:
    found = match_read_only_options(READ_ONLY_OPTIONS["tail"], arguments)
    # `+5f` is an option of old, and follows for ever.
    is_old = found is not None and any(word.text.startswith("+") for word in found.paths)
    return None if is_old else found


def _sed(arguments: Words) -> ReadOnlyCommand | None:
    texts = [word.text for word in arguments[:3]]
    options = ["-n", "-e"] if texts[1:2] == ["-e"] else ["-n"]
    at = len(options)
    if texts[:at] != options or not _SED_LINES.fullmatch("".join(texts[at : at + 1])):
        return None
    files = arguments[at + 1 :]
    return None if any(word.text.startswith("-") for word in files) else ReadOnlyCommand(files)


def _date(arguments: Words) -> ReadOnlyCommand | None:
    plain = all(word.text.startswith("+") or word.text in {"-u", "--utc"} for word in arguments)
    return ReadOnlyCommand(()) if plain else None


def _echo(_arguments: Words) -> ReadOnlyCommand | None:
    return ReadOnlyCommand(())


def _cd(arguments: Words) -> ReadOnlyCommand | None:
    one = len(arguments) == 1 and not arguments[0].text.startswith("-")
    return ReadOnlyCommand(arguments) if one and arguments[0].text else None


_SPECIAL = {
    "find": _find,
    "sed": _sed,
    "tail": _tail,
    "date": _date,
    "echo": _echo,
    "cd": _cd,
}
