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


def test_markdown_is_rendered_and_links_show_their_target() -> None:
    assert render_plain("**Hi**, see [it](http://x.y/z)") == ["Hi, see it (http://x.y/z)", ""]


@pytest.mark.parametrize(
    "text",
    ["<b>html</b>", "&#x1b;[31m", "&amp;", "[hidden]: http://x.y", "a <!-- comment --> b"],
)
def test_text_that_markdown_would_hide_stays_readable(text: str) -> None:
    assert render_plain(text) == [text, ""]


def test_sanitized_characters_in_code_stay_visible_text() -> None:
    assert "^[[2J" in render_prose("```py\n^[[2J = 1\n```\n", 40, color=False)


def test_a_table_has_no_blank_rows_around_it() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    assert render_plain(table) == [" a  b", " ────", " 1  2", ""]
    stripped = re.sub("\x1b[^m]*m", "", render_prose(table, 40, color=True))
    assert stripped.split("\r\n")[:-1] == render_plain(table)


def test_no_line_ends_in_blanks_to_copy() -> None:
    text = "# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- item\n\n> quote\n\n```py\nx = 1\n```"
    lines = re.sub("\x1b[^m]*m", "", render_prose(text, 40, color=True)).split("\r\n")
    assert lines == [line.rstrip() for line in lines]
    assert lines[0] == "Title", "headings are left-aligned"


def test_a_long_code_block_keeps_exactly_its_blank_lines() -> None:
    code = "".join(f"\ndef f{n}():\n\n    pass\n\n\n" for n in range(60))
    blocks, tail = feed_text(MarkdownTail(), f"Look:\n\n```py\n{code}```\n\nThere.")
    printed = "".join(
        render_prose(block, 40, color=False) for block in (*blocks, *finish_reply(tail))
    )
    indented = "".join(f" {line}".rstrip() + "\n" for line in code.splitlines())
    assert printed.replace("\r\n", "\n") == f"Look:\n\n{indented}\nThere.\n\n"


@given(st.text(max_size=200))
def test_no_markdown_sends_control_codes_to_the_terminal(text: str) -> None:
    out = render_prose(text, 30, color=False).replace("\r\n", "")
    assert not [char for char in out if ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0]


def test_without_color_only_plain_text_is_printed() -> None:
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
    ("status", "mark", "label"),
    [
        ("ok", "●", ""),
        ("error", "●", "failed"),
        ("denied", "✗", "denied"),
        ("cancelled", "◌", "cancelled"),
        ("unknown", "?", "outcome unknown"),
    ],
)
def test_a_tool_row_shows_how_the_call_ended(status: ToolStatus, mark: str, label: str) -> None:
    lines = render_item(sample_events.tool_ended(status=status), 40, color=False).split("\r\n")
    expected = [f"{mark} bash git status", f"  {label}", "  clean", "", ""]
    assert lines == [line for line in expected if line != "  "]


def test_a_task_result_is_printed_without_its_tags() -> None:
    text = "task_id: general-1\n<task_result>\nAll is well.\n</task_result>"
    ended = sample_events.tool_ended(text, title="task general: look")
    assert "task_result" in render_item(ended, 60, color=False), "other tools' output is unchanged"
    task = render_item(ended.model_copy(update={"tool": "task"}), 60, color=False)
    assert task.split("\r\n")[:-2] == ["● task general: look", "  All is well."]


@pytest.mark.parametrize(
    ("line_count", "row_count", "last"), [(9, 9, "  9"), (10, 9, "  … +2 lines (Ctrl-O)")]
)
def test_an_output_is_truncated_only_if_it_saves_rows(
    line_count: int, row_count: int, last: str
) -> None:
    text = "\n".join(str(number + 1) for number in range(line_count))
    rows = render_item(sample_events.tool_ended(text), 40, color=False).split("\r\n")[1:-2]
    assert (len(rows), rows[-1]) == (row_count, last)


def test_an_edit_is_followed_by_its_colored_diff() -> None:
    diff = "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n same\n--- gone\n+new\x1b[2J\n"
    text = "changed a.py\n     1\tsame\n     2\tnew\x1b[2J"
    ended = sample_events.tool_ended(text, title="edit a.py").model_copy(update={"diff": diff})
    rows = render_item(ended, 40, color=False).split("\r\n")[:-2]
    assert rows[1] == "  changed a.py"
    assert rows[2:] == ["  @@ -1,2 +1,2 @@", "   same", "  --- gone", "  +new^[[2J"]
    assert "\x1b[32m  +new^[[2J" in render_item(ended, 40, color=True)

    long = ended.model_copy(update={"diff": "@@ -1 +1,99 @@\n" + "+x\n" * 99})
    *_, last = render_item(long, 40, color=False).split("\r\n")[:-2]
    assert last == "  … +84 lines (Ctrl-O)"


def test_wrapped_lines_align_with_the_second_column() -> None:
    help_ = "/clear  Begin a new session; this one is kept."
    assert wrap_words(help_, 30) == ["/clear  Begin a new session;", "        this one is kept."]
    assert wrap_words("  allow read /a/very/long/path", 20) == [
        "  allow read",
        "  /a/very/long/path",
    ]
    assert wrap_words("one two three", 8) == ["one two", "three"]


def test_long_titles_and_lines_are_truncated_to_the_width() -> None:
    ended = sample_events.tool_ended("y" * 500, title="bash " + "x" * 500)
    lines = render_item(ended, 40, color=False).split("\r\n")
    assert max(len(line) for line in lines) == 40
    assert len(lines) == 7


@given(st.text(alphabet="a日\t \n", max_size=80), st.integers(min_value=2, max_value=20))
def test_wrapping_respects_the_width_and_loses_no_text(text: str, width: int) -> None:
    rows = wrap(text, width)
    assert all(measure_width(row) <= width for row in rows)
    remaining = "".join(rows).replace(" ", "")
    assert remaining == "".join(char for char in text if char in "a日")


@given(st.text(alphabet="a日", max_size=30), st.integers(min_value=1, max_value=20))
def test_truncated_text_never_exceeds_the_given_width(text: str, width: int) -> None:
    assert measure_width(truncate(text, width)) <= max(width, 1)
