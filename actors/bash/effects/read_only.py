"""Commands that only read, with exactly the options that are known to only read.

An option that is not listed here is not harmless. What they read is judged as `read`.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from actors.bash.effects.indirect_effects import Words
from actors.bash.syntax.parsed_command import ReadDepth, Word

_BRACES = re.compile(r"([^{}]*)\{([^{}]*)\}([^{}]*)")
_NAME = re.compile(r"[\w.*?-]+")
_TYPES = {
    "py": "*.py *.pyi",
    "js": "*.js *.jsx *.vue *.cjs *.mjs",
    "ts": "*.ts *.tsx *.cts *.mts",
    "rust": "*.rs",
    "go": "*.go",
    "java": "*.java *.jsp *.jspx *.properties",
    "html": "*.htm *.html *.ejs",
    "css": "*.css *.scss",
    "md": "*.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx",
    "yaml": "*.yaml *.yml",
    "toml": "*.toml Cargo.lock",
    "json": "*.json composer.lock *.sarif",
}
"""What ripgrep takes for these; of any other type it may be any file."""


@dataclass(frozen=True, slots=True)
class ReadOnlyOptions:
    """The options of one harmless command."""

    short: str = ""
    """Short options without a value; they may stand in clusters."""
    short_with_value: str = ""
    """Short options with a value."""
    long: frozenset[str] = frozenset()
    long_with_value: frozenset[str] = frozenset()
    has_numeric_option: bool = False
    """`-5` is an option."""
    text_operand_count: int = 0
    """So many first operands are no paths: a pattern, a format. -1: none are."""
    file_options: frozenset[str] = frozenset()
    """Options whose value is a path that is read."""
    pattern_options: frozenset[str] = frozenset()
    """Options that give the pattern, so that every operand is a path."""
    recursive_options: frozenset[str] = frozenset()
    """Options that make it read all below its paths."""
    follow_options: frozenset[str] = frozenset()
    """Options that make it follow the links there as well."""
    default_depth: ReadDepth = ""
    """What it reads below its paths without such options."""
    name_filter_options: frozenset[str] = frozenset()
    """Options whose value says which files it reads below its paths, by their names."""
    type_filter_options: frozenset[str] = frozenset()
    """Options whose value is a type of files, which it reads though they are hidden."""
    expands_braces: bool = False
    """In such a value `*.{a,b}` means two names."""
    filter_blocking_options: frozenset[str] = frozenset()
    """Options beside which those say less."""
    max_operands: int | None = None
    """So many operands, at most."""


class ReadOnlyCommand(NamedTuple):
    """A harmless command, and what it reads."""

    paths: tuple[Word, ...]
    read_depth: ReadDepth = ""
    name_patterns: tuple[str, ...] = ()
    """Below its paths it reads files of these names only; empty: of all."""


def match_read_only_options(options: ReadOnlyOptions, arguments: Words) -> ReadOnlyCommand | None:
    """Say what a command reads; None where an argument is not listed."""
    operands: list[Word] = []
    files: list[Word] = []
    only: list[str] = []
    seen: set[str] = set()
    rest = iter(arguments)
    for word in rest:
        if word.text == "--":
            operands.extend(rest)
        elif word.text == "-" or not word.text.startswith("-"):
            operands.append(word)
        else:
            names, value = _option(options, word.text)
            if value is None and names:
                value = next((after.text for after in rest), None)
            if value is None:
                return None
            seen.update(names)
            files += [Word(value)] if value and names[-1] in options.file_options else []
            if names[-1] in options.name_filter_options and value[:1] != "!":
                only += _alternatives(value) if options.expands_braces else [value]
            if names[-1] in options.type_filter_options:
                only += _TYPES.get(value, "*").split()
    reading = _reading(options, operands, files, seen)
    return _narrowed(reading, options, only, seen) if reading and only else reading


def _reading(
    row: ReadOnlyOptions, operands: list[Word], files: list[Word], seen: set[str]
) -> ReadOnlyCommand | None:
    if row.max_operands is not None and len(operands) > row.max_operands:
        return None
    texts = 0 if seen & row.pattern_options else row.text_operand_count
    paths = operands[texts:] if texts >= 0 else []
    return ReadOnlyCommand((*files, *paths), _depth(row, seen))


def _narrowed(
    reading: ReadOnlyCommand, row: ReadOnlyOptions, only: list[str], seen: set[str]
) -> ReadOnlyCommand:
    """Take the names it reads only into account, where they are as plain as they look."""
    # A name that is asked for is read though it is hidden.
    deep: ReadDepth = "all" if reading.read_depth == "shown" else reading.read_depth
    is_plain = not seen & row.filter_blocking_options and all(
        _NAME.fullmatch(each) for each in only
    )
    return reading._replace(read_depth=deep, name_patterns=tuple(only) if is_plain else ())


def _alternatives(pattern: str) -> list[str]:
    """Write out one pair of braces."""
    found = _BRACES.fullmatch(pattern)
    return [found[1] + each + found[3] for each in found[2].split(",")] if found else [pattern]


def _depth(row: ReadOnlyOptions, seen: set[str]) -> ReadDepth:
    if seen & row.follow_options:
        return "linked"
    return "all" if seen & row.recursive_options else row.default_depth


def _option(row: ReadOnlyOptions, text: str) -> tuple[list[str], str | None]:
    """Name the options in a word, and the value: "" for none, None where the next word is it.

    No name and None: it is not a listed option.
    """
    if text.startswith("--"):
        return _long_option(row, text)
    if row.has_numeric_option and text[1:].isascii() and text[1:].isdigit():
        return ["#"], ""
    for at, char in enumerate(text):
        if at and char in row.short_with_value:
            return [*text[1 : at + 1]], text[at + 1 :] or None
        if at and char not in row.short:
            return [], None
    return [*text[1:]], ""


def _long_option(row: ReadOnlyOptions, text: str) -> tuple[list[str], str | None]:
    name, equals, value = text[2:].partition("=")
    if name in row.long and not equals:
        return [name], ""
    if name in row.long_with_value:
        return [name], value if equals else None
    return [], None


def split_name_set(names: str) -> frozenset[str]:
    """Split a row's list of names."""
    return frozenset(names.split())
