"""Finds where the body of a here-document begins and ends."""

import re
from dataclasses import dataclass

from actors.bash.syntax.word_reader import raise_ambiguous

_DELIMITER = re.compile(
    rb"(?P<plain>\w+)|'(?P<raw>[\w.-]+)'|\"(?P<double>[\w.-]+)\"|\\(?P<escaped>\w+)"
)
_DELIMITER_FOLLOWERS = {b"", *(bytes((char,)) for char in b" \t\n;&|)<>")}


@dataclass(frozen=True, slots=True)
class Heredoc:
    """The byte offsets of one here-document."""

    body_start: int
    body_end: int
    end: int
    """After the closing delimiter."""
    is_expanded: bool
    """The delimiter is not quoted, so `$` and backticks are expanded."""


def read_heredoc(source: bytes, delimiter_offset: int, strips_tabs: bool) -> Heredoc:  # noqa: FBT001 - `<<-`
    """Find the body of the here-document whose delimiter is at `delimiter_offset`.

    Raises:
        AmbiguousSyntaxError: bash may end it elsewhere.
    """
    match = _DELIMITER.match(source, delimiter_offset)
    if not match or source[match.end() : match.end() + 1] not in _DELIMITER_FOLLOWERS:
        raise_ambiguous("a here-document has an unusual delimiter")
    delimiter = next(group for group in match.groups() if group is not None)
    start = source.find(b"\n", match.end()) + 1
    if not start:
        raise_ambiguous("a here-document has no body")
    closing = _compile_closing_line(delimiter, strips_tabs).search(source, start)
    if not closing:
        raise_ambiguous("a here-document is not closed")
    is_expanded = match["plain"] is not None
    if is_expanded and b"\\\n" in source[start : closing.start()]:
        raise_ambiguous("a here-document contains a line continuation")
    return Heredoc(start, closing.start(), closing.end(), is_expanded)


def _compile_closing_line(delimiter: bytes, strips_tabs: bool) -> re.Pattern[bytes]:  # noqa: FBT001 - `<<-`
    tabs = rb"\t*" if strips_tabs else b""
    return re.compile(rb"^" + tabs + re.escape(delimiter) + rb"$", re.MULTILINE)
