"""Unified diffs for people, quick also for long files."""

import difflib
import re
from collections.abc import Iterator
from itertools import takewhile

CONTEXT_LINES = 3
_MAX_COMPARED = 4_000_000
"""Lines before times lines after; beyond it the changed stretch is shown as replaced whole."""
_HUNK = re.compile(r"^@@ -(\d+)(\S*) \+(\d+)(\S*) @@")


def make_unified_diff(old_content: bytes | None, new_text: str, name: str) -> str:
    """Show how a file would change; `before` is None where there is no file yet.

    A file that is not UTF-8 text is named as binary, with its size.
    """
    try:
        old = "" if old_content is None else old_content.decode()
    except UnicodeDecodeError as error:
        note = f"the old content is binary, {len(error.object):,} bytes, and is replaced whole\n"
        return note + make_unified_diff(b"", new_text, name)
    header = f"--- {'/dev/null' if old_content is None else name}\n+++ {name}\n"
    return header + "".join(_marked(line) for line in _hunks(_lines(old), _lines(new_text)))


def summarize_diff(diff: str) -> str:
    """Sum up a diff, such as `+3 -1 lines`."""
    lines = diff.split("\n")
    added = sum(line.startswith("+") for line in lines) - 1
    removed = sum(line.startswith("-") for line in lines) - 1
    return f"+{added} -{removed} lines"


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    # Comparing is quadratic at worst, so it is given only the stretch between the first and the
    # last difference, and nothing when that is still too long.
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    start = max(0, head - CONTEXT_LINES)
    old_part = old[start : len(old) - max(0, tail - CONTEXT_LINES)]
    new_part = new[start : len(new) - max(0, tail - CONTEXT_LINES)]
    if len(old_part) * len(new_part) > _MAX_COMPARED:
        yield from _whole(old_part, new_part, start, head - start, min(tail, CONTEXT_LINES))
        return
    for number, line in enumerate(difflib.unified_diff(old_part, new_part, n=CONTEXT_LINES)):
        if number > 1:  # after difflib's own header
            yield _shifted(line, start) if line.startswith("@@") else line


def _whole(old: list[str], new: list[str], start: int, head: int, tail: int) -> Iterator[str]:
    yield f"@@ -{start + 1},{len(old)} +{start + 1},{len(new)} @@\n"
    yield from (f" {line}" for line in old[:head])
    yield from (f"-{line}" for line in old[head : len(old) - tail])
    yield from (f"+{line}" for line in new[head : len(new) - tail])
    yield from (f" {line}" for line in old[len(old) - tail :])


def _common(one: list[str], other: list[str]) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _shifted(header: str, lines: int) -> str:
    return _HUNK.sub(
        lambda match: (
            f"@@ -{int(match[1]) + lines}{match[2]} +{int(match[3]) + lines}{match[4]} @@"
        ),
        header,
    )


def _lines(text: str) -> list[str]:
    # Not str.splitlines: a form feed or U+2028 does not end a line of a file.
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _marked(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
