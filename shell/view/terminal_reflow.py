"""What terminals do to rows that no longer fit into a narrower window. Pure."""

import os
from collections.abc import Mapping, Sequence

from shell.view.styled_text import measure_width

_CUTTING = ("linux", "st", "vt")
"""Values that `TERM` begins with where rows are cut off, not wrapped."""


def is_reflowing_terminal(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the terminal wraps what no longer fits; xterm and GNU screen cut it off."""
    if environment.get("TMUX"):
        return True
    cuts = environment.get("XTERM_VERSION") or environment.get("STY")
    return not cuts and not environment.get("TERM", "").startswith(_CUTTING)


def count_added_rows(above: Sequence[str], cursor_x: int, columns: int) -> int:
    """Count the rows that wrapping adds to those `above` the cursor, and to its own before it."""
    wrapped = sum(max(measure_width(row.rstrip()) - 1, 0) // columns for row in above)
    return wrapped + cursor_x // columns
