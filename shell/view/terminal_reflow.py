"""How terminals treat rows that no longer fit into a narrower window. Pure."""

import os
from collections.abc import Mapping, Sequence

from shell.view.styled_text import measure_width

_TRUNCATING_TERMS = ("linux", "st", "vt")
"""Prefixes of `TERM` for terminals that truncate rows instead of wrapping them."""


def is_reflowing_terminal(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the terminal wraps rows when it narrows; xterm and screen truncate them."""
    if environment.get("TMUX"):
        return True
    truncates = environment.get("XTERM_VERSION") or environment.get("STY")
    return not truncates and not environment.get("TERM", "").startswith(_TRUNCATING_TERMS)


def count_added_rows(above: Sequence[str], cursor_x: int, columns: int) -> int:
    """Count the rows that wrapping adds above the cursor, and in its row before the cursor."""
    wrapped = sum(max(measure_width(row.rstrip()) - 1, 0) // columns for row in above)
    return wrapped + cursor_x // columns
