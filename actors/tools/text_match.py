"""Finds the text that an edit replaces, and replaces it."""

import re
from itertools import islice

from actors.tools.tool import ToolError

_MAX_SHOWN_LINES = 10
_LINE_NUMBER = re.compile(r"\s*\d+\t")


def replace_text(text: str, old: str, new: str, *, replace_all: bool) -> str:
    r"""Replace `old` with `new`; in a file with CRLF line endings, `\n` matches CRLF.

    Raises:
        ToolError: `old` is not found, or not unique and `replace_all` is not set.
    """
    if uses_crlf(text) or (old not in text and "\r\n" in text):
        old, new = with_crlf(old), with_crlf(new)
    first = text.find(old)
    if first < 0:
        raise ToolError(_format_not_found(text, old))
    if not replace_all and text.find(old, first + 1) >= 0:
        raise ToolError(_format_not_unique(text, old))
    return text.replace(old, new) if replace_all else text[:first] + new + text[first + len(old) :]


def uses_crlf(text: str) -> bool:
    """Return whether `text` has line endings and all of them are CRLF."""
    return "\r\n" in text and text.count("\r\n") == text.count("\n")


def with_crlf(text: str) -> str:
    """Return `text` with CRLF line endings."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _format_not_found(text: str, old: str) -> str:
    if all(_LINE_NUMBER.match(line) for line in old.splitlines()):
        return "old_string was not found: it starts with line numbers, which are not in the file"
    line = _find_ignoring_whitespace(text, old)
    if line:
        return (
            f"old_string was not found, but the text at line {line} differs only in whitespace; "
            "copy it exactly"
        )
    return "old_string was not found in the file; it must match exactly. Read the file again"


def _find_ignoring_whitespace(text: str, old: str) -> int:
    """Return the line where `old` would match if all whitespace were equal; 0 if nowhere."""
    words = old.split()
    if not words:
        return 0
    match = re.search(r"\s+".join(map(re.escape, words)), text)
    return _get_line_number(text, match.start()) if match else 0


def _format_not_unique(text: str, old: str) -> str:
    overlapping = re.compile(f"(?={re.escape(old)})").finditer(text)
    starts = [match.start() for match in islice(overlapping, _MAX_SHOWN_LINES)]
    count = max(text.count(old), len(starts))
    lines = ", ".join(str(_get_line_number(text, start)) for start in starts)
    more = ", …" if count > len(starts) else ""
    return (
        f"old_string is not unique: it occurs {count} times, on lines {lines}{more}; "
        "add surrounding lines to make it unique, or set replace_all"
    )


def _get_line_number(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
