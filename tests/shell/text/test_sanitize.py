"""Text from outside cannot control the terminal or hide what it is."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shell.text.sanitize import (
    MAX_COMBINING_MARKS,
    sanitize,
    sanitize_line,
    sanitize_line_strict,
    sanitize_prose,
    sanitize_strict,
)
from tests.shell import sample_events

pytestmark = pytest.mark.quick


def test_what_a_terminal_would_interpret_or_hide_is_marked() -> None:
    assert sanitize(sample_events.HOSTILE_TEXT) == sample_events.SANITIZED_TEXT


def test_tab_and_newline_stay_but_carriage_return_is_marked() -> None:
    assert sanitize("a\tb\r\nc") == "a\tb^M\nc"
    assert sanitize_line("a\tb\nc") == "a b^Jc"


def test_every_control_format_and_separator_character_is_marked() -> None:
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    chars = [chr(code) for code in range(sys.maxunicode + 1)]
    expected = [c for c in chars if unicodedata.category(c) in hidden and c not in "\t\n"]
    assert [c for c in expected if sanitize(c) == c] == []


def test_every_default_ignorable_code_point_is_marked() -> None:
    ignorable = (0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0)
    ranges = (
        (0x180B, 0x180F),
        (0x200B, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x206F),
        (0xFE00, 0xFE0F),
        (0xFFF0, 0xFFF8),
        (0x1BCA0, 0x1BCA3),
        (0x1D173, 0x1D17A),
        (0xE0000, 0xE0FFF),
    )
    codes = [*ignorable, *(code for first, last in ranges for code in range(first, last + 1))]
    assert [hex(code) for code in codes if sanitize(chr(code)) == chr(code)] == []


def test_an_unassigned_code_point_is_marked() -> None:
    assert sanitize("a\u0378\ufffe") == "a<U+0378><U+FFFE>"


def test_an_emoji_selector_stays_only_after_its_character() -> None:
    assert sanitize("❤\ufe0f") == "❤\ufe0f"
    assert sanitize("a\ufe0f❤\ufe0f\ufe0e\u200b\ufe0f") == (
        "a<U+FE0F>❤\ufe0f<U+FE0E><U+200B><U+FE0F>"
    )


def test_combining_marks_are_marked_from_the_fifth_on() -> None:
    four = "a" + "\u0301" * MAX_COMBINING_MARKS
    assert sanitize(four + "\u0301\u20ddb\u0301") == four + "<U+0301><U+20DD>b\u0301"


def test_hangul_letters_stay_but_stacked_vowels_are_marked() -> None:
    assert sanitize("\u1112\u1161\u11ab") == "\u1112\u1161\u11ab"
    assert sanitize("\u1112" + "\u1161" * 5) == "\u1112" + "\u1161" * 4 + "<U+1161>"


def test_strict_text_marks_every_space_except_the_plain_one() -> None:
    blanks = [chr(c) for c in range(0x80, 0x3001) if unicodedata.category(chr(c)) == "Zs"]
    for blank in (*blanks, "\u2800", "\U0001d159"):
        assert sanitize(blank) == blank
        assert sanitize_strict(f"a{blank}b") == f"a<U+{ord(blank):04X}>b"
    assert sanitize_strict("❤\ufe0f a\tb\n") == "❤<U+FE0F> a\tb\n"
    assert sanitize_strict(sample_events.HOSTILE_TEXT) == sample_events.SANITIZED_TEXT


def test_a_run_of_spaces_on_one_line_is_counted() -> None:
    assert sanitize_line("a  b" + " " * 80 + "y  once") == "a  b<U+0020×80>y  once"  # noqa: RUF001
    assert sanitize_line_strict("a\t\n   b") == "a^I^J<U+0020×3>b"  # noqa: RUF001  (multiplication sign)


@pytest.mark.parametrize(
    ("command", "marked"),
    [
        ("c\u0430t a.txt", "c<U+0430>t a.txt"),
        ("\u0441\u0440 a b", "<U+0441><U+0440> a b"),
        ("\uff52\uff4d x", "<U+FF52><U+FF4D> x"),
        ("\U0001d42bm x", "<U+1D42B>m x"),
        ("rm \u2013rf x", "rm <U+2013>rf x"),
        ("cat \u2215etc\u2044passwd", "cat <U+2215>etc<U+2044>passwd"),
        ("a\u037e rm \u2024\u2024/x", "a<U+037E> rm <U+2024><U+2024>/x"),
        ("\u13a1M", "<U+13A1>M"),
        ("lib_1\u0430.so", "lib_1<U+0430>.so"),
        ("g\u0131t \ufb01le", "g<U+0131>t <U+FB01>le"),
    ],
)
def test_characters_that_look_like_ascii_are_marked_in_code(command: str, marked: str) -> None:
    assert sanitize_strict(command, is_code=True) == marked
    assert sanitize(command) == command


def test_words_in_other_scripts_stay_as_they_are() -> None:
    command = "git commit -m 'Grüße: привет мир, Ελλάδα, 日本語text, naïve, x² …'"
    assert sanitize_strict(command, is_code=True) == command
    prose = "Что делать с файлом “a.txt” – да?"  # noqa: RUF001  (ordinary prose)
    assert sanitize_strict(prose) == prose
    assert sanitize_strict("p\u0430ypal") == "p<U+0430>ypal"


def test_ordinary_text_in_any_language_stays() -> None:
    text = "Grüße, 日本語, Ελλάδα, naïve 👍️ – “quotes” €"  # noqa: RUF001  (ordinary prose)
    assert sanitize(text) == text


@given(st.text() | st.text(alphabet="a é❤\u0301\ufe0e\ufe0f\u200b\u034f\n", max_size=30))
def test_nothing_is_dropped_and_sanitizing_is_idempotent(text: str) -> None:
    once = sanitize(text)
    assert sanitize(once) == once
    assert len(once) >= len(text)
    assert sanitize_strict(sanitize_strict(text)) == sanitize_strict(text)
    assert sanitize(sanitize_strict(text)) == sanitize_strict(text)
    strict = sanitize_strict(text, is_code=True)
    assert sanitize_strict(strict, is_code=True) == strict


def test_joined_emoji_stay_only_in_prose() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    flag = "\u2764\ufe0f\u200d\U0001f525"
    assert sanitize_prose(f"a {family} {flag}\x1b") == f"a {family} {flag}^["
    assert sanitize_prose("a\u200db \U0001f468\u200d") == "a<U+200D>b \U0001f468<U+200D>"
    assert "<U+200D>" in sanitize(family)
    assert "<U+200D>" in sanitize_strict(family)
