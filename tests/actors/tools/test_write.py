import os
import stat

import pytest

from actors.tools.file_content import compute_digest
from actors.tools.tool import TargetChangedError
from actors.tools.write import NOT_READ
from messages.policy import PermissionRequest
from messages.tool_calls import FileDigest
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


def test_a_new_file_and_its_folders_are_created(caller: ToolCaller) -> None:
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


def test_replacing_a_file_shows_a_diff_and_keeps_its_mode(caller: ToolCaller) -> None:
    path = caller.write_file("run.sh", "echo one\necho two")
    path.chmod(0o750)
    caller.call("read", path="run.sh")

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


def test_a_crlf_file_keeps_its_line_endings(caller: ToolCaller) -> None:
    path = caller.write_file("dos.txt", b"one\r\ntwo\r\n")
    caller.call("read", path="dos.txt")
    caller.call("write", path="dos.txt", content="one\n2\n")
    assert path.read_bytes() == b"one\r\n2\r\n"


def test_replacing_a_binary_file_says_so_in_the_diff(caller: ToolCaller) -> None:
    path = caller.write_file("data.bin", b"\xff\xfe\n")
    caller.call("read", path="data.bin")
    plan = caller.plan("write", path="data.bin", content="text\n")
    assert plan.patch is not None
    assert plan.patch.diff.startswith(
        "the old content is binary (3 bytes) and is replaced as a whole\n"
    )
    caller.run("write", plan, path="data.bin", content="text\n")
    assert path.read_bytes() == b"text\n"


def test_a_file_that_was_not_read_is_not_replaced(caller: ToolCaller) -> None:
    path = caller.write_file("notes.txt", "old")
    error = caller.expect_error("write", path="notes.txt", content="new")
    assert error == NOT_READ.format(path="notes.txt")
    assert path.read_text() == "old"

    caller.call("read", path="notes.txt", limit=1)
    assert (
        caller.call("write", path="notes.txt", content="new") == "changed notes.txt (+1 -1 lines)"
    )


def test_a_file_changed_since_it_was_read_is_not_written(caller: ToolCaller) -> None:
    path = caller.write_file("notes.txt", "old")
    caller.call("read", path="notes.txt")
    path.write_text("changed elsewhere")

    error = caller.expect_error("write", path="notes.txt", content="new")
    assert error == "notes.txt has changed since you last read it; read it again"

    caller.call("read", path="notes.txt")
    caller.call("write", path="notes.txt", content="new")
    caller.call("write", path="notes.txt", content="newer")
    assert path.read_text() == "newer"


def test_a_deleted_file_can_be_created_again(caller: ToolCaller) -> None:
    path = caller.write_file("notes.txt", "old")
    caller.call("read", path="notes.txt")
    path.unlink()
    assert (
        caller.call("write", path="notes.txt", content="new") == "created notes.txt (+1 -0 lines)"
    )


def test_a_write_that_cannot_be_made_is_rejected(caller: ToolCaller) -> None:
    os.mkfifo(caller.root / "pipe")
    caller.write_file("file", "x")
    caller.call("read", path="file")
    expect_error = caller.expect_error
    assert "is a directory, not a regular file" in expect_error("write", path=".", content="")
    assert "is a named pipe" in expect_error("write", path="pipe", content="")
    assert "not a directory" in expect_error("write", path="file/below", content="")
    assert "exactly this content" in expect_error("write", path="file", content="x")
    assert "not valid Unicode" in expect_error("write", path="new", content="\ud800")


def test_a_file_changed_after_planning_is_left_alone(caller: ToolCaller) -> None:
    path = caller.write_file("notes.txt", "old")
    caller.call("read", path="notes.txt")
    plan = caller.plan("write", path="notes.txt", content="new")
    path.write_text("changed elsewhere")

    with pytest.raises(TargetChangedError):
        caller.run("write", plan, path="notes.txt", content="new")
    assert path.read_text() == "changed elsewhere"


@pytest.mark.parametrize("content", ["", "changed elsewhere"])
def test_a_file_created_after_planning_is_left_alone(caller: ToolCaller, content: str) -> None:
    plan = caller.plan("write", path="notes.txt", content="new")
    path = caller.write_file("notes.txt", content)
    with pytest.raises(TargetChangedError):
        caller.run("write", plan, path="notes.txt", content="new")
    assert path.read_text() == content


def test_a_file_deleted_after_planning_is_not_created(caller: ToolCaller) -> None:
    path = caller.write_file("notes.txt", "old")
    caller.call("read", path="notes.txt")
    plan = caller.plan("write", path="notes.txt", content="new")
    path.unlink()
    with pytest.raises(TargetChangedError):
        caller.run("write", plan, path="notes.txt", content="new")
    assert caller.list_names() == []


def test_a_folder_replaced_by_a_link_is_not_written_to(caller: ToolCaller) -> None:
    inside, outside = caller.root / "src", caller.root.parent / "outside"
    inside.mkdir()
    outside.mkdir()
    plan = caller.plan("write", path="src/new.txt", content="new")
    inside.rmdir()
    inside.symlink_to(outside)

    with pytest.raises(TargetChangedError):
        caller.run("write", plan, path="src/new.txt", content="new")
    assert not any(outside.iterdir())
