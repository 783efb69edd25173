"""Finds where a here-document begins and ends."""

import re
from dataclasses import dataclass

from actors.bash.syntax.word_reader import raise_ambiguous

_DELIMITER = re.compile(
    rb"(?P<plain>\w+)|'(?P<raw>[\w.-]+)'|\"(?P<double>[\w.-]+)\"|\\(?P<escaped>\w+)"
)
_AFTER_OR_END = {b"", *(bytes((char,)) for char in b" \t\n;&|)<>")}


@dataclass(frozen=True, slots=True)
class Heredoc:
    """The bytes of one here-document."""

    body_start: int
    """Where its body begins."""
    body_end: int
    end: int
    """Behind the closing delimiter."""
    is_expanded: bool
    """Its delimiter is not quoted, so `$` and backticks work in it."""


def read_heredoc(source: bytes, delimiter_offset: int, strips_tabs: bool) -> Heredoc:  # noqa: FBT001 - `<<-`
    """Find the body of the here-document whose delimiter stands here.

    Raises:
        UncertainError: bash may end it elsewhere.
    """
    match = _DELIMITER.match(source, delimiter_offset)
    if not match or source[match.end() : match.end() + 1] not in _AFTER_OR_END:
        raise_ambiguous("the delimiter of a here-document is unusual")
    delimiter = next(group for group in match.groups() if group is not None)
    start = source.find(b"\n", match.end()) + 1
    if not start:
        raise_ambiguous("a here-document has no body")
    closing = _closing(delimiter, strips_tabs).search(source, start)
    if not closing:
        raise_ambiguous("a here-document is not closed")
    expands = match["plain"] is not None
    if expands and b"\\\n" in source[start : closing.start()]:
        raise_ambiguous("a line of a here-document is continued")
    return Heredoc(start, closing.start(), closing.end(), expands)


def _closing(delimiter: bytes, strips_tabs: bool) -> re.Pattern[bytes]:  # noqa: FBT001 - `<<-`
    tabs = rb"\t*" if strips_tabs else b""
    return re.compile(rb"^" + tabs + re.escape(delimiter) + rb"$", re.MULTILINE)
