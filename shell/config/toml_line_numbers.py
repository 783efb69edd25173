"""Where in a TOML file a key stands; `tomllib` does not tell. Used only for errors.

A valid document is a run of statements, and each statement parses by itself: so the lines of one
are the fewest that do.
"""

import tomllib
from bisect import bisect_left
from collections.abc import Generator
from typing import TypeAlias, cast

KeyPath: TypeAlias = tuple[str | int, ...]
"""A way into the document: names of keys, and indices of lists."""
MAX_STATEMENT_LINES = 1_000
"""Of one statement; a longer one is taken for its first line."""
MAX_PARSED_CHARS = 2_000_000
"""In all; what stands behind is told as of line 1, since a project's file must not hold us up."""


def find_key_lines(text: str) -> dict[KeyPath, int]:
    """Tell for each key of a valid document the line, from 1, on which its statement begins."""
    found: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for number, statement, value in _statements(text.split("\n")):
        if statement.startswith("["):
            table = _opened(_only_path(value), found, again=statement.startswith("[["))
            found.setdefault(table, number)
        else:
            for path in _paths(value):
                found.setdefault((*table, *path), number)
    return found


def find_line(key: KeyPath, lines: dict[KeyPath, int]) -> int:
    """Find the line of a key, or of what holds it; 1 when nothing does."""
    while key and key not in lines:
        key = key[:-1]
    return lines.get(key, 1)


def find_failing_line(text: str) -> int:
    """Find the line at which parsing fails for another reason than wrong TOML.

    The parser goes from line to line: what holds the beginning of the fault fails in the same way.
    """
    lines = text.split("\n")
    counts = range(1, len(lines) + 1)
    at = bisect_left(counts, 1, key=lambda count: _breaks("\n".join(lines[:count])))
    return min(at + 1, len(lines))


def _breaks(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    except (RecursionError, ValueError):
        return True
    return False


def _statements(lines: list[str]) -> Generator[tuple[int, str, dict[str, object]]]:
    at, left = 0, MAX_PARSED_CHARS
    while at < len(lines) and left > 0:
        end, value, parsed = _statement(lines, at, left)
        left -= parsed
        if value:
            yield at + 1, lines[at].strip(), value
        at = end


def _statement(lines: list[str], at: int, most_chars: int) -> tuple[int, dict[str, object], int]:
    """Find where a statement ends, what it says, and how much was parsed for that."""
    parsed = 0
    for end in range(at + 1, min(len(lines), at + MAX_STATEMENT_LINES) + 1):
        text = "\n".join(lines[at:end])
        parsed += len(text) + 1
        try:
            return end, tomllib.loads(text), parsed
        except (tomllib.TOMLDecodeError, RecursionError):
            if parsed > most_chars:
                break
    return at + 1, {}, parsed


def _opened(header: KeyPath, found: dict[KeyPath, int], *, again: bool) -> KeyPath:
    """Name a table's header in the whole document; below a list it means the last element."""
    path: KeyPath = ()
    for name in header[:-1]:
        path = _last((*path, name), found)
    path = (*path, header[-1])
    return (*path, _count(path, found)) if again else path


def _last(path: KeyPath, found: dict[KeyPath, int]) -> KeyPath:
    count = _count(path, found)
    return (*path, count - 1) if count else path


def _count(path: KeyPath, found: dict[KeyPath, int]) -> int:
    count = 0
    while (*path, count) in found:
        count += 1
    return count


def _only_path(value: object) -> KeyPath:
    path: KeyPath = ()
    while isinstance(value, dict | list) and value:
        if isinstance(value, dict):
            name, value = next(iter(cast("dict[str, object]", value).items()))
            path = (*path, name)
        else:
            value = cast("list[object]", value)[0]
    return path


def _paths(value: object) -> Generator[KeyPath]:
    """Name everything that a value holds."""
    if isinstance(value, dict):
        parts = list(cast("dict[str | int, object]", value).items())
    else:
        parts = list(enumerate(cast("list[object]", value))) if isinstance(value, list) else []
    for name, part in parts:
        yield (name,)
        yield from ((name, *path) for path in _paths(part))
