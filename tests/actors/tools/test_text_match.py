import pytest

from actors.tools.text_match import replace_text
from actors.tools.tool import ToolError

pytestmark = pytest.mark.quick


def expect_error(text: str, old: str) -> str:
    with pytest.raises(ToolError) as caught:
        replace_text(text, old, "new", replace_all=False)
    return str(caught.value)


def test_text_that_does_not_occur_is_not_found() -> None:
    assert expect_error("a\nb\n", "c").startswith("old_string was not found in the file")


def test_text_that_differs_in_whitespace_is_pointed_out() -> None:
    text = "def f():\n\tif x:\n\t\treturn 1\n"
    assert expect_error(text, "    if x:\n        return 1") == (
        "old_string was not found, but the text at line 2 differs only in whitespace; "
        "copy it exactly"
    )


def test_copied_line_numbers_are_pointed_out() -> None:
    assert "line numbers" in expect_error("one\ntwo\n", "     1\tone\n     2\ttwo")


def test_text_that_is_not_unique_lists_its_lines() -> None:
    assert expect_error("x\ny\nx\n", "x") == (
        "old_string is not unique: it occurs 2 times, on lines 1, 3; "
        "add surrounding lines to make it unique, or set replace_all"
    )
    assert "occurs 30 times, on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …" in expect_error(
        "x\n" * 30, "x"
    )


def test_overlapping_matches_count_as_two_occurrences() -> None:
    assert "occurs 2 times" in expect_error("aaa", "aa")


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("a\r\nb\r\n", "a\nb", "1\n2", "1\r\n2\r\n"),
        ("a\r\nb\r\n", "a", "1\n2", "1\r\n2\r\nb\r\n"),
        ("a\r\nb\r\n", "a\r\nb", "c", "c\r\n"),
        ("a\r\nb\nc\n", "b\nc", "x\ny", "a\r\nx\ny\n"),
        ("a\r\nb\r\nc\n", "a\nb", "x\ny", "x\r\ny\r\nc\n"),
        ("a\nb\n", "a\n", "", "b\n"),
    ],
)
def test_line_endings_of_the_file_are_preserved(text: str, old: str, new: str, after: str) -> None:
    assert replace_text(text, old, new, replace_all=False) == after


def test_a_replacement_is_inserted_literally() -> None:
    assert replace_text("a.b", ".", r"\1\g<0>", replace_all=False) == r"a\1\g<0>b"
