"""Makes unified diffs to show to the user, quickly even for long files."""

import difflib
import re
from collections.abc import Iterator
from itertools import takewhile

CONTEXT_LINES = 3
MAX_SHOWN_LINES = 60
"""New lines that `format_new_lines` returns."""
MAX_SHOWN_LINE_CHARS = 300
_MAX_COMPARISONS = 4_000_000
"""Old lines times new lines; beyond it, the changed range is shown as replaced as a whole."""
_HUNK_HEADER = re.compile(r"^@@ -(\d+)(\S*) \+(\d+)(\S*) @@")


def make_unified_diff(old_content: bytes | None, new_text: str, name: str) -> str:
    """Return the diff of a file; `old_content` is None for a file that does not exist yet.

    For a file that is not UTF-8 text, a note says that it is binary and how large it is.
    """
    try:
        old = "" if old_content is None else old_content.decode()
    except UnicodeDecodeError as error:
        size_bytes = len(error.object)
        note = f"the old content is binary ({size_bytes:,} bytes) and is replaced as a whole\n"
        return note + make_unified_diff(b"", new_text, name)
    header = f"--- {'/dev/null' if old_content is None else name}\n+++ {name}\n"
    hunks = _iter_hunk_lines(_split_lines(old), _split_lines(new_text))
    return header + "".join(_mark_missing_newline(line) for line in hunks)


def summarize_diff(diff: str) -> str:
    """Return a summary such as `+3 -1 lines`."""
    lines = diff.split("\n")
    # Less the two lines of the header.
    added = sum(line.startswith("+") for line in lines) - 1
    removed = sum(line.startswith("-") for line in lines) - 1
    return f"+{added} -{removed} lines"


def format_new_lines(diff: str) -> str:
    """Return the new lines of a diff and those around them, numbered as `read` numbers them."""
    rows: list[str] = []
    number = omitted = 0
    for line in diff.split("\n")[2:]:
        hunk = _HUNK_HEADER.match(line)
        if hunk:
            if rows and not omitted:
                rows.append("…")
            number = int(hunk[3])
        elif line.startswith((" ", "+")):
            if len(rows) < MAX_SHOWN_LINES:
                rows.append(f"{number:>6}\t{_truncate_line(line[1:])}")
            else:
                omitted += 1
            number += 1
    if omitted:
        rows.append(f"[{omitted:,} more lines are not shown; to see them, use read]")
    return "\n".join(rows)


def _truncate_line(line: str) -> str:
    line = line.removesuffix("\r")
    return line if len(line) <= MAX_SHOWN_LINE_CHARS else f"{line[:MAX_SHOWN_LINE_CHARS]}…"


def _iter_hunk_lines(old: list[str], new: list[str]) -> Iterator[str]:
    # difflib is quadratic at worst, so it gets only the range between the first and the last
    # difference, and nothing if that range is still too long.
    head = _count_common(old, new)
    tail = _count_common(old[head:][::-1], new[head:][::-1])
    start = max(0, head - CONTEXT_LINES)
    old_range = old[start : len(old) - max(0, tail - CONTEXT_LINES)]
    new_range = new[start : len(new) - max(0, tail - CONTEXT_LINES)]
    if len(old_range) * len(new_range) > _MAX_COMPARISONS:
        yield from _iter_replacement(
            old_range, new_range, start, head - start, min(tail, CONTEXT_LINES)
        )
        return
    for number, line in enumerate(difflib.unified_diff(old_range, new_range, n=CONTEXT_LINES)):
        if number > 1:  # after difflib's own header
            yield _shift_header(line, start) if line.startswith("@@") else line


def _iter_replacement(
    old: list[str], new: list[str], start: int, head: int, tail: int
) -> Iterator[str]:
    yield f"@@ -{start + 1},{len(old)} +{start + 1},{len(new)} @@\n"
    yield from (f" {line}" for line in old[:head])
    yield from (f"-{line}" for line in old[head : len(old) - tail])
    yield from (f"+{line}" for line in new[head : len(new) - tail])
    yield from (f" {line}" for line in old[len(old) - tail :])


def _count_common(first: list[str], second: list[str]) -> int:
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _shift_header(header: str, offset_lines: int) -> str:
    return _HUNK_HEADER.sub(
        lambda match: (
            f"@@ -{int(match[1]) + offset_lines}{match[2]} "
            f"+{int(match[3]) + offset_lines}{match[4]} @@"
        ),
        header,
    )


def _split_lines(text: str) -> list[str]:
    # Not str.splitlines: a form feed or U+2028 does not end a line of a file.
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _mark_missing_newline(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
