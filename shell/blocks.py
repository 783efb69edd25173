"""Streamed Markdown, cut into finished blocks and the unfinished tail.

A finished block can be rendered once and printed; only the tail is drawn again and again.
"""

import re
from dataclasses import dataclass

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
FENCE_LINES = 40
"""A longer fence is printed in parts: rendering it whole would hold the screen."""
LONGEST_TAIL_CHARS = 4_000
"""Beyond it the tail is cut at a line end, whatever the Markdown means."""


@dataclass(frozen=True, slots=True)
class Tail:
    """What of a reply is not yet a finished block."""

    text: str = ""


def feed(tail: Tail, text: str) -> tuple[tuple[str, ...], Tail]:
    """Add streamed text; returns the blocks that it finished, and the new tail."""
    finished: list[str] = []
    rest = tail.text + text
    while (at := _end_of_block(rest)) > 0:
        block, rest = rest[:at], _reopened(rest[:at]) + rest[at:]
        if _says_something(block):
            finished.append(_closed(block))
    return tuple(finished), Tail(rest)


def finish(tail: Tail) -> tuple[str, ...]:
    """End the reply: whatever is left is a block."""
    return (_closed(tail.text),) if _says_something(tail.text) else ()


def _end_of_block(text: str) -> int:
    """Find where the first block ends; 0 when nothing is finished."""
    fence, fence_lines, blank, begun, at = "", 0, False, False, 0
    for line in text.splitlines(keepends=True):
        whole = line.endswith("\n")
        if begun and blank and not fence and not line[0].isspace():
            return at
        marker = _marker(line, fence) if whole else ""
        if fence:
            fence_lines += 1
            at += len(line)
            if marker:
                return at
            if whole and fence_lines >= FENCE_LINES:
                return at
            continue
        if marker and begun:
            return at
        fence = marker
        blank = not line.strip()
        begun = begun or not blank
        at += len(line)
    return _forced_end(text)


def _says_something(block: str) -> bool:
    """Whether there is more than the fence that was reopened for it."""
    return any(line.strip() and not _FENCE.fullmatch(line) for line in block.splitlines())


def _marker(line: str, fence: str) -> str:
    """The fence that this line opens or, inside of `fence`, closes; empty: neither."""
    found = _FENCE.match(line)
    if not found:
        return ""
    mark, info = found[1], found[2]
    if not fence:
        return "" if mark[0] == "`" and "`" in info else mark
    closes = mark[0] == fence[0] and len(mark) >= len(fence) and not info.strip()
    return mark if closes else ""


def _forced_end(text: str) -> int:
    if len(text) <= LONGEST_TAIL_CHARS:
        return 0
    at = text.rfind("\n") + 1
    return at if at > LONGEST_TAIL_CHARS // 2 else len(text)


def _open_fence(text: str) -> str:
    """The opening line of a fence that `text` begins and does not close; empty: none."""
    opening, fence = "", ""
    for line in text.splitlines():
        marker = _marker(line, fence)
        if marker:
            opening, fence = ("", "") if fence else (line, marker)
    return opening


def _reopened(block: str) -> str:
    opening = _open_fence(block)
    return opening + "\n" if opening else ""


def _closed(block: str) -> str:
    opening = _open_fence(block)
    found = _FENCE.match(opening)
    return f"{block.rstrip()}\n{found[1]}\n" if found else block.strip("\n")
