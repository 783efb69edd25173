"""Parses a command with tree-sitter's bash grammar, within work limits; loaded on first use."""

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Point

_MAX_BRACKET_DEPTH = 200
"""Nested brackets; the parser's work grows with the square of their depth."""
_STEPS_PER_BYTE = 20
"""Ordinary text needs at most five; text that needs more is built to be slow."""
_CHUNK_BYTES = 4_096
_MAX_PIPES = 100
"""Pipes in one pipeline; in an incomplete one, work and memory grow with their square."""
_MAX_BLOCK_DEPTH = 50
"""Nested `if`, `while` and so on; work grows as with pipes."""
_BLOCK = re.compile(
    rb"(?:^|[;&|\n(){}!]|\b(?:then|do|else))[ \t]*+"
    rb"(?:(?P<opens>if|while|until|for|case|select)|fi|done|esac)\b"
)
_STATEMENT_END = re.compile(rb"[;&]")
_MAX_OCCURRENCES = 200
"""Each of: piped groups, here-documents, unopened brackets, redirections without target, NULs."""
_MAX_UNOPENED_PARENTHESES = 20
"""`)` without `(`, except in the arms of a `case`; the parser's recovery is expensive."""
_TARGETLESS_REDIRECT = re.compile(rb"\$[<>]|[<>][&|]?(?=[ \t]*+[<>;&|)\n])")
_PIPED_GROUP = re.compile(rb"(?:[)}]|\b(?:done|fi|esac))[ \t]*+\|")
_MAX_FUNCTION_DEPTH = 20
_NESTED_FUNCTIONS = re.compile(rb"(?:\(\)\s*+[\w-]++\s*+){%d}\(\)" % _MAX_FUNCTION_DEPTH)
_OPENING_BRACKETS = b"([{"
_OPENING_PARENTHESIS = ord("(")
_NO_PARENTHESES = bytes(set(range(256)) - set(b"()"))
_NO_BRACKETS = bytes(set(range(256)) - set(b"([{}])"))
_BLOCK_KEYWORDS = (b"if", b"while", b"until", b"for", b"case", b"select")


def parse_syntax_tree(source: bytes) -> "Node | None":
    """Parse a text; None if that would take too much work for its length."""
    if _exceeds_limits(source):
        return None
    parser = _load_parser()
    if len(source) <= _CHUNK_BYTES:  # too short to take long
        return parser.parse(source).root_node
    steps_left = _STEPS_PER_BYTE * len(source)

    def read_chunk(offset: int, _point: "Point") -> bytes:
        return source[offset : offset + _CHUNK_BYTES]

    def is_over_budget(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001 - tree-sitter's signature
        nonlocal steps_left
        steps_left -= 100  # tree-sitter calls this once for so many
        return steps_left <= 0

    try:
        return parser.parse(read_chunk, progress_callback=is_over_budget).root_node
    except ValueError:
        parser.reset()  # otherwise it would continue with this text next time
        return None


def _exceeds_limits(source: bytes) -> bool:
    """Whether the text nests or breaks more constructs than any ordinary text.

    Each search runs only if a cheap count shows that its limit could be exceeded.
    """
    return (
        _has_too_many_brackets(source)
        or _count_unopened(source) > _MAX_UNOPENED_PARENTHESES + source.count(b";;")
        or source.count(b"\0") > _MAX_OCCURRENCES
        or _count_pipes(source) > _MAX_PIPES
        or source.count(b"<<") > _MAX_OCCURRENCES
        or (_count(source, *_BLOCK_KEYWORDS) > _MAX_BLOCK_DEPTH and _has_deep_blocks(source))
        or (
            source.count(b"()") > _MAX_FUNCTION_DEPTH
            and _NESTED_FUNCTIONS.search(source) is not None
        )
        or (
            source.count(b"|") > _MAX_OCCURRENCES
            and len(_PIPED_GROUP.findall(source)) > _MAX_OCCURRENCES
        )
        or (
            _count(source, b"<", b">") > _MAX_OCCURRENCES
            and len(_TARGETLESS_REDIRECT.findall(source)) > _MAX_OCCURRENCES
        )
    )


def _count(source: bytes, *pieces: bytes) -> int:
    return sum(map(source.count, pieces))


def _has_too_many_brackets(source: bytes) -> bool:
    """Whether too many brackets are open at once or never opened, ignoring quotes."""
    brackets = source.translate(None, _NO_BRACKETS)
    if len(brackets) <= min(_MAX_BRACKET_DEPTH, _MAX_OCCURRENCES):
        return False
    depth = unopened = 0
    for bracket in brackets:
        if bracket in _OPENING_BRACKETS:
            depth += 1
            if depth > _MAX_BRACKET_DEPTH:
                return True
        elif depth:
            depth -= 1
        else:
            unopened += 1
    return unopened > _MAX_OCCURRENCES


def _count_unopened(source: bytes) -> int:
    """Count the `)` that are never opened, ignoring quotes; 0 if there are few `)`."""
    if source.count(b")") <= _MAX_UNOPENED_PARENTHESES:
        return 0
    depth = unopened = 0
    for bracket in source.translate(None, _NO_PARENTHESES):
        if bracket == _OPENING_PARENTHESIS:
            depth += 1
        elif depth:
            depth -= 1
        else:
            unopened += 1
    return unopened


def _count_pipes(source: bytes) -> int:
    """Count the pipes of the longest pipeline, ignoring quotes."""
    most = source.count(b"|")
    if most <= _MAX_PIPES:
        return most
    most = pipes = 0
    for statement in _STATEMENT_END.split(source.replace(b"|&", b"|")):
        pipes = 0
        for line in statement.split(b"\n"):
            text = line.rstrip()
            pipes += text.count(b"|")
            most = max(most, pipes)
            if text and not text.endswith(b"|"):
                pipes = 0
    return most


def _has_deep_blocks(source: bytes) -> bool:
    """Whether blocks seem to be nested deeper than in any ordinary text."""
    depth = 0
    for block in _BLOCK.finditer(source):
        depth = depth + 1 if block["opens"] else max(depth - 1, 0)
        if depth > _MAX_BLOCK_DEPTH:
            return True
    return False


@cache
def _load_parser() -> "Parser":
    import tree_sitter_bash  # noqa: PLC0415 - 13 ms that most starts do not need
    from tree_sitter import Language, Parser  # noqa: PLC0415 - as above

    return Parser(Language(tree_sitter_bash.language()))
