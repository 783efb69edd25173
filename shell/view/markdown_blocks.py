"""Streamed Markdown, split into finished blocks and the unfinished tail.

A finished block is rendered once and printed; only the tail is redrawn. Each piece is examined
once and the size of a block is limited, so the cost per character is constant. The blocks do not
depend on how the streamed text is split.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
MAX_FENCE_LINES = 40
"""A longer fence is printed in parts: rendering it whole would block the screen."""
MAX_TAIL_CHARS = 4_000
"""A longer block is split, at the end of a line if one is near, regardless of the Markdown."""
MAX_FENCE_OPENING_CHARS = 200
"""A longer line opens no fence: repeated above each part, it would leave no room for the text."""
_PIECE_CHARS = MAX_TAIL_CHARS // 2
"""A longer line is examined in pieces."""


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """The complete lines of the current block so far."""

    text: str = ""
    fence_opening: str = ""
    """The line that opened the fence in which the text ends; empty: it ends outside a fence."""
    fence_lines: int = 0
    has_content: bool = False
    """There is more than blank lines and a reopened fence."""
    ends_blank: bool = False
    """The last line is blank."""
    ends_fence: bool = False
    """The last line closed a fence."""

    @property
    def is_at_line_start(self) -> bool:
        """Whether the next text starts a line."""
        return not self.text or self.text.endswith("\n")


@dataclass(frozen=True, slots=True)
class MarkdownTail:
    """The part of a reply that is not yet a finished block."""

    block: MarkdownBlock = field(default_factory=MarkdownBlock)
    partial_line: str = ""
    """The last line, which has no newline yet."""

    @property
    def text(self) -> str:
        """The whole tail."""
        return self.block.text + self.partial_line


def feed_text(tail: MarkdownTail, text: str) -> tuple[tuple[str, ...], MarkdownTail]:
    """Add streamed text; return the blocks that it finished and the new tail."""
    finished: list[str] = []
    block, partial_line = tail.block, ""
    for piece in _split_pieces(tail.partial_line + text):
        if _ends_before(block, piece):
            block = _start_next_block(block, finished)
        if not _is_whole(piece):
            partial_line = piece
            break
        block = _append(block, piece)
        if block.ends_fence or block.fence_lines >= MAX_FENCE_LINES:
            block = _start_next_block(block, finished)
    return tuple(finished), MarkdownTail(block, partial_line)


def finish_reply(tail: MarkdownTail) -> tuple[str, ...]:
    """End the reply; return the one or two blocks that are left."""
    finished, tail = feed_text(tail, "\n") if tail.partial_line else ((), tail)
    last: list[str] = []
    _start_next_block(tail.block, last)
    return (*finished, *(block.rstrip("\n") for block in last))


def is_continued(block: str) -> bool:
    """Return whether a finished block continues in the next one."""
    return block.endswith("\n")


def _split_pieces(text: str) -> Iterator[str]:
    """Split into lines, and long lines into pieces; only the last one may be incomplete."""
    start = 0
    while start < len(text):
        line_end = text.find("\n", start, start + _PIECE_CHARS) + 1
        end = line_end or start + _PIECE_CHARS
        yield text[start:end]
        start = end


def _is_whole(piece: str) -> bool:
    return len(piece) == _PIECE_CHARS or piece.endswith("\n")


def _ends_before(block: MarkdownBlock, piece: str) -> bool:
    """Return whether the block ends before this piece, which may be incomplete."""
    if len(block.text) + len(piece) > MAX_TAIL_CHARS:
        return True
    if not block.has_content or block.fence_opening:
        return False
    starts_paragraph = block.ends_blank and not piece[0].isspace()
    return starts_paragraph or (_is_whole(piece) and _opens_fence(block, piece))


def _start_next_block(block: MarkdownBlock, finished: list[str]) -> MarkdownBlock:
    """Finish a block; the next one continues its fence. An empty continuation must end too."""
    if block.has_content:
        finished.append(_close(block))
    elif block.fence_opening or block.ends_fence:
        finished.append("")
    return MarkdownBlock(text=block.fence_opening, fence_opening=block.fence_opening)


def _append(block: MarkdownBlock, piece: str) -> MarkdownBlock:
    is_blank = not piece.strip() and (block.ends_blank or block.is_at_line_start)
    if is_blank and not block.text:
        return block
    longer = replace(
        block,
        text=block.text + piece,
        ends_blank=is_blank,
        has_content=block.has_content or not is_blank,
    )
    if block.fence_opening:
        if _closes_fence(block, piece):
            return replace(longer, fence_opening="", ends_fence=True, has_content=block.has_content)
        return replace(longer, fence_lines=block.fence_lines + piece.endswith("\n"))
    if not _opens_fence(block, piece):
        return longer
    if len(piece) > MAX_FENCE_OPENING_CHARS:
        return replace(longer, text=block.text + _escape(piece))
    return replace(longer, fence_opening=piece)


def _opens_fence(block: MarkdownBlock, piece: str) -> bool:
    """Return whether the piece would open a fence; one that is too long is escaped instead."""
    match = _FENCE.match(piece) if block.is_at_line_start else None
    return match is not None and not (match[1][0] == "`" and "`" in match[2])


def _closes_fence(block: MarkdownBlock, piece: str) -> bool:
    match = _FENCE.match(piece) if block.is_at_line_start else None
    if match is None or match[2].strip():
        return False
    return match[1].startswith(_get_fence_mark(block.fence_opening))


def _get_fence_mark(opening: str) -> str:
    match = _FENCE.match(opening)
    return match[1] if match else ""


def _escape(opening: str) -> str:
    indent = len(opening) - len(opening.lstrip(" "))
    return opening[:indent] + "\\" + opening[indent:]


def _close(block: MarkdownBlock) -> str:
    if not block.fence_opening:
        return block.text.strip("\n")
    line_end = "" if block.is_at_line_start else "\n"
    return f"{block.text}{line_end}{_get_fence_mark(block.fence_opening)}\n"
