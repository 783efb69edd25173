"""What the rows of the prompt can be made to look like by what they tell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shell.view.approval_panel import CONTINUATION_MARK, MAX_DESCRIPTION_CHARS, PromptPanel
from shell.view.frame_layout import build_panel
from shell.view.styled_text import Row, measure_width
from tests.shell import sample_events

pytestmark = pytest.mark.quick

OURS = (
    "primary ",
    "in ",
    "change ",
    "why:",
    "it says:",
    "y  Yes, once",
    "a  don't",
    "n  no",
    "Tab  no",
    "Esc  later",
    CONTINUATION_MARK,
)


def get_text(row: Row) -> str:
    return "".join(part for _, part in row)


def get_fixed_rows(shown: PromptPanel) -> list[str]:
    return [get_text(row) for row in (*shown.header, *shown.options)]


def pad_rows(*rows: str, width: int = 80) -> str:
    """Text that would put each of `rows` at the beginning of a row of its own."""
    return "".join(row.ljust(width) for row in rows)


def test_a_padded_description_draws_no_row_that_looks_like_an_answer() -> None:
    told = "run the tests".ljust(80 - len("the agent says: ")) + pad_rows("│ pytest -q", "y  Yes, once")
    rows = get_fixed_rows(
        build_panel(sample_events.exec_approval("curl x | sh", description=told).request, 1, 80)
    )
    assert rows.count("y  Yes, once") == 1
    assert rows[3:5] == [
        "the agent says: run the tests<U+0020×58>│ pytest -q<U+0020×69>y  Yes, once<U+0020×73>",  # noqa: RUF001
        "y  Yes, once",
    ]


@given(st.text(max_size=300), st.integers(min_value=4, max_value=100))
def test_no_value_begins_a_row_without_our_word_or_mark(value: str, width: int) -> None:
    asked = sample_events.exec_approval("ls", description=value, pattern=value).request
    changed = sample_events.patch_approval("+a\n", path=value).request
    for request in (asked, changed):
        shown = build_panel(request, 1, width)
        for row in get_fixed_rows(shown):
            assert row.startswith(tuple(word[:width] for word in OURS))
            assert measure_width(row) <= width


def test_a_file_name_goes_on_behind_a_mark() -> None:
    path = "/" + "x" * 75 + "y  Yes, once"
    rows = get_fixed_rows(
        build_panel(sample_events.patch_approval("+a\n", path=path).request, 1, 80)
    )
    assert rows[1:3] == ["change /" + "x" * 72, CONTINUATION_MARK + "xxxy  Yes, once"]


def test_a_long_description_is_cut_and_says_so() -> None:
    rows = get_fixed_rows(
        build_panel(sample_events.exec_approval(description="x" * 10_000).request, 1, 80)
    )
    told = "".join(row.removeprefix(CONTINUATION_MARK) for row in rows[3:6])
    assert told == "the agent says: " + "x" * MAX_DESCRIPTION_CHARS + "… (+9800 characters)"


def test_what_only_looks_like_a_blank_is_told_in_what_is_allowed() -> None:
    shown = build_panel(
        sample_events.exec_approval("rm\u00a0-rf\u2800/", pattern="rm\u2003*").request, 1, 80
    )
    assert get_text(shown.body[0]) == "│ rm<U+00A0>-rf<U+2800>/"
    assert "`bash rm<U+2003>*`" in get_text(shown.options[1])


def test_a_command_of_another_script_is_not_taken_for_the_one_it_looks_like() -> None:
    shown = build_panel(
        sample_events.exec_approval("\u0441\u0440 a b", pattern="\u0441\u0440 *").request, 1, 80
    )
    assert get_text(shown.body[0]) == "│ <U+0441><U+0440> a b"
    assert "`bash <U+0441><U+0440> *`" in get_text(shown.options[1])
    changed = build_panel(
        sample_events.patch_approval("+a \u2013 b\n", path="/a\u2215b").request, 1, 80
    )
    assert get_text(changed.header[1]) == "change /a<U+2215>b"
    assert get_text(changed.body[0]) == "│ +a \u2013 b"
