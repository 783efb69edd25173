import hashlib
import os
from pathlib import Path

import pytest

from actors.tools.line_window import MAX_BYTES, MAX_LINE_CHARS, MAX_LINES
from actors.tools.tool import TargetChangedError
from messages.policy import PermissionRequest
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


def test_lines_are_returned_with_their_numbers(caller: ToolCaller) -> None:
    caller.write_file("notes.txt", "one\ntwo")
    assert caller.call("read", path="notes.txt") == "     1\tone\n     2\ttwo"


def test_the_target_is_relative_to_root_or_absolute(caller: ToolCaller, tmp_path: Path) -> None:
    caller.write_file("notes.txt", "")
    outside = tmp_path.resolve() / "outside.txt"
    outside.touch()

    inside_plan = caller.plan("read", path=str(caller.root / "notes.txt"))
    assert inside_plan.requests == (PermissionRequest(permission="read", target="notes.txt"),)
    outside_plan = caller.plan("read", path="../outside.txt")
    assert outside_plan.requests == (PermissionRequest(permission="read", target=str(outside)),)


def test_a_link_is_named_by_its_target(caller: ToolCaller) -> None:
    caller.write_file("secret.txt", "")
    (caller.root / "innocent").symlink_to("secret.txt")
    assert caller.plan("read", path="innocent").title == "read secret.txt"


def test_offset_and_limit_select_lines_of_a_file(caller: ToolCaller) -> None:
    caller.write_file("n.txt", "".join(f"{n}\n" for n in range(1, 11)))

    middle = caller.call("read", path="n.txt", offset=4, limit=2)
    assert middle == "     4\t4\n     5\t5\n[lines 4-5 of 10; to continue, use offset=6]"
    assert caller.call("read", path="n.txt", offset=10) == "    10\t10"


def test_an_offset_past_the_end_is_an_error(caller: ToolCaller) -> None:
    caller.write_file("n.txt", "1\n2\n")
    error = caller.expect_error("read", path="n.txt", offset=3)
    assert error == "offset 3 is past the end: the file has 2 lines"


def test_the_digest_covers_the_whole_file(caller: ToolCaller) -> None:
    content = b"line\n" * 200_000
    path = caller.write_file("long.txt", content)

    text = caller.call("read", path="long.txt", offset=150_000, limit=1)

    assert text == "150000\tline\n[lines 150000-150000 of 200,000; to continue, use offset=150001]"
    assert caller.observed_files[str(path)].digest == hashlib.sha256(content).hexdigest()


def test_the_number_of_lines_has_a_maximum(caller: ToolCaller) -> None:
    caller.write_file("long.txt", "x\n" * (MAX_LINES + 5))
    text = caller.call("read", path="long.txt", limit=10 * MAX_LINES)
    assert text.endswith("[lines 1-2000 of 2,005; to continue, use offset=2001]")


def test_the_number_of_bytes_has_a_maximum(caller: ToolCaller) -> None:
    caller.write_file("wide.txt", ("x" * 1_000 + "\n") * 200)

    text = caller.call("read", path="wide.txt")

    assert len(text.encode()) < MAX_BYTES + 100
    assert text.endswith("[lines 1-65 of 200; to continue, use offset=66]")


def test_a_long_line_is_truncated_with_its_length(caller: ToolCaller) -> None:
    caller.write_file("wide.txt", "ä" * 1_000_000 + "\nnext\n")
    text = caller.call("read", path="wide.txt")
    line = "ä" * MAX_LINE_CHARS + "… [line truncated; it is 2,000,000 bytes long]"
    assert text == f"     1\t{line}\n     2\tnext"


def test_an_empty_file_is_reported_as_such(caller: ToolCaller) -> None:
    caller.write_file("empty.txt", "")
    assert caller.call("read", path="empty.txt") == "(the file is empty)"


def test_line_endings_and_byte_order_marks_are_removed(caller: ToolCaller) -> None:
    caller.write_file("dos.txt", b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert caller.call("read", path="dos.txt") == "     1\tone\n     2\ttwo"


def test_invalid_utf_8_is_replaced_and_noted(caller: ToolCaller) -> None:
    caller.write_file("latin.txt", "größe\n".encode("latin-1"))
    text = caller.call("read", path="latin.txt")
    assert text.splitlines()[0] == "     1\tgr\ufffd\ufffde"
    assert "not valid UTF-8" in text


def test_a_binary_file_cannot_be_read_as_text(caller: ToolCaller) -> None:
    caller.write_file("data", b"\x01\0" + bytes(98))
    assert caller.expect_error("read", path="data") == (
        "data cannot be shown as text: it is a binary file, 100 bytes"
    )


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image"),
        (b"\xff\xd8\xff\xe0\0", "a JPEG image"),
        (b"GIF89a\0", "a GIF image"),
        (b"RIFF\0\0\0\0WEBP", "a WebP image"),
        (b"%PDF-1.7\n1 0 obj", "a PDF document"),
        (b"PK\x03\x04\0", "a zip archive"),
        (b"\x7fELF\2\1\1\0", "an executable"),
        ("text\n".encode("utf-16"), "UTF-16 text (convert it with `iconv"),
    ],
)
def test_a_binary_file_is_identified_by_type(caller: ToolCaller, content: bytes, kind: str) -> None:
    caller.write_file("it", content)

    assert f"it cannot be shown as text: it is {kind}" in caller.expect_error("read", path="it")


def test_a_missing_file_error_suggests_similar_names(caller: ToolCaller) -> None:
    caller.write_file("settings.py", "")
    error = caller.expect_error("read", path="setings.py")
    assert error == "setings.py: no such file or directory; did you mean settings.py?"


def test_names_outside_the_workspace_are_not_suggested(caller: ToolCaller, tmp_path: Path) -> None:
    (tmp_path / "settings.py").touch()
    error = caller.expect_error("read", path="../setings.py")
    assert error == "../setings.py: no such file or directory"


def test_reading_a_folder_suggests_using_ls(caller: ToolCaller) -> None:
    assert caller.expect_error("read", path=".").endswith("not a regular file; list it with ls")
    assert caller.expect_error("read", path="/").endswith("not a regular file; list it with ls")


def test_a_pipe_or_device_is_rejected_without_hanging(caller: ToolCaller) -> None:
    os.mkfifo(caller.root / "pipe")
    assert caller.expect_error("read", path="pipe").endswith("is a named pipe, not a regular file")
    assert caller.expect_error("read", path="/dev/zero").endswith("is a device, not a regular file")


def test_a_file_replaced_by_a_pipe_does_not_hang(caller: ToolCaller) -> None:
    path = caller.write_file("notes.txt", "text")
    plan = caller.plan("read", path="notes.txt")
    path.unlink()
    os.mkfifo(path)

    with pytest.raises(Exception, match="named pipe"):
        caller.run("read", plan, path="notes.txt")


def test_a_file_replaced_by_a_link_is_not_read(caller: ToolCaller, tmp_path: Path) -> None:
    path = caller.write_file("notes.txt", "harmless")
    (tmp_path / "secret.txt").write_text("secret")
    plan = caller.plan("read", path="notes.txt")
    path.unlink()
    path.symlink_to(tmp_path / "secret.txt")

    with pytest.raises(TargetChangedError):
        caller.run("read", plan, path="notes.txt")
