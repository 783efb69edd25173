"""The record of `sed`: which scripts run commands or write files, and which only print lines."""

import re

from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects
from actors.bash.effects.possible_commands import search_code, search_sed_scripts
from actors.bash.effects.read_only import ReadOnlyCommand, ReadOnlyOptions
from actors.bash.effects.written_paths import WrittenPaths, write_in_place
from actors.bash.programs.program import Program
from actors.bash.syntax.parsed_command import Word, Words

_BRACKET = r"\[\^?\]?(?>(?:[^]\[/\\\n#|,@:]|\[:\w+:\])*)\]"
"""A bracket expression without any delimiter, because programs disagree on what one means there."""
_PATTERN = rf"/(?>(?:[^/\\\n\[]|\\[^\nc]|{_BRACKET})*)/[IM]*"
_ADDRESS = rf"(?:\d+(?:~\d+)?|\$|{_PATTERN})"
_ADDRESSES = rf"(?:{_ADDRESS}(?:,(?:[+~]?\d+|{_ADDRESS}))?)?!?"
_SUBSTITUTION = "|".join(
    rf"s{mark}(?>(?:[^{mark}\\\n\[]|\\[^\nc]|{_BRACKET})*){mark}"
    rf"(?>(?:[^{mark}\\\n]|\\[^\nc])*){mark}[gpiI\d]*"
    for mark in ("/", "#", r"\|", ",", "@", ":")
)
_COMMAND = rf"{_ADDRESSES}\s*(?:[pdqQ=hHgGxnNPD]|{_SUBSTITUTION})"
_PLAIN_SCRIPT = re.compile(rf"[ ]*{_COMMAND}(?>(?:[ ]*;[ ]*{_COMMAND})*)[ ]*;?")
"""Prints, deletions and substitutions whose ends are certain; no `e`, `w`, `r` or block."""
_PLAIN_OPTIONS = re.compile(r"-[nErsuz]+|--(?:quiet|silent|regexp-extended|separate|null-data)")
_SCRIPT_OPTIONS = re.compile(r"-[nErsuz]*e|--expression")
_READ_OPTIONS = ReadOnlyOptions(
    short="nErsuz",
    short_with_value="efl",
    long_with_value=frozenset(["expression", "file", "line-length"]),
    text_operand_count=1,
    file_options=frozenset(["f", "file"]),
    pattern_options=frozenset(["e", "f", "expression", "file"]),
)


def _split(words: Words) -> tuple[list[Word], list[Word]]:
    """Return the scripts and the files among the arguments."""
    scripts: list[Word] = []
    files: list[Word] = []
    rest = iter(words)
    for word in rest:
        if _SCRIPT_OPTIONS.fullmatch(word.text):
            script = next(rest, None)
            scripts += [script] if script else []
        elif not _PLAIN_OPTIONS.fullmatch(word.text):
            files.append(word)
    return (scripts, files) if scripts else (files[:1], files[1:])


def _analyze(words: Words, _stdin: str) -> IndirectEffects:
    """Ask unless every script only prints, deletes or substitutes."""
    scripts, files = _split(words[1:])
    if not all(word.is_literal and _PLAIN_SCRIPT.fullmatch(word.text) for word in scripts):
        return IndirectEffects("the sed script may run commands or write files")
    unsafe = next(
        (word.text for word in files if not word.is_never_option or word.text.startswith("-")), ""
    )
    return IndirectEffects(f"`{unsafe}` may make sed write files") if unsafe else NO_EFFECTS


def _match_read_only(arguments: Words) -> ReadOnlyCommand | None:
    """Match plain scripts: they print what they read."""
    scripts, files = _split(arguments)
    is_plain = scripts and not _analyze((Word("sed"), *arguments), "").ask_reason
    return ReadOnlyCommand(tuple(files)) if is_plain else None


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
