"""Recognizes read-only commands by their options, and finds the paths that they read.

A command with an option that is not listed is not read-only. Each path needs permission `read`.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from actors.bash.syntax.parsed_command import ReadDepth, Word, Words


def split_name_set(names: str) -> frozenset[str]:
    """Split a list of names in a table into a set."""
    return frozenset(names.split())


_BRACES = re.compile(r"([^{}]*)\{([^{}]*)\}([^{}]*)")
_NAME_FILTER = re.compile(r"--(?:include|exclude|exclude-dir)=[\w./*?{},-]+")
"""Whatever it expands to is such an option again."""
_NAME_PATTERN = re.compile(r"[\w.*?-]+")
SHOWN_VARIABLES = split_name_set(
    "HOME PATH PWD OLDPWD USER LOGNAME SHELL TERM LANG HOSTNAME UID EUID PPID SHLVL RANDOM SECONDS "
    "LINENO BASH_VERSION COLUMNS LINES OSTYPE MACHTYPE HOSTTYPE TMPDIR VIRTUAL_ENV"
)
"""Variables that hold no secrets."""
_VARIABLE = rf"(?:[?$!#0-9-]|(?:{'|'.join(sorted(SHOWN_VARIABLES))})(?!\w))"
_SHOWN_TEXT = re.compile(
    rf"(?:[^$`*?\[{{~<>()\\]|\${_VARIABLE}|\${{(?:{'|'.join(sorted(SHOWN_VARIABLES))})}})*",
    re.DOTALL,
)
_RIPGREP_TYPES = {
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
"""The files of some of ripgrep's types; any other type may include any file."""


@dataclass(frozen=True, slots=True)
class ReadOnlyOptions:
    """The options with which one command is read-only."""

    short: str = ""
    """Short options without a value; they may form clusters."""
    short_with_value: str = ""
    """Short options with a value."""
    long: frozenset[str] = frozenset()
    long_with_value: frozenset[str] = frozenset()
    has_numeric_option: bool = False
    """`-5` is an option."""
    text_operand_count: int = 0
    """Leading operands that are not paths but a pattern or a format; -1: all of them."""
    file_options: frozenset[str] = frozenset()
    """Options whose value is a path that is read."""
    pattern_options: frozenset[str] = frozenset()
    """Options that supply the pattern, so that every operand is a path."""
    recursive_options: frozenset[str] = frozenset()
    """Options that make it read everything below its paths."""
    follow_options: frozenset[str] = frozenset()
    """Options that make it follow links below its paths as well."""
    default_depth: ReadDepth = ""
    """What it reads below its paths without such options."""
    name_filter_options: frozenset[str] = frozenset()
    """Options whose value is a name pattern for the files it reads below its paths."""
    type_filter_options: frozenset[str] = frozenset()
    """Options whose value is a file type; it also reads hidden files of that type."""
    expands_braces: bool = False
    """Whether `*.{a,b}` in a name pattern means two patterns."""
    filter_blocking_options: frozenset[str] = frozenset()
    """Options that make the name patterns unreliable."""
    max_operands: int | None = None
    """Maximum number of operands; None: no limit."""
    short_with_attached_value: str = ""
    """Short options whose optional value is never the next word: in `od -w f`, `f` is a file."""
    values_follow: bool = False
    """A value is always the next word, even after a cluster: `tree -Lo 1 f` writes `f`."""


class ReadOnlyCommand(NamedTuple):
    """What a read-only command reads."""

    paths: tuple[Word, ...]
    read_depth: ReadDepth = ""
    name_patterns: tuple[str, ...] = ()
    """Patterns of the names that it reads below its paths; empty: all."""


def is_safe_argument(word: Word) -> bool:
    """Whether an argument of a read-only command is known, or can only be a name filter."""
    return word.is_literal or _NAME_FILTER.fullmatch(word.text) is not None


def match_shown_text(arguments: Words) -> ReadOnlyCommand | None:
    """Match a command that prints its arguments: text, variables without secrets, file names."""
    paths: list[Word] = []
    for word in arguments:
        if word.is_plain_pattern and word.is_never_option:
            paths.append(word)
        elif not (word.is_literal or _SHOWN_TEXT.fullmatch(word.text)):
            return None
    return ReadOnlyCommand(tuple(paths))


