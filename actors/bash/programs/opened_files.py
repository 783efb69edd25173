"""Finds the files that a command certainly reads, regardless of its options.

It serves calls that a rule or a grant allows: the read options of a program say which arguments
are paths, even next to options that they do not list.
"""

from actors.bash.effects.read_only import ReadOnlyOptions
from actors.bash.programs.program import Program
from actors.bash.syntax.parsed_command import Word, Words

_NO_FILES = {"-", "/dev/null", "/dev/stdin"}


def find_opened_files(program: Program, arguments: Words) -> Words:
    """Return the arguments that are paths it reads; none if that is not known."""
    if program.list_read_paths is not None:
        return drop_non_files(program.list_read_paths(arguments))
    options = program.read_options
    return drop_non_files(tuple(_list_paths(options, arguments))) if options else ()


def drop_non_files(words: Words) -> Words:
    """Leave out standard input and `/dev/null`."""
    if _NO_FILES.isdisjoint([word.text for word in words]):
        return words
    return tuple([word for word in words if word.text not in _NO_FILES])


def _list_paths(options: ReadOnlyOptions, arguments: Words) -> list[Word]:
    """List the option values that are files, and the operands after those that are text."""
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
            name, attached = _read_option(options, text)
            seen.add(name)
            value = word._replace(text=attached) if attached else next(rest, None) if name else None
            files += [value] if value and name in options.file_options else []
    text_count = 0 if seen & options.pattern_options else options.text_operand_count
    return [*files, *(operands[text_count:] if text_count >= 0 else [])]


def _read_option(options: ReadOnlyOptions, text: str) -> tuple[str, str]:
    """Return the option in a word that takes a value, and the value if it is attached."""
    if text.startswith("--"):
        name, equals, value = text[2:].partition("=")
        takes_next = name in options.long_with_value - options.long
        return (name, value) if equals or takes_next else ("", "")
    for at, char in enumerate(text):
        if at and char in options.short_with_attached_value:
            break
        if at and char in options.short_with_value:
            return char, text[at + 1 :]
    return "", ""
