import os
import stat

import pytest

from actors.tools.file_content import compute_digest
from actors.tools.tool import TargetChangedError
from messages.policy import PermissionRequest
from messages.tool_calls import FileDigest
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


def test_a_new_file_is_made_with_its_folders_and_only_by_the_run(caller: ToolCaller) -> None:
    path = caller.root / "a" / "b" / "new.txt"
    plan = caller.plan("write", path="a/b/new.txt", content="one\n")

    assert not (caller.root / "a").exists()
    assert plan.requests == (PermissionRequest(permission="write", target="a/b/new.txt"),)
    assert plan.patch is not None
    assert plan.patch.diff == "--- /dev/null\n+++ a/b/new.txt\n@@ -0,0 +1 @@\n+one\n"

    output = caller.run("write", plan, path="a/b/new.txt", content="one\n")
    assert path.read_text() == "one\n"
    assert output.text == "created a/b/new.txt (+1 -0 lines)"
    assert output.observed_files == (FileDigest(path=str(path), digest=compute_digest(b"one\n")),)


def test_replacing_shows_a_diff_and_keeps_mode_and_neighbours(caller: ToolCaller) -> None:
    path = caller.write_file("run.sh", "echo one\necho two")
    path.chmod(0o750)

    plan = caller.plan("write", path="run.sh", content="echo one\necho 2\n")
    assert plan.patch is not None
    assert plan.patch.diff == (
        "--- run.sh\n+++ run.sh\n@@ -1,2 +1,2 @@\n echo one\n"
        "-echo two\n\\ No newline at end of file\n+echo 2\n"
    )
    caller.run("write", plan, path="run.sh", content="echo one\necho 2\n")

    assert path.read_text() == "echo one\necho 2\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    assert caller.list_names() == ["run.sh"]


def test_a_file_of_dos_lines_keeps_them(caller: ToolCaller) -> None:
    path = caller.write_file("dos.txt", b"one\r\ntwo\r\n")
    caller.call("write", path="dos.txt", content="one\n2\n")
    assert path.read_bytes() == b"one\r\n2\r\n"


def test_a_binary_file_is_replaced_whole_and_the_diff_says_so(caller: ToolCaller) -> None:
    path = caller.write_file("data.bin", b"\xff\xfe\0")
    plan = caller.plan("write", path="data.bin", content="text\n")
    assert plan.patch is not None
    assert plan.patch.diff.startswith("the old content is binary, 3 bytes, and is replaced whole\n")
    caller.run("write", plan, path="data.bin", content="text\n")
    assert path.read_bytes() == b"text\n"


def test_a_file_that_was_never_read_may_be_written(caller: ToolCaller) -> None:
    caller.write_file("notes.txt", "old")
    assert (
        caller.call("write", path="notes.txt", content="new") == "changed notes.txt (+1 -1 lines)"
    )


def test_a_file_that_changed_since_it_was_read_is_not_written(caller: ToolCaller) -> None:
    path = caller.write_file("notes.txt", "old")
    caller.call("read", path="notes.txt")
    path.write_text("somebody else's")

    refusal = caller.expect_error("write", path="notes.txt", content="new")
    assert refusal == "notes.txt changed since it was read; read it again"

    caller.call("read", path="notes.txt")
    caller.call("write", path="notes.txt", content="new")
    caller.call("write", path="notes.txt", content="newer")
    assert path.read_text() == "newer"


def test_a_file_that_was_deleted_since_it_was_read_may_be_made_again(caller: ToolCaller) -> None:
    path = caller.write_file("notes.txt", "old")
    caller.call("read", path="notes.txt")
    path.unlink()
    assert (
        caller.call("write", path="notes.txt", content="new") == "created notes.txt (+1 -0 lines)"
    )


def test_what_cannot_be_a_text_file_is_refused(caller: ToolCaller) -> None:
    os.mkfifo(caller.root / "pipe")
    caller.write_file("file", "x")
    refusal = caller.expect_error
    assert "is a folder, not a regular file" in refusal("write", path=".", content="")
    assert "is a named pipe" in refusal("write", path="pipe", content="")
    assert "not a folder" in refusal("write", path="file/below", content="")
    assert "exactly this content" in refusal("write", path="file", content="x")
    assert "not valid Unicode" in refusal("write", path="new", content="\ud800")


def test_a_file_that_changed_after_planning_has_drifted_and_stays(caller: ToolCaller) -> None:
    path = caller.write_file("notes.txt", "old")
    plan = caller.plan("write", path="notes.txt", content="new")
    path.write_text("somebody else's")

    with pytest.raises(TargetChangedError):
        caller.run("write", plan, path="notes.txt", content="new")
    assert path.read_text() == "somebody else's"


@pytest.mark.parametrize("content", ["", "somebody else's"])
def test_a_file_that_turned_up_after_planning_has_drifted(caller: ToolCaller, content: str) -> None:
    plan = caller.plan("write", path="notes.txt", content="new")
    path = caller.write_file("notes.txt", content)
    with pytest.raises(TargetChangedError):
        caller.run("write", plan, path="notes.txt", content="new")
    assert path.read_text() == content


def test_a_file_that_went_away_after_planning_has_drifted(caller: ToolCaller) -> None:
    path = caller.write_file("notes.txt", "old")
    plan = caller.plan("write", path="notes.txt", content="new")
    path.unlink()
    with pytest.raises(TargetChangedError):
        caller.run("write", plan, path="notes.txt", content="new")
    assert caller.list_names() == []


def test_a_folder_swapped_for_a_link_after_planning_has_drifted(caller: ToolCaller) -> None:
    inside, outside = caller.root / "src", caller.root.parent / "outside"
    inside.mkdir()
    outside.mkdir()
    plan = caller.plan("write", path="src/new.txt", content="new")
    inside.rmdir()
    inside.symlink_to(outside)

    with pytest.raises(TargetChangedError):
        caller.run("write", plan, path="src/new.txt", content="new")
    assert not any(outside.iterdir())
