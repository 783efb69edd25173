import pytest

from shell.view.markdown_blocks import MarkdownTail, feed_text
from shell.view.progress_rows import render_tail_rows
from shell.view.styled_text import Row
from tests.shell.view.row_text import get_texts

pytestmark = pytest.mark.quick


def render_streamed(text: str, height: int = 20) -> list[Row]:
    return render_tail_rows(feed_text(MarkdownTail(), text)[1], 40, height)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Some **bold** and `co", ["Some bold and `co"]),
        ("- **one**\n- two\n- **th", [" • one", " • two", "- **th"]),
        ("## Title", ["## Title"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3", [" a  b", " ────", " 1  2"]),
        ("```py\ndef f():\n    ret", [" def f():", "     ret"]),
        ("```py\n", []),
    ],
)
def test_markdown_is_rendered_while_it_streams(text: str, rows: list[str]) -> None:
    assert [row.rstrip() for row in get_texts(render_streamed(text))] == rows


def test_the_styles_of_streamed_markdown_are_drawn() -> None:
    (row,) = render_streamed("Some **bold** and `code` here")
    assert ("bold", "bold") in row
    assert ("ansicyan", "code") in row


def test_only_the_end_of_a_long_block_is_laid_out() -> None:
    table = "| a | b |\n|---|---|\n" + "".join(f"| {number} | x |\n" for number in range(50))
    rows = [row.split() for row in get_texts(render_streamed(table, 6))]
    assert rows[-1] == ["49", "x"]
    code = "```py\n" + "".join(f"x = {number}\n" for number in range(30))
    assert get_texts(render_streamed(code, 4)) == [f" x = {number}" for number in range(26, 30)]
