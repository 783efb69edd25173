"""Streamed Markdown, cut into finished blocks and the unfinished tail.

A finished block can be rendered once and printed; only the tail is drawn again and again. Each
piece is looked at once and no block is long, so that text costs the same per character however
much of it comes; and it ends in the same blocks in whatever pieces it comes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
MAX_FENCE_LINES = 40
"""A longer fence is printed in parts: rendering it whole would hold the screen."""
MAX_TAIL_CHARS = 4_000
"""A longer block is cut, at the end of a line if that is near, whatever the Markdown means."""
MAX_FENCE_OPENING_CHARS = 200
"""A longer line opens no fence: repeated above each part of it, it would leave no room for it."""
_PIECE_CHARS = MAX_TAIL_CHARS // 2
"""A longer line is looked at in pieces."""


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """What of a block has come, without the line that has no end yet."""

    text: str = ""
    fence_opening: str = ""
    """The line that opened the fence in which the text ends; empty: it ends in none."""
    fence_lines: int = 0
    has_content: bool = False
    """There is more than blank lines and a fence that was opened again."""
    ends_blank: bool = False
    """The last line is."""
    ends_fence: bool = False
    """The last line ended a fence."""

    @property
    def is_at_line_start(self) -> bool:
        """Whether what comes next begins a line."""
        return not self.text or self.text.endswith("\n")


@dataclass(frozen=True, slots=True)
class MarkdownTail:
    """What of a reply is not yet a finished block."""

    block: MarkdownBlock = field(default_factory=MarkdownBlock)
    partial_line: str = ""
    """The line that has no end yet."""

    @property
    def text(self) -> str:
        """All of it."""
        return self.block.text + self.partial_line


def feed_text(tail: MarkdownTail, text: str) -> tuple[tuple[str, ...], MarkdownTail]:
    """Add streamed text; returns the blocks that it finished, and the new tail."""
    finished: list[str] = []
    block, line = tail.block, ""
    for piece in _pieces(tail.partial_line + text):
        if _goes_before(block, piece):
            block = _next(block, finished)
        if not _is_whole(piece):
            line = piece
            break
        block = _grown(block, piece)
        if block.ends_fence or block.fence_lines >= MAX_FENCE_LINES:
            block = _next(block, finished)
    return tuple(finished), MarkdownTail(block, line)


def finish_reply(tail: MarkdownTail) -> tuple[str, ...]:
    """End the reply: whatever is left is a block, or two."""
    finished, tail = feed_text(tail, "\n") if tail.partial_line else ((), tail)
    last: list[str] = []
    _next(tail.block, last)
    return (*finished, *(block.rstrip("\n") for block in last))


def is_continued(block: str) -> bool:
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
    if len(block.text) + len(piece) > MAX_TAIL_CHARS:
        return True
    if not block.has_content or block.fence_opening:
        return False
    another = block.ends_blank and not piece[0].isspace()
    return another or (_is_whole(piece) and _opens(block, piece))


def _next(block: MarkdownBlock, finished: list[str]) -> MarkdownBlock:
    """Finish a block; the next one goes on with its fence. One that was to go on must end too."""
    if block.has_content:
        finished.append(_closed(block))
    elif block.fence_opening or block.ends_fence:
        finished.append("")
    return MarkdownBlock(text=block.fence_opening, fence_opening=block.fence_opening)


def _grown(block: MarkdownBlock, piece: str) -> MarkdownBlock:
    blank = not piece.strip() and (block.ends_blank or block.is_at_line_start)
    if blank and not block.text:
        return block
    grown = replace(
        block, text=block.text + piece, ends_blank=blank, has_content=block.has_content or not blank
    )
    if block.fence_opening:
        if _closes(block, piece):
            return replace(grown, fence_opening="", ends_fence=True, has_content=block.has_content)
        return replace(grown, fence_lines=block.fence_lines + piece.endswith("\n"))
    if not _opens(block, piece):
        return grown
    if len(piece) > MAX_FENCE_OPENING_CHARS:
        return replace(grown, text=block.text + _escaped(piece))
    return replace(grown, fence_opening=piece)


def _opens(block: MarkdownBlock, piece: str) -> bool:
    """Whether the piece would open a fence; a long one is none for us, but must be kept from it."""
    found = _FENCE.match(piece) if block.is_at_line_start else None
    return found is not None and not (found[1][0] == "`" and "`" in found[2])


def _closes(block: MarkdownBlock, piece: str) -> bool:
    found = _FENCE.match(piece) if block.is_at_line_start else None
    if found is None or found[2].strip():
        return False
    return found[1].startswith(_mark(block.fence_opening))


def _mark(opening: str) -> str:
    found = _FENCE.match(opening)
    return found[1] if found else ""


def _escaped(opening: str) -> str:
    indent = len(opening) - len(opening.lstrip(" "))
    return opening[:indent] + "\\" + opening[indent:]


def _closed(block: MarkdownBlock) -> str:
    if not block.fence_opening:
        return block.text.strip("\n")
    line_end = "" if block.is_at_line_start else "\n"
    return f"{block.text}{line_end}{_mark(block.fence_opening)}\n"
