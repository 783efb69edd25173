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
_BRACKET = re.compile(rb"[][(){}]")


def tree_of(source: bytes) -> "Node | None":
    """Parse a text; None where that would take too much work for its length."""
    if _depth(source) > _DEEPEST:
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


def _depth(source: bytes) -> int:
    """Count the brackets open at once, whatever quotes they stand in."""
    depth = deepest = 0
    for bracket in _BRACKET.findall(source):
        if bracket in b"([{":
            depth += 1
            deepest = max(deepest, depth)
        elif depth:
            depth -= 1
    return deepest


@cache
def _parser() -> "Parser":
    import tree_sitter_bash  # noqa: PLC0415 - 13 ms that most starts do not need
    from tree_sitter import Language, Parser  # noqa: PLC0415 - as above

    return Parser(Language(tree_sitter_bash.language()))
