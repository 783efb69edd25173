import os

import pytest

from actors.tools.ls import MAX_ENTRIES
from actors.tools.tool import TargetChangedError
from messages.policy import PermissionRequest
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


def test_entries_are_sorted_and_marked(caller: ToolCaller) -> None:
    (caller.root / "src").mkdir()
    caller.write_file(".hidden", "")
    caller.write_file("Zebra", "")
    (caller.root / "link").symlink_to("src")
    (caller.root / "broken").symlink_to("nowhere")

    assert caller.call("ls") == ".hidden\nZebra\nbroken -> nowhere\nlink -> src\nsrc/"


def test_the_folder_is_the_target_and_the_root_is_a_dot(caller: ToolCaller) -> None:
    (caller.root / "src").mkdir()
    request = PermissionRequest(permission="ls", target=".")
    assert caller.plan("ls").requests == (request,)
    assert caller.plan("ls", path="src/").title == "ls src"


def test_an_empty_folder_says_so(caller: ToolCaller) -> None:
    assert caller.call("ls") == "(empty folder)"


def test_a_long_list_is_cut_and_the_number_told(caller: ToolCaller) -> None:
    for number in range(MAX_ENTRIES + 3):
        caller.write_file(f"f{number:04}", "")

    rows = caller.call("ls").splitlines()

    assert rows[0] == "f0000"
    assert rows[-2] == "f0999"
    assert rows[-1] == "[the first 1,000 of 1,003 entries; narrow it down with bash]"


def test_odd_names_stay_on_one_line_and_are_text(caller: ToolCaller) -> None:
    caller.write_file("a\nb", "")
    (caller.root / os.fsdecode(b"\xff")).touch()
    assert caller.call("ls") == "a\\nb\n\\xff"


def test_a_file_or_nothing_is_refused(caller: ToolCaller) -> None:
    caller.write_file("notes.txt", "")
    refusal = caller.expect_error("ls", path="notes.txt")
    assert refusal == "notes.txt is a regular file, not a folder; use read"
    assert caller.expect_error("ls", path="nowhere") == "nowhere: no such file or folder"
    assert (
        caller.expect_error("ls", path="notes.txt/x")
        == "notes.txt/x: a part of the path is not a folder"
    )


def test_a_folder_that_leads_elsewhere_than_planned_has_drifted(caller: ToolCaller) -> None:
    (caller.root / "src").mkdir()
    plan = caller.plan("ls", path="src")
    (caller.root / "src").rmdir()
    (caller.root / "src").symlink_to("/")

    with pytest.raises(TargetChangedError):
        caller.run("ls", plan, path="src")
