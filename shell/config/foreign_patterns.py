"""Shapes of patterns that come from elsewhere: regular expressions, shell wildcards, `.gitignore`.

Such a pattern is valid, but it matches nothing, or not what its author meant. Pure.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

_REGEX = re.compile(r"^\^|(?:^|(?<=[\s/]))\.[*+]|\$$|\\\.|\(\?[:=!]")
"""`.*` is one only where a name starts: `index.*` may mean what it says."""
_WILDCARD = re.compile(r"\?|\[[^\]\s/]+\]")
_ALTERNATIVES = re.compile(r"\{[^{}\s]*,[^{}\s]*\}|\|")
_STAR_WORD = "XSTARX"
"""Stands for `*` while a pattern is read as a command."""
_PLAIN_COMMAND = re.compile(r"[\w*.+-]+(?: [\w*./:=@%+,~-]+)*", re.ASCII)
"""Patterns that stay the same when they are read as a command."""


@dataclass(frozen=True, slots=True)
class _Shape:
    pattern: "re.Pattern[str]"
    problem: str
    fix: Callable[[str], str]
    """Returns the pattern to write instead."""


_SHAPES = (
    _Shape(re.compile(r"^\s|\s$"), "it starts or ends with whitespace", str.strip),
    _Shape(
        re.compile(r"^\w+\(.*\)$", re.DOTALL),
        "a pattern does not include the permission",
        lambda text: text.partition("(")[2].removesuffix(")"),
    ),
    _Shape(
        re.compile(r"""^(['"]).*\1$""", re.DOTALL),
        "the quotes are part of the pattern",
        lambda text: text[1:-1],
    ),
    _Shape(
        _REGEX,
        "a pattern is not a regular expression",
        lambda text: re.sub(r"\.[*+]", "*", text.strip("^$")).replace("\\.", "."),
    ),
)
_PATH_SHAPES = (
    *_SHAPES,
    _Shape(re.compile(r"\\"), "names are separated by /", lambda text: text.replace("\\", "/")),
    _Shape(
        re.compile("^!"), "a pattern cannot be negated; add a rule after this one", lambda _: ""
    ),
    _Shape(
        re.compile("^[a-z]{2,}:"),
        "it is a URL, not a path",
        lambda text: re.sub("^[a-z]+:(?://)?", "", text),
    ),
    _Shape(
        re.compile(r"\$\{?[A-Z_][A-Z0-9_]*"),
        "variables are not expanded",
        lambda text: re.sub(r"^\$\{?HOME\}?(?=/|$)", "~", text) if "HOME" in text else "",
    ),
)


def find_path_shape(pattern: str) -> str:
    """Return why a path pattern does not mean what it looks like, and what to write instead."""
    return _find_shape(pattern, _PATH_SHAPES)


def find_wildcard(pattern: str, known_prefix: str = "") -> str:
    """Return why a pattern with shell wildcards matches nothing, and what to write instead.

    `known_prefix`, the beginning of the pattern, names folders that exist.
    """
    rest = pattern.removeprefix(known_prefix)
    if _ALTERNATIVES.search(rest):
        return "only * is special; write one rule for each alternative"
    if not _WILDCARD.search(rest):
        return ""
    plain = re.sub(r"\*+", "*", _WILDCARD.sub("*", rest))
    return f"only * is special; write {known_prefix}{plain}"


def find_command_shape(pattern: str) -> str:
    """Return why a command pattern matches no command, and what to write instead.

    A rule is compared with one simple command as the parser reports it. So a pattern that is
    different when it is parsed itself matches nothing.
    """
    problem = _find_shape(pattern, _SHAPES)
    if problem or _PLAIN_COMMAND.fullmatch(pattern):
        return problem
    from actors.bash.parse import parse_command  # noqa: PLC0415  (few patterns need it)

    command = parse_command(pattern.replace("*", _STAR_WORD))
    texts = [part.text.replace(_STAR_WORD, "*") for part in command.parts]
    if command.ask_reason or command.deny_reason or texts == [pattern]:
        return find_wildcard(pattern) if "://" not in pattern else ""
    parts = ", ".join(dict.fromkeys(text for text in texts if text))
    if len(texts) > 1:
        return f"a rule applies to one command at a time; write one rule for each of: {parts}"
    return (
        "commands are compared without quotes, redirections, assignments and extra spaces"
        f"{f'; write {parts}' if parts else ''}"
    )


def find_named_by_path(pattern: str) -> str:
    """Return why an ask or deny rule for a program named by its path does less than it seems to."""
    program, blank, arguments = pattern.partition(" ")
    if "/" not in program or "*" in program:
        return ""
    name = program.rpartition("/")[2]
    return f"it matches only this spelling; write {name}{blank}{arguments}, which covers both"


def _find_shape(pattern: str, shapes: tuple[_Shape, ...]) -> str:
    for shape in shapes:
        if shape.pattern.search(pattern):
            instead = shape.fix(pattern)
            return f"{shape.problem}; write {instead}" if instead else shape.problem
    return ""
