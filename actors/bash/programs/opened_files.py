"""What the commands that read files are sure to open, whatever their options are.

For calls that a rule or a grant allows: the table of harmless commands says which arguments of
theirs are paths, also beside options that it does not list.
"""

import re

from actors.bash.effects.indirect_effects import Words
from actors.bash.effects.read_only import ReadOnlyOptions
from actors.bash.programs.read_only_table import READ_ONLY_OPTIONS
from actors.bash.syntax.parsed_command import Word

_FIND_FIRST = re.compile(r"-[HLP]|-O\d*")
"""What may stand before the paths."""
_SED = ReadOnlyOptions(
    short_with_value="efl",
    long_with_value=frozenset(["expression", "file", "line-length"]),
    text_operand_count=1,
    file_options=frozenset(["f", "file"]),
    pattern_options=frozenset(["e", "f", "expression", "file"]),
)
_ROWS = {**READ_ONLY_OPTIONS, "sed": _SED, "cd": ReadOnlyOptions()}
_NO_FILES = {"-", "/dev/null", "/dev/stdin"}


def find_opened_files(name: str, arguments: Words) -> Words:
    """Say which arguments are paths that are read; none of a command that is not in the table."""
    if name == "find":
        return drop_non_files(tuple(_of_find(arguments)))
    row = _ROWS.get(name)
    return drop_non_files(tuple(_by_row(row, arguments))) if row else ()


def drop_non_files(words: Words) -> Words:
    """Leave out what is no file of anybody's."""
    if _NO_FILES.isdisjoint([word.text for word in words]):
        return words
    return tuple([word for word in words if word.text not in _NO_FILES])


def _of_find(arguments: Words) -> list[Word]:
    found: list[Word] = []
    rest = iter(arguments)
    for word in rest:
        if word.text == "-D":
            next(rest, None)
        elif not _FIND_FIRST.fullmatch(word.text):
            if word.text[:1] in {"-", "(", "!"}:
                break
            found.append(word)
    return found


def _by_row(row: ReadOnlyOptions, arguments: Words) -> list[Word]:
    """Take the operands behind those that are texts, and the values that are files."""
    operands: list[Word] = []
    files: list[Word] = []
    seen: set[str] = set()
    rest = iter(arguments)
    for word in rest:
        text = word.text
        if text == "--":
            operands.extend(rest)
        elif text == "-" or not text.startswith("-"):
            operands.append(word)
        else:
            name, value = _value(row, text)
            seen.add(name)
            given = word._replace(text=value) if value else next(rest, None) if name else None
            files += [given] if given and name in row.file_options else []
    texts = 0 if seen & row.pattern_options else row.text_operand_count
    return [*files, *(operands[texts:] if texts >= 0 else [])]


def _value(row: ReadOnlyOptions, text: str) -> tuple[str, str]:
    """Name the option of a word that takes a value, and the value: "" where the next word is it."""
    if text.startswith("--"):
        name, equals, value = text[2:].partition("=")
        return (name, value) if equals or name in row.long_with_value else ("", "")
    for at, char in enumerate(text):
        if at and char in row.short_with_value:
            return char, text[at + 1 :]
    return "", ""
