"""Coloured rows of text: one form for what is printed above and for what is drawn live.

A row is exactly one line of the screen: cut or wrapped to the width beforehand, so that nobody
has to guess what the terminal will make of it.
"""

import re
import textwrap
from collections.abc import Iterable
from typing import TypeAlias

from prompt_toolkit.utils import get_cwidth

Fragment: TypeAlias = tuple[str, str]
"""A tone of `SGR` and the text drawn in it."""
Row: TypeAlias = tuple[Fragment, ...]

SGR_BY_TONE = {
    "plain": "",
    "dim": "2",
    "strong": "1",
    "person": "36",
    "good": "32",
    "bad": "31",
    "warn": "33",
    "hunk": "36",
    "title": "1;33",
}
"""Tone to the parameters of the terminal's own colour command."""

STYLE_BY_TONE = {
    "dim": "ansibrightblack",
    "strong": "bold",
    "person": "ansicyan",
    "good": "ansigreen",
    "bad": "ansired",
    "warn": "ansiyellow",
    "hunk": "ansicyan",
    "title": "bold ansiyellow",
}
"""The same tones for prompt_toolkit."""

AGENT_CHAIN_SEPARATOR = " \u203a "
"""Between an agent and one that it started."""
_TAB_STOP = 4
_COLUMNS = re.compile(r" *(?:\S+(?: \S+)* {2,})?")
"""An indent, and a first column where there is one: what goes on stands below its second."""


def render_ansi(rows: Iterable[Row], *, color: bool) -> str:
    """Write rows for the scrollback, each with its line end."""
    return "".join("".join(_inked(part, colour=color) for part in row) + "\r\n" for row in rows)


def live(rows: Iterable[Row]) -> list[Fragment]:
    """Write rows for a window of the application."""
    parts: list[Fragment] = []
    for row in rows:
        if parts:
            parts.append(("", "\n"))
        parts.extend((f"class:{tone}", text) for tone, text in row)
    return parts


def wrap(text: str, width: int) -> list[str]:
    """Break visible text into lines of at most `width` columns; only tabs change, to blanks."""
    rows: list[str] = []
    for line in text.split("\n"):
        rows.extend(_pieces(line.expandtabs(_TAB_STOP), max(width, 2)))
    return rows


def wrap_words(text: str, width: int) -> list[str]:
    """Like `wrapped`, for text of ours: breaks between words where it can."""
    lines = (line for told in text.split("\n") for line in _flowed(told, width))
    return [piece for line in lines for piece in wrap(line, width)]


def truncate(text: str, width: int) -> str:
    """Shorten one line to `width` columns, ending in an ellipsis if something is missing."""
    if measure_width(text) <= width:
        return text
    pieces = _pieces(text, max(width - 1, 1))
    return pieces[0] + "…" if width > 1 else "…"


def measure_width(text: str) -> int:
    """Count the columns that a line takes."""
    return get_cwidth(text)


def _flowed(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    found = _COLUMNS.match(line)
    column = found.end() if found else 0
    indent = " " * (column if column <= width // 2 else 0)
    pieces = textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)
    return pieces or [""]  # of blanks alone nothing is left


def _pieces(line: str, width: int) -> list[str]:
    if line.isascii():
        return [line[at : at + width] for at in range(0, len(line), width)] or [""]
    pieces: list[str] = []
    begun = used = 0
    for at, char in enumerate(line):
        columns = get_cwidth(char)
        if used + columns > width:
            pieces.append(line[begun:at])
            begun, used = at, 0
        used += columns
    return [*pieces, line[begun:]]


def _inked(part: Fragment, *, colour: bool) -> str:
    tone, text = part
    sgr = SGR_BY_TONE[tone]
    return f"\x1b[{sgr}m{text}\x1b[0m" if colour and sgr and text else text
