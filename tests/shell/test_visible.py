import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shell.visible import visible, visible_line
from tests.shell import reports

pytestmark = pytest.mark.quick


def test_what_a_terminal_would_obey_or_hide_is_shown_as_a_mark() -> None:
    assert visible(reports.HOSTILE) == reports.HOSTILE_VISIBLE


def test_tab_and_newline_stay_and_a_carriage_return_does_not() -> None:
    assert visible("a\tb\r\nc") == "a\tb^M\nc"
    assert visible_line("a\tb\nc") == "a b^Jc"


def test_every_control_format_and_separator_character_is_marked() -> None:
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    chars = [chr(code) for code in range(sys.maxunicode + 1)]
    wanted = [c for c in chars if unicodedata.category(c) in hidden and c not in "\t\n"]
    assert [c for c in wanted if visible(c) == c] == []


def test_text_that_people_read_stays_as_it_is() -> None:
    told = "Grüße, 日本語, Ελλάδα, naïve 👍️ – “quotes” €"  # noqa: RUF001  (what people write)
    assert visible(told) == told


@given(st.text())
def test_nothing_is_dropped_and_showing_twice_changes_nothing(text: str) -> None:
    once = visible(text)
    assert visible(once) == once
    assert len(once) >= len(text)
