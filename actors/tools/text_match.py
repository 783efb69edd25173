"""Finding the one text that an edit means, and putting another in its place."""

import re
from itertools import islice

from actors.tools.tool import ToolError

_SHOWN_LINES = 10
_NUMBERED = re.compile(r"\s*\d+\t")


def replace_text(text: str, old: str, new: str, *, replace_all: bool) -> str:
    r"""Put `new` in the place of `old`; in a file that ends its lines by CRLF, `\n` means that.

    Raises:
        ToolError: `old` is missing, or stands at several places and not all are meant.
    """
    if uses_crlf(text) or (old not in text and "\r\n" in text):
        old, new = with_crlf(old), with_crlf(new)
    first = text.find(old)
    if first < 0:
        raise ToolError(_missing(text, old))
    if not replace_all and text.find(old, first + 1) >= 0:
        raise ToolError(_ambiguous(text, old))
    return text.replace(old, new) if replace_all else text[:first] + new + text[first + len(old) :]


def uses_crlf(text: str) -> bool:
    """Whether every line of `text` that ends, ends by CRLF."""
    return "\r\n" in text and text.count("\r\n") == text.count("\n")


def with_crlf(text: str) -> str:
    """End every line of `text` by CRLF."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _missing(text: str, old: str) -> str:
    if all(_NUMBERED.match(line) for line in old.splitlines()):
        return "old_string is missing: it begins with line numbers, which are not in the file"
    line = _loose_match(text, old)
    if line:
        return (
            f"old_string is missing, but the text at line {line} differs from it in whitespace "
            "only; copy it exactly"
        )
    return "old_string is missing: the file does not contain it; it must match exactly"


def _loose_match(text: str, old: str) -> int:
    """Find the line where `old` would begin if all whitespace were the same, else 0."""
    words = old.split()
    if not words:
        return 0
    match = re.search(r"\s+".join(map(re.escape, words)), text)
    return _line_at(text, match.start()) if match else 0


def _ambiguous(text: str, old: str) -> str:
    starts = [match.start() for match in islice(_overlapping(old).finditer(text), _SHOWN_LINES)]
    times = max(text.count(old), len(starts))
    lines = ", ".join(str(_line_at(text, start)) for start in starts)
    more = ", …" if times > len(starts) else ""
    return (
        f"old_string is ambiguous: it occurs {times} times, on lines {lines}{more}; "
        "add surrounding lines until it occurs once, or set replace_all"
    )


def _overlapping(old: str) -> re.Pattern[str]:
    return re.compile(f"(?={re.escape(old)})")


def _line_at(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
