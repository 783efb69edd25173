"""A diff with line numbers and marked words, as rows after a bar. Pure."""

import difflib
import re
from collections.abc import Iterator
from itertools import groupby, pairwise

from shell.view.styled_text import Fragment, Row, wrap

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_WORD = re.compile(r"\w+|\s+|.")
_TAB_COLUMNS = 4
_MAX_MARKED_CHARS = 400
"""In longer lines, changed words are not marked: comparing takes too long."""
_MAX_MARKED_SHARE = 0.6
"""If more of a line changed, marking it would only repeat its color."""
_TONES = {"+": "good", "-": "bad"}
_MARKED_TONES = {"+": "good-marked", "-": "bad-marked"}
_Line = tuple[str, str, tuple[tuple[int, int], ...]]
"""The number column, the line with its sign, and the ranges of it that are marked."""


def render_diff_rows(diff: str, width: int) -> list[Row]:
    """Render a sanitized unified diff; every line of it is shown, except the names of the file."""
    return [row for line in _read_lines(diff.split("\n")) for row in _render_line(*line, width)]


def _read_lines(lines: list[str]) -> Iterator[_Line]:
    old = new = old_left = new_left = 0
    hunk: list[tuple[int, str]] = []
    has_hunk = False
    for line in lines:
        sign = line[:1]
        if old_left <= 0 and new_left <= 0 and sign != "\\":
            yield from _mark_words(hunk)
            hunk = []
            match = _HUNK.match(line)
            if match:
                old, new = int(match[1]), int(match[3])
                old_left, new_left = int(match[2] or 1), int(match[4] or 1)
                if has_hunk:
                    yield "   … ", "", ()
                has_hunk = True
            elif has_hunk or not line.startswith(("--- ", "+++ ")):
                yield "", line, ()
            continue
        if sign == "\\":
            hunk.append((0, line))
            continue
        hunk.append((old if sign == "-" else new, line))
        if sign != "+":
            old, old_left = old + 1, old_left - 1
        if sign != "-":
            new, new_left = new + 1, new_left - 1
    yield from _mark_words(hunk)


def _mark_words(hunk: list[tuple[int, str]]) -> Iterator[_Line]:
    """Number the lines of a hunk, and mark what differs where lines were replaced one by one."""
    numbered = [
        (f"{number:>4} " if number else " " * 5, line.expandtabs(_TAB_COLUMNS))
        for number, line in hunk
    ]
    marks: dict[int, tuple[tuple[int, int], ...]] = {}
    runs = [
        (sign, [at for at, _ in group])
        for sign, group in groupby(enumerate(numbered), lambda item: item[1][1][:1])
    ]
    for (sign, removed), (next_sign, added) in pairwise(runs):
        if sign == "-" and next_sign == "+" and len(removed) == len(added):
            for old_at, new_at in zip(removed, added, strict=True):
                marks[old_at], marks[new_at] = _compare(numbered[old_at][1], numbered[new_at][1])
    for at, (number, line) in enumerate(numbered):
        yield number, line, marks.get(at, ())


def _compare(old: str, new: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the ranges of words that differ, in the old and the new line."""
    if max(len(old), len(new)) > _MAX_MARKED_CHARS:
        return (), ()
    words = _WORD.findall(old[1:]), _WORD.findall(new[1:])
    matcher = difflib.SequenceMatcher(None, *words, autojunk=False)
    if matcher.ratio() < 1 - _MAX_MARKED_SHARE:
        return (), ()
    blocks = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        _to_columns(words[0], [(start, end) for _, start, end, _, _ in blocks]),
        _to_columns(words[1], [(start, end) for _, _, _, start, end in blocks]),
    )


def _to_columns(words: list[str], ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    offsets = [1]  # after the sign
    for word in words:
        offsets.append(offsets[-1] + len(word))
    return tuple((offsets[start], offsets[end]) for start, end in ranges if start < end)


def _render_line(
    number: str, line: str, marks: tuple[tuple[int, int], ...], width: int
) -> Iterator[Row]:
    bar, at = "│ ", 0
    gutter = number if width > len(bar) + 2 * len(number) else ""
    tone = _TONES.get(line[:1], "plain")
    for piece in wrap(line, width - len(bar) - len(gutter)):
        fragments = _split_marked(piece, at, marks, tone, _MARKED_TONES.get(line[:1], tone))
        start: Row = (("warn", bar), ("dim", gutter)) if gutter else (("warn", bar),)
        yield (*start, *fragments)
        bar, gutter, at = "┆ ", " " * len(gutter), at + len(piece)


def _split_marked(
    piece: str, offset: int, marks: tuple[tuple[int, int], ...], tone: str, marked_tone: str
) -> Iterator[Fragment]:
    at = 0
    for start, end in marks:
        first, last = max(start - offset, at), min(end - offset, len(piece))
        if first < last:
            yield tone, piece[at:first]
            yield marked_tone, piece[first:last]
            at = last
    yield tone, piece[at:]
