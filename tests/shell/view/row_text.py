"""Reads the text of screen rows for tests."""

from collections.abc import Iterable

from shell.view.styled_text import Row


def get_text(row: Row) -> str:
    """Return the text of a row, without its styles."""
    return "".join(text for _, text in row)


def get_texts(rows: Iterable[Row]) -> list[str]:
    """Return the text of each row."""
    return [get_text(row) for row in rows]
