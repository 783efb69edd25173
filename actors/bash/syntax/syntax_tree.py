"""Bash's grammar, as tree-sitter has it; loaded on first use, since most starts need it late."""

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Point

_DEEPEST = 200
"""Brackets within brackets; the parser's work grows with their square."""
_STEPS_PER_BYTE = 20
"""The densest honest text needs five; what needs more is made to be slow."""
_CHUNK_BYTES = 4_096
_MOST_PIPES = 100
"""Pipes in one pipeline; where it breaks off, work and memory grow with their square."""
_BLOCKS_DEEPEST = 50
"""`if` within `while` within …; as with pipes."""
_BLOCK = re.compile(
    rb"(?:^|[;&|\n(){}!]|\b(?:then|do|else))[ \t]*+"
    rb"(?:(?P<opens>if|while|until|for|case|select)|fi|done|esac)\b"
)
_STATEMENT_END = re.compile(rb"[;&]")
_MOST_EACH = 200
"""Groups piped on, here-documents, brackets never opened, redirections to nothing, NULs."""
_MOST_UNOPENED = 20
"""`)` without `(`, but for the arms of a `case`: each is dear to mend."""
_TO_NOTHING = re.compile(rb"\$[<>]|[<>][&|]?(?=[ \t]*+[<>;&|)\n])")
_GROUP_PIPED = re.compile(rb"(?:[)}]|\b(?:done|fi|esac))[ \t]*+\|")
_HEADS_MOST = 20
_HEADS_IN_HEADS = re.compile(rb"(?:\(\)\s*+[\w-]++\s*+){%d}\(\)" % _HEADS_MOST)
_OPENING = b"([{"
_OPENS = ord("(")
_NO_PARENTHESES = bytes(set(range(256)) - set(b"()"))
_NO_BRACKETS = bytes(set(range(256)) - set(b"([{}])"))
_BLOCKS = (b"if", b"while", b"until", b"for", b"case", b"select")


def parse_syntax_tree(source: bytes) -> "Node | None":
    """Parse a text; None where that would take too much work for its length."""
    if _is_tower(source):
        return None
    parser = _parser()
    if len(source) <= _CHUNK_BYTES:
        return parser.parse(source).root_node
    steps_left = _STEPS_PER_BYTE * len(source)

    def chunk(offset: int, _point: "Point") -> bytes:
        return source[offset : offset + _CHUNK_BYTES]

    def is_enough(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001 - tree-sitter's signature
        nonlocal steps_left
        steps_left -= 100
        return steps_left <= 0

    try:
        return parser.parse(chunk, progress_callback=is_enough).root_node
    except ValueError:
        parser.reset()
        return None


def _is_tower(source: bytes) -> bool:
    """Whether the parser would have to keep more open, or mend more, than any honest text has.

    What is in a text no oftener than it may stand in the way is not looked for.
    """
    return (
        _is_deep(source)
        or _unopened(source) > _MOST_UNOPENED + source.count(b";;")
        or source.count(b"\0") > _MOST_EACH
        or _pipes(source) > _MOST_PIPES
        or source.count(b"<<") > _MOST_EACH
        or (_count(source, *_BLOCKS) > _BLOCKS_DEEPEST and _is_nested(source))
        or (source.count(b"()") > _HEADS_MOST and _HEADS_IN_HEADS.search(source) is not None)
        or (source.count(b"|") > _MOST_EACH and len(_GROUP_PIPED.findall(source)) > _MOST_EACH)
        or (_count(source, b"<", b">") > _MOST_EACH and _to_nothing(source) > _MOST_EACH)
    )


def _count(source: bytes, *pieces: bytes) -> int:
    return sum(map(source.count, pieces))


def _to_nothing(source: bytes) -> int:
    return len(_TO_NOTHING.findall(source))


def _is_deep(source: bytes) -> bool:
    """Whether too many brackets are open at once, or never opened, whatever quotes they are in."""
    brackets = source.translate(None, _NO_BRACKETS)
    if len(brackets) <= min(_DEEPEST, _MOST_EACH):
        return False
    depth = unopened = 0
    for bracket in brackets:
        if bracket in _OPENING:
            depth += 1
            if depth > _DEEPEST:
                return True
        elif depth:
            depth -= 1
        else:
            unopened += 1
    return unopened > _MOST_EACH


def _unopened(source: bytes) -> int:
    """Count the parentheses that are never opened, as above; few are not counted."""
    if source.count(b")") <= _MOST_UNOPENED:
        return 0
    depth = unopened = 0
    for bracket in source.translate(None, _NO_PARENTHESES):
        if bracket == _OPENS:
            depth += 1
        elif depth:
            depth -= 1
        else:
            unopened += 1
    return unopened


def _pipes(source: bytes) -> int:
    """Count the pipes of the longest pipeline, whatever quotes they stand in."""
    most = source.count(b"|")
    if most <= _MOST_PIPES:
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


def _is_nested(source: bytes) -> bool:
    """Whether blocks seem to stand in blocks deeper than anybody writes."""
    depth = 0
    for block in _BLOCK.finditer(source):
        depth = depth + 1 if block["opens"] else max(depth - 1, 0)
        if depth > _BLOCKS_DEEPEST:
            return True
    return False


@cache
def _parser() -> "Parser":
    import tree_sitter_bash  # noqa: PLC0415 - 13 ms that most starts do not need
    from tree_sitter import Language, Parser  # noqa: PLC0415 - as above

    return Parser(Language(tree_sitter_bash.language()))
