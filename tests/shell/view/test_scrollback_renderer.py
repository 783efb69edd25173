import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages.turns import ToolEnded, ToolStatus
from shell.view.markdown_blocks import MarkdownTail, feed_text, finish_reply
from shell.view.screen_state import PrintCall, PrintMarkdown, PrintNotice, PrintPrompt
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


def render_call(ended: ToolEnded) -> list[str]:
    return render_item(PrintCall(ended), 40, color=False).split("\r\n")[:-2]


@given(st.text(max_size=200))
def test_no_markdown_sends_control_codes_to_the_terminal(text: str) -> None:
    out = render_prose(text, 30, color=False).replace("\r\n", "")
    assert not [char for char in out if ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0]


def test_without_color_only_plain_text_is_printed() -> None:
    items = (
        PrintPrompt("hi"),
        PrintMarkdown("# T\n\n`code`"),
        PrintNotice("note", "bad"),
        PrintCall(sample_events.tool_ended()),
    )
    printed = "".join(
        render_item(item, 40, color=False) for item in (*items, sample_events.session_configured())
    )
    assert "\x1b" not in printed
    assert "\x1b[" in render_item(PrintCall(sample_events.tool_ended()), 40, color=True)


@pytest.mark.parametrize(
    ("status", "row"),
    [
        ("ok", "● Ran git status"),
        ("error", "● Ran git status · failed"),
        ("denied", "✗ Run git status · denied"),
        ("cancelled", "◌ Run git status · cancelled"),
        ("unknown", "? Run git status · outcome unknown"),
    ],
)
def test_a_tool_row_shows_how_the_call_ended(status: ToolStatus, row: str) -> None:
    assert render_call(sample_events.tool_ended(status=status)) == [row, "  │ clean"]


def test_a_failed_command_shows_its_exit_status_and_time() -> None:
    output = "".join(f"{number}\n" for number in range(20))
    ended = sample_events.tool_ended(f"{output}exit status 3", status="error")
    printed = render_item(PrintCall(ended, 65.2), 50, color=False).split("\r\n")[:-2]
    assert printed[:3] == [
        "● Ran git status · exit 3 · 1m 05s",
        "  │ … +12 lines (Ctrl-O)",
        "  │ 12",
    ]
    assert printed[-1] == "  │ 19"
    narrow = render_item(PrintCall(ended, 65.2), 20, color=False).split("\r\n")
    assert narrow[:2] == ["● Ran git status", "  exit 3 · 1m 05s"]


def test_a_task_result_is_printed_without_its_tags() -> None:
    text = "task_id: general-1\n<task_result>\nAll is well.\n</task_result>"
    ended = sample_events.tool_ended(text, title="task general: look")
    assert "task_result" in "".join(render_call(ended)), "other tools' output is unchanged"
    task = ended.model_copy(update={"tool": "task"})
    assert render_call(task) == ["● Agent general: look", "  │ All is well."]


@pytest.mark.parametrize(("line_count", "row_count"), [(4, 4), (5, 4)])
def test_an_output_is_truncated_only_if_it_saves_rows(line_count: int, row_count: int) -> None:
    text = "\n".join(str(number + 1) for number in range(line_count))
    _, first, *rows = render_call(sample_events.tool_ended(text))
    assert len(rows) == row_count - 1
    assert rows[-1] == f"  │ {line_count}", "the end of an output tells how it went"
    assert ("(Ctrl-O)" in first) == (line_count > row_count)


def test_an_edit_is_followed_by_its_colored_diff() -> None:
    diff = "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n same\n--- gone\n+new\x1b[2J\n"
    text = "changed a.py (+1 -1 lines)\n     1\tsame\n     2\tnew\x1b[2J"
    changes = {"tool": "edit", "diff": diff}
    ended = sample_events.tool_ended(text, title="edit a.py").model_copy(update=changes)
    rows = render_call(ended)
    assert rows[0] == "● Edited a.py · +1 −1"  # noqa: RUF001  (minus sign)
    assert rows[1:] == ["  @@ -1,2 +1,2 @@", "   same", "  --- gone", "  +new^[[2J"]
    assert "\x1b[32m  +new^[[2J" in render_item(PrintCall(ended), 40, color=True)

    long = ended.model_copy(update={"diff": "@@ -1 +1,99 @@\n" + "+x\n" * 99})
    assert render_call(long)[-1] == "  … +84 lines (Ctrl-O)"


def test_a_to_do_list_is_not_repeated_below_its_row() -> None:
    ended = sample_events.tool_ended(
        "To-do list updated: 1 of 3 done.", title="todo_write 1 of 3 done"
    )
    assert render_call(ended.model_copy(update={"tool": "todo_write"})) == [
        "● To-do list: 1 of 3 done"
    ]


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
    lines = render_item(PrintCall(ended), 40, color=False).split("\r\n")
    assert max(len(line) for line in lines) == 40
    assert len(lines) == 6


@given(st.text(alphabet="a日\t \n", max_size=80), st.integers(min_value=2, max_value=20))
def test_wrapping_respects_the_width_and_loses_no_text(text: str, width: int) -> None:
    rows = wrap(text, width)
    assert all(measure_width(row) <= width for row in rows)
    remaining = "".join(rows).replace(" ", "")
    assert remaining == "".join(char for char in text if char in "a日")


@given(st.text(alphabet="a日", max_size=30), st.integers(min_value=1, max_value=20))
def test_truncated_text_never_exceeds_the_given_width(text: str, width: int) -> None:
    assert measure_width(truncate(text, width)) <= max(width, 1)


def test_code_in_a_list_keeps_the_indent_of_its_item() -> None:
    text = "1. Run:\n\n   ```sh\n   make\n     all\n   ```\n\n- [x] done\n- [ ] open [x]"
    blocks, tail = feed_text(MarkdownTail(), text)
    lines = [line for block in (*blocks, *finish_reply(tail)) for line in render_plain(block)]
    assert [line for line in lines if line] == [
        " 1 Run:",
        "    make",
        "      all",
        " • ☑ done",
        " • ☐ open [x]",
    ]


def test_rules_and_headings_of_each_level_look_different() -> None:
    assert render_plain("---", 4) == ["────", ""]
    levels = ("# A", "## A", "### A", "#### A")
    assert len({render_prose(level, 40, color=True) for level in levels}) == len(levels)
