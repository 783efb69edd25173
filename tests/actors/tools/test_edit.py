import pytest

from actors.tools.tool import TargetChangedError
from actors.tools.unified_diff import MAX_SHOWN_LINE_CHARS, MAX_SHOWN_LINES
from messages.policy import PermissionRequest
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


def test_a_unique_text_is_replaced_as_the_diff_showed(caller: ToolCaller) -> None:
    path = caller.write_file("app.py", "a = 1\nb = 2\nc = 3\n")
    change = {"path": "app.py", "old_string": "b = 2", "new_string": "b = 20"}

    plan = caller.plan("edit", **change)

    assert plan.title == "edit app.py"
    assert plan.requests == (PermissionRequest(permission="edit", target="app.py"),)
    assert plan.patch is not None
    assert plan.patch.new_text == "a = 1\nb = 20\nc = 3\n"
    assert plan.patch.diff == (
        "--- app.py\n+++ app.py\n@@ -1,3 +1,3 @@\n a = 1\n-b = 2\n+b = 20\n c = 3\n"
    )
    assert path.read_text() == "a = 1\nb = 2\nc = 3\n"
    assert caller.run("edit", plan, **change).text == (
        "changed app.py (+1 -1 lines)\n     1\ta = 1\n     2\tb = 20\n     3\tc = 3"
    )
    assert path.read_text() == plan.patch.new_text


def test_an_edit_returns_the_numbered_lines_around_it(caller: ToolCaller) -> None:
    caller.write_file("app.py", "".join(f"line {number}\r\n" for number in range(1, 101)))
    change = {"path": "app.py", "old_string": "line 50\n", "new_string": "fifty\n50 and a half\n"}
    first, *rows = caller.call("edit", **change).split("\n")
    assert first == "changed app.py (+2 -1 lines)"
    assert [row.split("\t") for row in rows] == [
        ["    47", "line 47"],
        ["    48", "line 48"],
        ["    49", "line 49"],
        ["    50", "fifty"],
        ["    51", "50 and a half"],
        ["    52", "line 51"],
        ["    53", "line 52"],
        ["    54", "line 53"],
    ]
    read = caller.call("read", path="app.py", offset=47, limit=8).split("\n")
    assert rows == read[:8]


def test_the_lines_that_an_edit_returns_are_bounded(caller: ToolCaller) -> None:
    groups = (f"a\n{number}\n" + "-\n" * 8 for number in range(20))
    caller.write_file("app.py", "x" * 1_000 + "\n" + "".join(groups))
    rows = caller.call(
        "edit", path="app.py", old_string="a\n", new_string="b\n", replace_all=True
    ).split("\n")
    assert len(rows) == MAX_SHOWN_LINES + 2
    assert rows[1] == f"     1\t{'x' * MAX_SHOWN_LINE_CHARS}…"
    assert "…" in rows
    assert rows[-1].endswith("more lines are not shown; to see them, use read]")


def test_deleting_everything_returns_no_lines(caller: ToolCaller) -> None:
    caller.write_file("app.py", "x")
    text = caller.call("edit", path="app.py", old_string="x", new_string="")
    assert text == "changed app.py (+0 -1 lines)"


def test_replace_all_replaces_every_occurrence_in_the_file(caller: ToolCaller) -> None:
    path = caller.write_file("app.py", "x x x")
    caller.call("edit", path="app.py", old_string="x", new_string="yy", replace_all=True)
    assert path.read_text() == "yy yy yy"


def test_a_crlf_file_matches_newlines_and_keeps_crlf(caller: ToolCaller) -> None:
    path = caller.write_file("dos.txt", b"one\r\ntwo\r\nthree\r\n")
    caller.call("edit", path="dos.txt", old_string="one\ntwo\n", new_string="1\n2\n")
    assert path.read_bytes() == b"1\r\n2\r\nthree\r\n"


def test_a_file_changed_since_it_was_read_is_not_edited(caller: ToolCaller) -> None:
    path = caller.write_file("app.py", "a = 1\n")
    caller.call("read", path="app.py")
    path.write_text("a = 1\nb = 2\n")
    error = caller.expect_error("edit", path="app.py", old_string="a", new_string="z")
    assert error == "app.py has changed since you last read it; read it again"


def test_consecutive_edits_need_no_read_in_between(caller: ToolCaller) -> None:
    path = caller.write_file("app.py", "a b\n")
    caller.call("read", path="app.py")
    caller.call("edit", path="app.py", old_string="a", new_string="1")
    caller.call("edit", path="app.py", old_string="b", new_string="2")
    assert path.read_text() == "1 2\n"


@pytest.mark.parametrize("old", ["b", "x", "missing"])
def test_an_error_about_an_unread_file_names_that_file(caller: ToolCaller, old: str) -> None:
    """Otherwise the answer to a guess would reveal the content of a file that may not be read."""
    caller.write_file("app.py", "a b x x\n")
    change = {"path": "app.py", "old_string": old, "new_string": "z"}

    assert caller.find_unread_file("edit", **change) == "app.py"
    caller.call("read", path="app.py")
    assert caller.find_unread_file("edit", **change) == ""


def test_an_edit_that_cannot_be_made_is_rejected(caller: ToolCaller) -> None:
    caller.write_file("app.py", "x")
    caller.write_file("latin.txt", b"\xe4")
    caller.write_file("folder", "")
    expect_error = caller.expect_error
    assert expect_error("edit", path="app.py", old_string="", new_string="x") == (
        "old_string is empty; to write a whole file, use write"
    )
    assert expect_error("edit", path="app.py", old_string="x", new_string="x") == (
        "old_string and new_string are identical"
    )
    assert expect_error("edit", path="none.py", old_string="x", new_string="y") == (
        "none.py: no such file; to create it, use write"
    )
    assert expect_error("edit", path="latin.txt", old_string="x", new_string="y") == (
        "latin.txt is not UTF-8 text; change it with bash"
    )


def test_a_file_changed_after_planning_is_left_alone(caller: ToolCaller) -> None:
    path = caller.write_file("app.py", "a = 1\n")
    plan = caller.plan("edit", path="app.py", old_string="1", new_string="2")
    path.write_text("a = 1 + 1\n")
    with pytest.raises(TargetChangedError):
        caller.run("edit", plan, path="app.py", old_string="1", new_string="2")
    assert path.read_text() == "a = 1 + 1\n"
    assert caller.list_names() == ["app.py"]
