import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages.turns import ToolStatus
from shell.view.markdown_blocks import MarkdownTail, feed_text, finish_reply
from shell.view.screen_state import PrintMarkdown, PrintNotice, PrintPrompt
from shell.view.scrollback_renderer import render_item, render_prose
from shell.view.styled_text import measure_width, truncate, wrap, wrap_words
from tests.shell import sample_events

pytestmark = pytest.mark.quick


def render_plain(text: str, width: int = 40) -> list[str]:
    return render_prose(text, width, color=False).removesuffix("\r\n").split("\r\n")


def test_markdown_is_laid_out_and_links_show_where_they_lead() -> None:
    assert render_plain("**Hi**, see [it](http://x.y/z)") == ["Hi, see it (http://x.y/z)", ""]


@pytest.mark.parametrize(
    "text",
    ["<b>html</b>", "&#x1b;[31m", "&amp;", "[hidden]: http://x.y", "a <!-- comment --> b"],
)
def test_what_markdown_would_swallow_stays_readable(text: str) -> None:
    assert render_plain(text) == [text, ""]


def test_code_keeps_its_lines_and_text_that_was_made_visible_stays_so() -> None:
    assert "^[[2J" in render_prose("```py\n^[[2J = 1\n```\n", 40, color=False)


def test_a_table_has_no_blank_rows_around_it() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    assert render_plain(table) == [" a  b", " ────", " 1  2", ""]
    inked = re.sub("\x1b[^m]*m", "", render_prose(table, 40, color=True))
    assert inked.split("\r\n")[:-1] == render_plain(table)


def test_no_line_ends_in_blanks_that_would_be_copied_along() -> None:
    text = "# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- item\n\n> quote\n\n```py\nx = 1\n```"
    lines = re.sub("\x1b[^m]*m", "", render_prose(text, 40, color=True)).split("\r\n")
    assert lines == [line.rstrip() for line in lines]
    assert lines[0] == "Title", "not in the middle"


def test_a_long_code_block_has_all_its_blank_lines_and_none_of_ours() -> None:
    code = "".join(f"\ndef f{n}():\n\n    pass\n\n\n" for n in range(60))
    blocks, tail = feed_text(MarkdownTail(), f"Look:\n\n```py\n{code}```\n\nThere.")
    drawn = "".join(
        render_prose(block, 40, color=False) for block in (*blocks, *finish_reply(tail))
    )
    indented = "".join(f" {line}".rstrip() + "\n" for line in code.splitlines())
    assert drawn.replace("\r\n", "\n") == f"Look:\n\n{indented}\nThere.\n\n"


@given(st.text(max_size=200))
def test_no_markdown_gets_a_control_code_to_the_terminal(text: str) -> None:
    out = render_prose(text, 30, color=False).replace("\r\n", "")
    assert not [char for char in out if ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0]


def test_without_colour_nothing_but_text_is_printed() -> None:
    items = (
        PrintPrompt("hi"),
        PrintMarkdown("# T\n\n`code`"),
        PrintNotice("note", "bad"),
        sample_events.tool_ended(),
    )
    printed = "".join(
        render_item(item, 40, color=False) for item in (*items, sample_events.session_configured())
    )
    assert "\x1b" not in printed
    assert "\x1b[" in render_item(sample_events.tool_ended(), 40, color=True)


@pytest.mark.parametrize(
    ("status", "mark", "word"),
    [
        ("ok", "●", ""),
        ("error", "●", "failed"),
        ("denied", "✗", "denied"),
        ("cancelled", "◌", "cancelled"),
        ("unknown", "?", "outcome unknown"),
    ],
)
def test_a_tool_row_says_how_the_call_ended(status: ToolStatus, mark: str, word: str) -> None:
    lines = render_item(sample_events.tool_ended(status=status), 40, color=False).split("\r\n")
    wanted = [f"{mark} bash git status", f"  {word}", "  clean", "", ""]
    assert lines == [line for line in wanted if line != "  "]


def test_of_a_task_a_person_reads_the_words_and_not_the_frame_around_them() -> None:
    text = "task_id: general-1\n<task_result>\nAll is well.\n</task_result>"
    ended = sample_events.tool_ended(text, title="task general: look")
    assert "task_result" in render_item(ended, 60, color=False), "what a command says stays whole"
    of_task = render_item(ended.model_copy(update={"tool": "task"}), 60, color=False)
    assert of_task.split("\r\n")[:-2] == ["● task general: look", "  All is well."]


@pytest.mark.parametrize(
    ("lines", "shown", "last"), [(9, 9, "  9"), (10, 9, "  … +2 lines (Ctrl-O)")]
)
def test_an_output_is_shortened_by_more_than_the_row_that_says_so(
    lines: int, shown: int, last: str
) -> None:
    text = "\n".join(str(number + 1) for number in range(lines))
    rows = render_item(sample_events.tool_ended(text), 40, color=False).split("\r\n")[1:-2]
    assert (len(rows), rows[-1]) == (shown, last)


def test_what_an_edit_changed_stands_below_it_in_colour() -> None:
    diff = "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n same\n--- gone\n+new\x1b[2J\n"
    ended = sample_events.tool_ended("changed a.py", title="edit a.py").model_copy(
        update={"diff": diff}
    )
    rows = render_item(ended, 40, color=False).split("\r\n")[:-2]
    assert rows[2:] == ["  @@ -1,2 +1,2 @@", "   same", "  --- gone", "  +new^[[2J"]
    assert "\x1b[32m  +new^[[2J" in render_item(ended, 40, color=True)

    long = ended.model_copy(update={"diff": "@@ -1 +1,99 @@\n" + "+x\n" * 99})
    *_, last = render_item(long, 40, color=False).split("\r\n")[:-2]
    assert last == "  … +84 lines (Ctrl-O)"


def test_what_goes_on_of_a_line_of_ours_stands_below_its_second_column() -> None:
    help_ = "/clear  Begin a new session; this one is kept."
    assert wrap_words(help_, 30) == ["/clear  Begin a new session;", "        this one is kept."]
    assert wrap_words("  allow read /a/very/long/path", 20) == [
        "  allow read",
        "  /a/very/long/path",
    ]
    assert wrap_words("one two three", 8) == ["one two", "three"]


def test_long_titles_and_lines_are_cut_at_the_width() -> None:
    ended = sample_events.tool_ended("y" * 500, title="bash " + "x" * 500)
    lines = render_item(ended, 40, color=False).split("\r\n")
    assert max(len(line) for line in lines) == 40
    assert len(lines) == 7


@given(st.text(alphabet="a日\t \n", max_size=80), st.integers(min_value=2, max_value=20))
def test_wrapping_keeps_to_the_width_and_loses_nothing(text: str, width: int) -> None:
    rows = wrap(text, width)
    assert all(measure_width(row) <= width for row in rows)
    kept = "".join(rows).replace(" ", "")
    assert kept == "".join(char for char in text if char in "a日")


@given(st.text(alphabet="a日", max_size=30), st.integers(min_value=1, max_value=20))
def test_cutting_keeps_to_the_width(text: str, width: int) -> None:
    assert measure_width(truncate(text, width)) <= max(width, 1)
