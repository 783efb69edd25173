"""Streamed Markdown, cut into finished blocks and the unfinished tail.

A finished block can be rendered once and printed; only the tail is drawn again and again. Each
piece is looked at once and no block is long, so that text costs the same per character however
much of it comes; and it ends in the same blocks in whatever pieces it comes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
FENCE_LINES = 40
"""A longer fence is printed in parts: rendering it whole would hold the screen."""
LONGEST_TAIL_CHARS = 4_000
"""A longer block is cut, at the end of a line if that is near, whatever the Markdown means."""
LONGEST_OPENING_CHARS = 200
"""A longer line opens no fence: repeated above each part of it, it would leave no room for it."""
_PIECE_CHARS = LONGEST_TAIL_CHARS // 2
"""A longer line is looked at in pieces."""


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """What of a block has come, without the line that has no end yet."""

    text: str = ""
    opening: str = ""
    """The line that opened the fence in which the text ends; empty: it ends in none."""
    fence_lines: int = 0
    begun: bool = False
    """There is more than blank lines and a fence that was opened again."""
    blank: bool = False
    """The last line is."""
    closed: bool = False
    """The last line ended a fence."""

    @property
    def at_line_start(self) -> bool:
        """Whether what comes next begins a line."""
        return not self.text or self.text.endswith("\n")


@dataclass(frozen=True, slots=True)
class Tail:
    """What of a reply is not yet a finished block."""

    block: MarkdownBlock = field(default_factory=MarkdownBlock)
    line: str = ""
    """The line that has no end yet."""

    @property
    def text(self) -> str:
        """All of it."""
        return self.block.text + self.line


def feed(tail: Tail, text: str) -> tuple[tuple[str, ...], Tail]:
    """Add streamed text; returns the blocks that it finished, and the new tail."""
    finished: list[str] = []
    block, line = tail.block, ""
    for piece in _pieces(tail.line + text):
        if _goes_before(block, piece):
            block = _next(block, finished)
        if not _is_whole(piece):
            line = piece
            break
        block = _grown(block, piece)
        if block.closed or block.fence_lines >= FENCE_LINES:
            block = _next(block, finished)
    return tuple(finished), Tail(block, line)


def finish(tail: Tail) -> tuple[str, ...]:
    """End the reply: whatever is left is a block, or two."""
    finished, tail = feed(tail, "\n") if tail.line else ((), tail)
    last: list[str] = []
    _next(tail.block, last)
    return (*finished, *(block.rstrip("\n") for block in last))


def goes_on(block: str) -> bool:
    """Whether a finished block is a part of one that the next goes on with."""
    return block.endswith("\n")


def _pieces(text: str) -> Iterator[str]:
    """Cut into lines, and those into pieces; only the last may be neither."""
    at = 0
    while at < len(text):
        line_end = text.find("\n", at, at + _PIECE_CHARS) + 1
        end = line_end or at + _PIECE_CHARS
        yield text[at:end]
        at = end


def _is_whole(piece: str) -> bool:
    return len(piece) == _PIECE_CHARS or piece.endswith("\n")


def _goes_before(block: MarkdownBlock, piece: str) -> bool:
    """Whether the block ends where this piece, maybe not yet whole, begins."""
    if len(block.text) + len(piece) > LONGEST_TAIL_CHARS:
        return True
    if not block.begun or block.opening:
        return False
    another = block.blank and not piece[0].isspace()
    return another or (_is_whole(piece) and _opens(block, piece))


def _next(block: MarkdownBlock, finished: list[str]) -> MarkdownBlock:
    """Finish a block; the next one goes on with its fence. One that was to go on must end too."""
    if block.begun:
        finished.append(_closed(block))
    elif block.opening or block.closed:
        finished.append("")
    return MarkdownBlock(text=block.opening, opening=block.opening)


def _grown(block: MarkdownBlock, piece: str) -> MarkdownBlock:
    blank = not piece.strip() and (block.blank or block.at_line_start)
    if blank and not block.text:
        return block
    grown = replace(block, text=block.text + piece, blank=blank, begun=block.begun or not blank)
    if block.opening:
        if _closes(block, piece):
            return replace(grown, opening="", closed=True, begun=block.begun)
        return replace(grown, fence_lines=block.fence_lines + piece.endswith("\n"))
    if not _opens(block, piece):
        return grown
    if len(piece) > LONGEST_OPENING_CHARS:
        return replace(grown, text=block.text + _escaped(piece))
    return replace(grown, opening=piece)


def _opens(block: MarkdownBlock, piece: str) -> bool:
    """Whether the piece would open a fence; a long one is none for us, but must be kept from it."""
    found = _FENCE.match(piece) if block.at_line_start else None
    return found is not None and not (found[1][0] == "`" and "`" in found[2])


def _closes(block: MarkdownBlock, piece: str) -> bool:
    found = _FENCE.match(piece) if block.at_line_start else None
    if found is None or found[2].strip():
        return False
    return found[1].startswith(_mark(block.opening))


def _mark(opening: str) -> str:
    found = _FENCE.match(opening)
    return found[1] if found else ""


def _escaped(opening: str) -> str:
    indent = len(opening) - len(opening.lstrip(" "))
    return opening[:indent] + "\\" + opening[indent:]


def _closed(block: MarkdownBlock) -> str:
    if not block.opening:
        return block.text.strip("\n")
    line_end = "" if block.at_line_start else "\n"
    return f"{block.text}{line_end}{_mark(block.opening)}\n"