def match_read_only_options(options: ReadOnlyOptions, arguments: Words) -> ReadOnlyCommand | None:
    """Return what a command reads; None if one of its options is not listed."""
    operands: list[Word] = []
    files: list[Word] = []
    patterns: list[str] = []
    seen: set[str] = set()
    rest = iter(arguments)
    for word in rest:
        if word.text == "--":
            operands.extend(rest)
        elif word.text == "-" or not word.text.startswith("-"):
            operands.append(word)
        else:
            names, value = _read_option(options, word.text)
            if value is None and names:
                value = next((following.text for following in rest), None)
            if value is None:
                return None
            seen.update(names)
            files += [Word(value)] if value and names[-1] in options.file_options else []
            if names[-1] in options.name_filter_options and value[:1] != "!":
                patterns += _expand_braces(value) if options.expands_braces else [value]
            if names[-1] in options.type_filter_options:
                patterns += _RIPGREP_TYPES.get(value, "*").split()
    command = _build_command(options, operands, files, seen)
    return _add_name_patterns(command, options, patterns, seen) if command and patterns else command


def find_unlisted_read_option(options: ReadOnlyOptions, arguments: Words) -> str:
    """Return the first option that is not listed, or an empty string."""
    rest = iter(arguments)
    for word in rest:
        if word.text == "--":
            break
        if word.text.startswith("-") and word.text != "-":
            names, value = _read_option(options, word.text)
            if not names:
                return word.text
            if value is None:
                next(rest, None)
    return ""


def _build_command(
    options: ReadOnlyOptions, operands: list[Word], files: list[Word], seen: set[str]
) -> ReadOnlyCommand | None:
    if options.max_operands is not None and len(operands) > options.max_operands:
        return None
    text_count = 0 if seen & options.pattern_options else options.text_operand_count
    paths = operands[text_count:] if text_count >= 0 else []
    depth = _find_read_depth(options, seen)
    checked = operands if depth else operands[: max(text_count, 0)]
    if not all(map(is_safe_argument, checked)):
        return None
    return ReadOnlyCommand((*files, *paths), depth)


def _add_name_patterns(
    command: ReadOnlyCommand, options: ReadOnlyOptions, patterns: list[str], seen: set[str]
) -> ReadOnlyCommand:
    """Add the name patterns if all of them are plain; otherwise it may read any name."""
    # A file that matches a pattern is read even if it is hidden.
    depth: ReadDepth = "all" if command.read_depth == "visible" else command.read_depth
    is_plain = not seen & options.filter_blocking_options and all(
        _NAME_PATTERN.fullmatch(pattern) for pattern in patterns
    )
    return command._replace(read_depth=depth, name_patterns=tuple(patterns) if is_plain else ())


def _expand_braces(pattern: str) -> list[str]:
    """Expand one pair of braces."""
    match = _BRACES.fullmatch(pattern)
    if match is None:
        return [pattern]
    return [match[1] + alternative + match[3] for alternative in match[2].split(",")]


def find_depth(options: ReadOnlyOptions, arguments: Words) -> ReadDepth:
    """Return what a command reads below its paths, even if it has options that are not listed."""
    seen: set[str] = set()
    for word in arguments:
        text = word.text
        if text.startswith("--"):
            seen.add(text[2:].partition("=")[0])
        elif text.startswith("-"):
            seen.update(text[1:])
    return _find_read_depth(options, seen)


def _find_read_depth(options: ReadOnlyOptions, seen: set[str]) -> ReadDepth:
    if seen & options.follow_options:
        return "follow_links"
    return "all" if seen & options.recursive_options else options.default_depth


def _read_option(options: ReadOnlyOptions, text: str) -> tuple[list[str], str | None]:
    """Return the names of the options in a word, and the value of the last one.

    The value is "" if it takes none, and None if it is the next word. No names and None: it is not
    a listed option.
    """
    if text.startswith("--"):
        return _read_long_option(options, text)
    if options.has_numeric_option and text[1:].isascii() and text[1:].isdigit():
        return ["#"], ""
    for at, char in enumerate(text):
        if at and char in options.short_with_attached_value:
            return [*text[1 : at + 1]], text[at + 1 :]
        if at and char in options.short_with_value:
            value = text[at + 1 :]
            is_cluster = options.values_follow and value and not value.isdecimal()
            return ([], None) if is_cluster else ([*text[1 : at + 1]], value or None)
        if at and char not in options.short:
            return [], None
    return [*text[1:]], ""


def _read_long_option(options: ReadOnlyOptions, text: str) -> tuple[list[str], str | None]:
    name, equals, value = text[2:].partition("=")
    if name in options.long and not equals:
        return [name], ""
    if name in options.long_with_value:
        return [name], value if equals else None
    return [], None
