"""The record of `sed`: which scripts run commands or write files, and which only print lines."""

import re

from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects
from actors.bash.effects.possible_commands import search_code, search_sed_scripts
from actors.bash.effects.read_only import ReadOnlyCommand, ReadOnlyOptions
from actors.bash.effects.written_paths import WrittenPaths, write_in_place
from actors.bash.programs.program import Program
from actors.bash.syntax.parsed_command import Words

_ADDRESS = r"(?:\d+|\$|\d+~\d+)"
_COMMAND = (
    rf"(?:(?:{_ADDRESS}(?:,\+?{_ADDRESS})?)?!?[pdq=]"
    rf"|(?:{_ADDRESS}(?:,{_ADDRESS})?)?s/[^/\\\n;{{}}]*/[^/\\\n;{{}}]*/[gpiI0-9]*)"
)
_PLAIN_SCRIPT = re.compile(rf"{_COMMAND}|(?!.*\[){_COMMAND}(?>(?:; ?{_COMMAND})*)")
"""Prints, deletions, and substitutions whose ends are certain; no `e`, `w`, `r` or block.

Within `[…]` a `/` does not end a pattern, so a `[` makes it uncertain where commands begin.
"""
_PLAIN_OPTIONS = {"-n", "-E", "-r", "-s", "-u", "-z", "--quiet", "--silent", "--regexp-extended"}
_PRINT = r"(?:\d+(?:,(?:\d+|\$))?p|\$p)"
_PRINTED_LINES = re.compile(rf"{_PRINT}(?>(?:; ?{_PRINT})*)")
_READ_OPTIONS = ReadOnlyOptions(
    short_with_value="efl",
    long_with_value=frozenset(["expression", "file", "line-length"]),
    text_operand_count=1,
    file_options=frozenset(["f", "file"]),
    pattern_options=frozenset(["e", "f", "expression", "file"]),
)


def _analyze(words: Words, _stdin: str) -> IndirectEffects:
    """Ask unless the script is one plain print, deletion or substitution."""
    arguments = [word for word in words[1:] if word.text not in _PLAIN_OPTIONS]
    if arguments and arguments[0].text in {"-e", "--expression"}:
        arguments.pop(0)
    if not arguments:
        return NO_EFFECTS
    script, files = arguments[0], arguments[1:]
    if not script.is_literal or not _PLAIN_SCRIPT.fullmatch(script.text):
        return IndirectEffects("the sed script may run commands or write files")
    unsafe = next(
        (word.text for word in files if not word.is_never_option or word.text.startswith("-")), ""
    )
    return IndirectEffects(f"`{unsafe}` may make sed write files") if unsafe else NO_EFFECTS


def _match_read_only(arguments: Words) -> ReadOnlyCommand | None:
    """Match `sed -n 1,20p FILE`."""
    texts = [word.text for word in arguments[:3]]
    options = ["-n", "-e"] if texts[1:2] == ["-e"] else ["-n"]
    at = len(options)
    if texts[:at] != options or not _PRINTED_LINES.fullmatch("".join(texts[at : at + 1])):
        return None
    files = arguments[at + 1 :]
    return None if any(word.text.startswith("-") for word in files) else ReadOnlyCommand(files)


_EFFECT_RULE = search_code(search_sed_scripts(_analyze))

SED = Program(
    "sed",
    _EFFECT_RULE,
    stdin="code",
    code_names_files=True,
    read_options=_READ_OPTIONS,
    writes=WrittenPaths(write_in_place),
    match_read_only=_match_read_only,
)
GSED = Program("gsed", _EFFECT_RULE, stdin="code", code_names_files=True)
