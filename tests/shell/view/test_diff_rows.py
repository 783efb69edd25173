"""A diff in the approval prompt: numbered lines, marked words, nothing left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.tools.unified_diff import make_unified_diff
from shell.view.diff_rows import render_diff_rows
from shell.view.styled_text import measure_width
from tests.shell.view.row_text import get_text, get_texts

pytestmark = pytest.mark.quick

LINES = st.lists(st.sampled_from(["a b", "a c", "-- x", "++ y", "@@ -1 +1 @@", ""]), max_size=12)


def render(old: str, new: str, width: int = 60) -> list[str]:
    diff = make_unified_diff(old.encode(), new, "a.py")
    return get_texts(render_diff_rows(diff.removesuffix("\n"), width))


def test_lines_have_the_numbers_of_the_file() -> None:
    old = "".join(f"line {number}\n" for number in range(1, 40))
    new = old.replace("line 9\n", "line nine\n").replace("line 30\n", "")
    rows = render(old, new)
    assert rows[3:5] == ["│    9 -line 9", "│    9 +line nine"]
    assert rows.count("│    … ") == 1
    assert "│   30 -line 30" in rows
    assert rows[-1] == "│   32  line 33"


def test_only_the_changed_words_of_a_line_are_marked() -> None:
    diff = make_unified_diff(b"if pieces > 10:\n", "if pieces >= 11:\n", "a.py")
    rows = render_diff_rows(diff.removesuffix("\n"), 60)
    assert [text for row in rows for tone, text in row if tone == "bad-marked"] == ["10"]
    assert [text for row in rows for tone, text in row if tone == "good-marked"] == ["=", "11"]


def test_a_long_line_continues_below_its_number() -> None:
    assert render("", "x" * 30 + "\n", 20) == [
        "│    1 +" + "x" * 12,
        "┆      " + "x" * 13,
        "┆      xxxxx",
    ]


@given(LINES, LINES, st.integers(min_value=4, max_value=80))
def test_every_line_of_a_diff_is_shown(old: list[str], new: list[str], width: int) -> None:
    texts = ("\n".join(old), "\n".join(new))
    diff = make_unified_diff(texts[0].encode(), texts[1], "a.py").removesuffix("\n")
    rows = render_diff_rows(diff, width)
    assert all(measure_width(get_text(row)) <= max(width, 4) for row in rows)
    shown = "".join(text for row in rows for tone, text in row[1:] if tone != "dim")
    assert shown == "".join(line for line in diff.split("\n")[2:] if line[:2] != "@@")
