"""Colored rows of text, used both for the scrollback and for the live part of the screen.

A row is exactly one line of the screen. It is truncated or wrapped to the width in advance, so the
terminal never wraps it.
"""

import re
import textwrap
from collections.abc import Iterable
from typing import TypeAlias

from prompt_toolkit.utils import get_cwidth

Fragment: TypeAlias = tuple[str, str]
"""A tone, which is a key of `SGR_BY_TONE`, and text."""
Row: TypeAlias = tuple[Fragment, ...]

SGR_BY_TONE = {
    "plain": "",
    "dim": "2",
    "strong": "1",
    "user": "36",
    "good": "32",
    "bad": "31",
    "warn": "33",
    "good-marked": "7;32",
    "bad-marked": "7;31",
    "hunk": "36",
    "title": "1;33",
    "plan": "35",
    "danger": "31;7",
}
"""Tone to the parameters of the terminal's color sequence (SGR)."""

STYLE_BY_TONE = {
    "dim": "ansibrightblack",
    "strong": "bold",
    "user": "ansicyan",
    "good": "ansigreen",
    "bad": "ansired",
    "warn": "ansiyellow",
    "good-marked": "reverse ansigreen",
    "bad-marked": "reverse ansired",
    "hunk": "ansicyan",
    "title": "bold ansiyellow",
    "plan": "ansimagenta",
    "danger": "ansired reverse",
}
"""The same tones as prompt_toolkit styles."""


def to_live_style(tone: str) -> str:
    """Return the prompt_toolkit style of a tone; rows that are only drawn live may name a style."""
    return f"class:{tone}" if tone in SGR_BY_TONE else tone


AGENT_CHAIN_SEPARATOR = " \u203a "
"""Separates an agent from a subagent that it started."""
_TAB_STOP = 4
_COLUMNS = re.compile(r" *(?:\S+(?: \S+)* {2,})?")
"""An indent and an optional first column; wrapped lines align with the second column."""


def render_ansi(rows: Iterable[Row], *, color: bool) -> str:
    """Return rows as terminal output, each with its line end."""
    return "".join("".join(_colorize(part, color=color) for part in row) + "\r\n" for row in rows)


def wrap(text: str, width: int) -> list[str]:
    """Break sanitized text into lines of at most `width` columns; tabs become blanks."""
    rows: list[str] = []
    for line in text.split("\n"):
        rows.extend(_split(line.expandtabs(_TAB_STOP), max(width, 2)))
    return rows


def wrap_words(text: str, width: int) -> list[str]:
    """Break text like `wrap`, but between words where possible."""
    lines = (line for paragraph in text.split("\n") for line in _fill(paragraph, width))
    return [piece for line in lines for piece in wrap(line, width)]


def truncate(text: str, width: int) -> str:
    """Truncate one line to `width` columns, with an ellipsis at the end."""
    if measure_width(text) <= width:
        return text
    return _split(text, max(width - 1, 1))[0] + "…" if width > 1 else "…"


def measure_width(text: str) -> int:
    """Return the number of columns that a line takes."""
    return get_cwidth(text)


def _fill(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    match = _COLUMNS.match(line)
    column = match.end() if match else 0
    indent = " " * (column if column <= width // 2 else 0)
    pieces = textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)
    return pieces or [""]  # textwrap drops lines of blanks


def _split(line: str, width: int) -> list[str]:
    if line.isascii():
        return [line[index : index + width] for index in range(0, len(line), width)] or [""]
    pieces: list[str] = []
    start = used = 0
    for index, char in enumerate(line):
        columns = get_cwidth(char)
        if used + columns > width:
            pieces.append(line[start:index])
            start, used = index, 0
        used += columns
    return [*pieces, line[start:]]


def _colorize(part: Fragment, *, color: bool) -> str:
    tone, text = part
    sgr = SGR_BY_TONE[tone]
    return f"\x1b[{sgr}m{text}\x1b[0m" if color and sgr and text else text
