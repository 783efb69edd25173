"""The record of `find`: what it runs, writes and reads."""

import re

from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects
from actors.bash.effects.read_only import ReadOnlyCommand, split_name_set
from actors.bash.effects.written_paths import WrittenPaths, add_wildcards
from actors.bash.programs.program import Program
from actors.bash.syntax.parsed_command import Word, Words

_RUNNING_ACTIONS = ("-exec", "-execdir", "-ok", "-okdir")
_CHANGING_ACTIONS = {"-delete", *_RUNNING_ACTIONS}
_LEADING_OPTION = re.compile(r"-[HLP]|-O\d*")
"""An option that may come before the paths."""
_READ_ONLY_FLAGS = split_name_set(
    "-print -print0 -ls -prune -quit -depth -mount -xdev -empty -true -false -not -o -or -a -and "
    "-readable -writable -executable -nouser -nogroup -daystart -noleaf ! ( ) , -H -P"
)
_READ_ONLY_WITH_VALUE = split_name_set(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size "
    "-mtime -atime -ctime -mmin -amin -cmin -maxdepth -mindepth -perm -user -group "
    "-uid -gid -links -inum -lname -ilname -fstype -used -printf "
    "-newermt -newerat -newerct -newerBt"
)
_READ_ONLY_WITH_FILE = split_name_set("-newer -anewer -cnewer -samefile")


def _analyze_find(words: Words, _stdin: str) -> IndirectEffects:
    """Ask for actions that run or write, and find the commands that they run."""
    reasons = (_find_ask_reason(word.text) for word in words[1:])
    reason = next(filter(None, reasons), "")
    unclear = next((word.text for word in words[1:] if not word.is_never_option), "")
    if not reason and unclear:
        reason = f"`{unclear}` may expand to an action"
    return IndirectEffects(reason, commands=_list_commands(words)) if reason else NO_EFFECTS


def _match_read_only(arguments: Words) -> ReadOnlyCommand | None:
    """Return what a `find` reads; None if it is not known to only read."""
    paths: list[Word] = []
    rest = iter(arguments)
    for word in rest:
        if word.text in _READ_ONLY_FLAGS:
            continue
        if word.text in _READ_ONLY_WITH_VALUE | _READ_ONLY_WITH_FILE:
            value = next(rest, None)
            if value is None:
                return None
            if word.text in _READ_ONLY_WITH_FILE:
                paths.append(value)
        elif word.text.startswith("-"):
            return None
        else:
            paths.append(word)
    return ReadOnlyCommand(tuple(paths) or (Word("."),))


def _list_read_paths(arguments: Words) -> Words:
    """List the paths that a `find` searches, which come before its tests and actions."""
    paths: list[Word] = []
    rest = iter(arguments)
    for word in rest:
        if word.text == "-D":
            next(rest, None)
        elif not _LEADING_OPTION.fullmatch(word.text):
            if word.text[:1] in {"-", "(", "!"}:
                break
            paths.append(word)
    return tuple(paths)


def _find_written_operands(arguments: Words, operands: list[Word]) -> list[Word]:
    is_changing = any(word.text in _CHANGING_ACTIONS for word in arguments)
    return add_wildcards(operands) if is_changing else []


def _find_ask_reason(text: str) -> str:
    if text.startswith(("-exec", "-ok")):
        return f"`{text}` runs a command for each file"
    if text.startswith(("-fprint", "-fls")):
        return f"`{text}` writes a file"
    return "`-delete` deletes files" if text == "-delete" else ""


def _list_commands(words: Words) -> tuple[Words, ...]:
    """List the commands that follow the actions."""
    commands: list[Words] = []
    start = 0
    for at, word in enumerate(words):
        if start and word.text in {";", "+"}:
            commands.append(words[start:at])
            start = 0
        elif not start and word.text in _RUNNING_ACTIONS:
            start = at + 1
    if start:
        commands.append(words[start:])
    return tuple(command for command in commands if command)


FIND = Program(
    "find",
    _analyze_find,
    has_listed_options=True,
    list_read_paths=_list_read_paths,
    writes=WrittenPaths(
        _find_written_operands,
        output_options=("-fprint", "-fprint0", "-fprintf", "-fls"),
        allows_clusters=False,
    ),
    match_read_only=_match_read_only,
)
