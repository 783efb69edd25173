"""The records of awk: which programs only print, and which may run commands or write files."""

import re

from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects
from actors.bash.effects.possible_commands import search_arguments, search_code
from actors.bash.effects.read_only import ReadOnlyCommand
from actors.bash.effects.written_paths import WrittenPaths, write_in_place
from actors.bash.programs.program import Program
from actors.bash.syntax.parsed_command import Word, Words

_STRING = r'"(?>(?:[^"\\\n]|\\[^\n])*)"'
_PATTERN_BODY = r"(?>(?:[^/\\\n\[]|\\[^\n]|\[\^?\]?[^\]\[/\\\n]*\])*)"
_LITERALS = re.compile(rf"{_STRING}|((?:^|[(,{{}};!~&|\n])[ \t]*)/{_PATTERN_BODY}/")
"""Strings, and regular expressions after a character that no division can follow."""
_STATEMENT_END = re.compile(r"[;{}]")
_REDIRECTION = re.compile(r"\bprintf?\b.*>", re.DOTALL)
_DIVISION = re.compile(r"(?<=[\w\]$])[ \t]*/(?!/)")
_KEYWORD = re.compile(r"\b(?:printf?|return|in|else|do|delete|exit|getline|case)[ \t]*/")
_UNSAFE = re.compile(
    r"system|getline|close|fflush|ENVIRON|ARG[VC]|PROCINFO|SYMTAB|FUNCTAB|extension|[@\\|#\"`]"
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=[^\\]*")


def _is_plain_program(text: str) -> bool:
    """Whether a program only computes and prints; False also if that is unclear."""
    code = _LITERALS.sub(lambda match: (match[1] or "") + " 0 ", text)
    if _KEYWORD.search(code):
        return False
    code = _DIVISION.sub(" ", code).replace("||", " ")
    # Any other slash may begin a regular expression, so it is unclear where strings begin.
    if "/" in code or _UNSAFE.search(code):
        return False
    return not any(map(_REDIRECTION.search, _STATEMENT_END.split(code)))


def _find_program(words: Words) -> tuple[Word | None, Words]:
    """Return the program among the arguments, and the operands after it; None if it is unclear."""
    at = 1
    while at < len(words) and words[at].text[:2] in {"-F", "-v"}:
        text = words[at].text
        value = words[at + 1 : at + 2] if len(text) == len("-v") else (words[at],)
        if not value or not value[0].is_literal:
            return None, ()
        assigned = value[0].text.removeprefix("-v")
        if text.startswith("-v") and not _ASSIGNMENT.fullmatch(assigned):
            return None, ()
        at += 2 if value[0] is not words[at] else 1
    if at >= len(words):
        return None, ()
    return words[at], words[at + 1 :]


def _analyze(words: Words, _stdin: str) -> IndirectEffects:
    """Ask if the program may run a command or write a file, or is not fully visible."""
    if len(words) == 1:
        return NO_EFFECTS
    program, files = _find_program(words)
    if (
        program is None
        or not program.is_literal
        or program.text.startswith("-")
        or not _is_plain_program(program.text)
    ):
        return IndirectEffects("the awk program may run commands or write files")
    unsafe = [
        word.text
        for word in files
        if not word.is_never_option or "=" in word.text or word.text[:1] == "-"
    ]
    return IndirectEffects(f"awk may run `{unsafe[0]}` as code") if unsafe else NO_EFFECTS


def _list_read_paths(arguments: Words) -> Words:
    _, files = _find_program((Word("awk"), *arguments))
    return tuple([word for word in files if "=" not in word.text])


def _match_read_only(arguments: Words) -> ReadOnlyCommand | None:
    words = (Word("awk"), *arguments)
    if not arguments or _analyze(words, "").ask_reason:
        return None
    return ReadOnlyCommand(_list_read_paths(arguments))


_EFFECT_RULE = search_code(search_arguments(_analyze))

AWK_PROGRAMS = (
    Program(
        "awk gawk",
        _EFFECT_RULE,
        stdin="code",
        code_names_files=True,
        list_read_paths=_list_read_paths,
        writes=WrittenPaths(write_in_place),
        match_read_only=_match_read_only,
    ),
    Program(
        "mawk nawk original-awk",
        _EFFECT_RULE,
        stdin="code",
        code_names_files=True,
        list_read_paths=_list_read_paths,
        match_read_only=_match_read_only,
    ),
)
