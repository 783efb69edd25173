"""Finds the line of each key in a TOML file, which `tomllib` does not report. Used for errors only.

A valid document is a sequence of statements, and each statement parses on its own. So a statement
is the smallest number of lines that parses.
"""

import tomllib
from bisect import bisect_left
from collections.abc import Generator
from typing import TypeAlias, cast

KeyPath: TypeAlias = tuple[str | int, ...]
"""Path into the document: names of keys and indices of lists."""
MAX_STATEMENT_LINES = 1_000
"""Longest statement that is looked for; of a longer one, only the first line is skipped."""
MAX_PARSED_CHARS = 2_000_000
"""Total parsing effort; keys after it get line 1, since a project's file must not block us."""


def find_key_lines(text: str) -> dict[KeyPath, int]:
    """Return, for each key of a valid document, the line on which its statement starts, from 1."""
    key_lines: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for number, statement, value in _split_statements(text.split("\n")):
        if statement.startswith("["):
            is_list = statement.startswith("[[")
            table = _resolve_header(_get_first_path(value), key_lines, is_list=is_list)
            key_lines.setdefault(table, number)
        else:
            for path in _list_paths(value):
                key_lines.setdefault((*table, *path), number)
    return key_lines


def find_line(key: KeyPath, key_lines: dict[KeyPath, int]) -> int:
    """Return the line of a key, or of the closest table that contains it, or 1."""
    while key and key not in key_lines:
        key = key[:-1]
    return key_lines.get(key, 1)


def find_failing_line(text: str) -> int:
    """Return the line at which parsing fails for a reason other than a syntax error.

    The parser reads line by line, so every prefix that contains the line fails the same way.
    """
    lines = text.split("\n")
    counts = range(1, len(lines) + 1)
    index = bisect_left(counts, 1, key=lambda count: _fails_to_parse("\n".join(lines[:count])))
    return min(index + 1, len(lines))


def _fails_to_parse(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    except (RecursionError, ValueError):
        return True
    return False


def _split_statements(lines: list[str]) -> Generator[tuple[int, str, dict[str, object]]]:
    """Yield the line number, first line and value of each statement."""
    start, left_chars = 0, MAX_PARSED_CHARS
    while start < len(lines) and left_chars > 0:
        end, value, parsed_chars = _parse_statement(lines, start, left_chars)
        left_chars -= parsed_chars
        if value:
            yield start + 1, lines[start].strip(), value
        start = end


def _parse_statement(
    lines: list[str], start: int, max_chars: int
) -> tuple[int, dict[str, object], int]:
    """Return where a statement ends, its value, and how many characters were parsed."""
    parsed_chars = 0
    for end in range(start + 1, min(len(lines), start + MAX_STATEMENT_LINES) + 1):
        text = "\n".join(lines[start:end])
        parsed_chars += len(text) + 1
        try:
            return end, tomllib.loads(text), parsed_chars
        except (tomllib.TOMLDecodeError, RecursionError):
            if parsed_chars > max_chars:
                break
    return start + 1, {}, parsed_chars


def _resolve_header(header: KeyPath, key_lines: dict[KeyPath, int], *, is_list: bool) -> KeyPath:
    """Return the path of a table header; within a list it refers to the last item."""
    path: KeyPath = ()
    for name in header[:-1]:
        path = _get_last_item((*path, name), key_lines)
    path = (*path, header[-1])
    return (*path, _count_items(path, key_lines)) if is_list else path


def _get_last_item(path: KeyPath, key_lines: dict[KeyPath, int]) -> KeyPath:
    count = _count_items(path, key_lines)
    return (*path, count - 1) if count else path


def _count_items(path: KeyPath, key_lines: dict[KeyPath, int]) -> int:
    count = 0
    while (*path, count) in key_lines:
        count += 1
    return count


def _get_first_path(value: object) -> KeyPath:
    path: KeyPath = ()
    while isinstance(value, dict | list) and value:
        if isinstance(value, dict):
            name, value = next(iter(cast("dict[str, object]", value).items()))
            path = (*path, name)
        else:
            value = cast("list[object]", value)[0]
    return path


def _list_paths(value: object) -> Generator[KeyPath]:
    """Yield the paths of everything inside a value."""
    items: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        items = list(cast("dict[str | int, object]", value).items())
    elif isinstance(value, list):
        items = list(enumerate(cast("list[object]", value)))
    for name, item in items:
        yield (name,)
        yield from ((name, *path) for path in _list_paths(item))
