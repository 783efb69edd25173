import os

import pytest

from actors.tools.ls import MAX_ENTRIES
from actors.tools.tool import TargetChangedError
from messages.policy import PermissionRequest
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


def test_entries_are_sorted_and_folders_marked(caller: ToolCaller) -> None:
    (caller.root / "src").mkdir()
    caller.write_file(".hidden", "")
    caller.write_file("Zebra", "")
    (caller.root / "link").symlink_to("src")
    (caller.root / "dangling").symlink_to("nowhere")

    assert caller.call("ls") == ".hidden\nZebra\ndangling -> nowhere\nlink -> src\nsrc/"


def test_the_target_is_the_folder_relative_to_root(caller: ToolCaller) -> None:
    (caller.root / "src").mkdir()
    request = PermissionRequest(permission="ls", target=".")
    assert caller.plan("ls").requests == (request,)
    assert caller.plan("ls", path="src/").title == "ls src"


def test_an_empty_directory_is_reported_as_such(caller: ToolCaller) -> None:
    assert caller.call("ls") == "(empty directory)"


def test_a_long_listing_is_truncated_and_counted(caller: ToolCaller) -> None:
    for number in range(MAX_ENTRIES + 3):
        caller.write_file(f"f{number:04}", "")

    rows = caller.call("ls").splitlines()

    assert rows[0] == "f0000"
    assert rows[-2] == "f0999"
    assert rows[-1] == "[truncated: the first 1,000 of 1,003 entries; list the rest with bash]"


def test_unusual_names_are_escaped_on_one_line(caller: ToolCaller) -> None:
    caller.write_file("a\nb", "")
    (caller.root / os.fsdecode(b"\xff")).touch()
    assert caller.call("ls") == "a\\nb\n\\xff"


def test_a_file_or_missing_path_is_rejected(caller: ToolCaller) -> None:
    caller.write_file("notes.txt", "")
    error = caller.expect_error("ls", path="notes.txt")
    assert error == "notes.txt is a regular file, not a directory; use read"
    assert caller.expect_error("ls", path="nowhere") == "nowhere: no such file or directory"
    assert (
        caller.expect_error("ls", path="notes.txt/x")
        == "notes.txt/x: a part of the path is not a directory"
    )


def test_a_folder_replaced_by_a_link_is_not_listed(caller: ToolCaller) -> None:
    (caller.root / "src").mkdir()
    plan = caller.plan("ls", path="src")
    (caller.root / "src").rmdir()
    (caller.root / "src").symlink_to("/")

    with pytest.raises(TargetChangedError):
        caller.run("ls", plan, path="src")
