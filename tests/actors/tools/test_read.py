import hashlib
import os
from pathlib import Path

import pytest

from actors.tools.line_window import MAX_BYTES, MAX_LINE_CHARS, MAX_LINES
from actors.tools.tool import TargetChangedError
from messages.policy import PermissionRequest
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


def test_lines_are_numbered(caller: ToolCaller) -> None:
    caller.write_file("notes.txt", "one\ntwo")
    assert caller.call("read", path="notes.txt") == "     1\tone\n     2\ttwo"


def test_the_plan_names_the_path_relative_to_the_root_or_absolute(
    caller: ToolCaller, tmp_path: Path
) -> None:
    caller.write_file("notes.txt", "")
    outside = tmp_path.resolve() / "outside.txt"
    outside.touch()

    inside = caller.plan("read", path=str(caller.root / "notes.txt"))
    assert inside.requests == (PermissionRequest(permission="read", target="notes.txt"),)
    beyond = caller.plan("read", path="../outside.txt")
    assert beyond.requests == (PermissionRequest(permission="read", target=str(outside)),)


def test_a_link_is_named_by_where_it_leads(caller: ToolCaller) -> None:
    caller.write_file("secret.txt", "")
    (caller.root / "innocent").symlink_to("secret.txt")
    assert caller.plan("read", path="innocent").title == "read secret.txt"


def test_offset_and_limit_choose_lines_and_the_rest_is_announced(caller: ToolCaller) -> None:
    caller.write_file("n.txt", "".join(f"{n}\n" for n in range(1, 11)))

    middle = caller.call("read", path="n.txt", offset=4, limit=2)
    assert middle == "     4\t4\n     5\t5\n[lines 4-5 of 10; go on with offset=6]"
    assert caller.call("read", path="n.txt", offset=10) == "    10\t10"


def test_an_offset_past_the_end_says_how_long_the_file_is(caller: ToolCaller) -> None:
    caller.write_file("n.txt", "1\n2\n")
    refusal = caller.expect_error("read", path="n.txt", offset=3)
    assert refusal == "offset 3 is past the end: the file has 2 lines"


def test_the_digest_is_of_the_whole_file_however_little_is_shown(caller: ToolCaller) -> None:
    content = b"line\n" * 200_000
    path = caller.write_file("long.txt", content)

    text = caller.call("read", path="long.txt", offset=150_000, limit=1)

    assert text == "150000\tline\n[lines 150000-150000 of 200,000; go on with offset=150001]"
    assert caller.observed_files[str(path)].digest == hashlib.sha256(content).hexdigest()


def test_no_more_lines_than_the_cap_are_shown_whatever_is_asked(caller: ToolCaller) -> None:
    caller.write_file("long.txt", "x\n" * (MAX_LINES + 5))
    text = caller.call("read", path="long.txt", limit=10 * MAX_LINES)
    assert text.endswith("[lines 1-2000 of 2,005; go on with offset=2001]")


def test_no_more_bytes_than_the_cap_are_shown(caller: ToolCaller) -> None:
    caller.write_file("wide.txt", ("x" * 1_000 + "\n") * 200)

    text = caller.call("read", path="wide.txt")

    assert len(text.encode()) < MAX_BYTES + 100
    assert text.endswith("[lines 1-65 of 200; go on with offset=66]")


def test_a_long_line_is_cut_and_its_length_told(caller: ToolCaller) -> None:
    caller.write_file("wide.txt", "ä" * 1_000_000 + "\nnext\n")
    text = caller.call("read", path="wide.txt")
    cut = "ä" * MAX_LINE_CHARS + "… [line cut; it has 2,000,000 bytes]"
    assert text == f"     1\t{cut}\n     2\tnext"


def test_a_file_without_content_says_so(caller: ToolCaller) -> None:
    caller.write_file("empty.txt", "")
    assert caller.call("read", path="empty.txt") == "(the file is empty)"


def test_line_ends_and_a_byte_order_mark_are_not_text(caller: ToolCaller) -> None:
    caller.write_file("dos.txt", b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert caller.call("read", path="dos.txt") == "     1\tone\n     2\ttwo"


def test_what_is_not_utf_8_is_shown_replaced_and_said(caller: ToolCaller) -> None:
    caller.write_file("latin.txt", "größe\n".encode("latin-1"))
    text = caller.call("read", path="latin.txt")
    assert text.splitlines()[0] == "     1\tgr\ufffd\ufffde"
    assert "not valid UTF-8" in text


def test_a_binary_file_is_not_shown(caller: ToolCaller) -> None:
    caller.write_file("data", b"\x01\0" + bytes(98))
    assert caller.expect_error("read", path="data") == "data is not shown: it is binary, 100 bytes"


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
        ("text\n".encode("utf-16"), "UTF-16 text; `iconv"),
    ],
)
def test_what_cannot_be_shown_is_named(caller: ToolCaller, content: bytes, kind: str) -> None:
    caller.write_file("it", content)

    assert f"it is not shown: it is {kind}" in caller.expect_error("read", path="it")


def test_a_missing_file_is_answered_with_names_that_are_near(caller: ToolCaller) -> None:
    caller.write_file("settings.py", "")
    refusal = caller.expect_error("read", path="setings.py")
    assert refusal == "setings.py: no such file; did you mean settings.py?"


def test_names_outside_the_workspace_are_not_given_away(caller: ToolCaller, tmp_path: Path) -> None:
    (tmp_path / "settings.py").touch()
    assert caller.expect_error("read", path="../setings.py") == "../setings.py: no such file"


def test_a_folder_is_refused_with_a_word_on_ls(caller: ToolCaller) -> None:
    assert caller.expect_error("read", path=".").endswith("not a regular file; list it with ls")
    assert caller.expect_error("read", path="/").endswith("not a regular file; list it with ls")


def test_a_pipe_or_a_device_is_refused_and_does_not_hang(caller: ToolCaller) -> None:
    os.mkfifo(caller.root / "pipe")
    assert caller.expect_error("read", path="pipe").endswith("is a named pipe, not a regular file")
    assert caller.expect_error("read", path="/dev/zero").endswith("is a device, not a regular file")


def test_a_file_that_became_a_pipe_after_planning_does_not_hang(caller: ToolCaller) -> None:
    path = caller.write_file("notes.txt", "text")
    plan = caller.plan("read", path="notes.txt")
    path.unlink()
    os.mkfifo(path)

    with pytest.raises(Exception, match="named pipe"):
        caller.run("read", plan, path="notes.txt")


def test_a_path_that_leads_elsewhere_than_planned_has_drifted(
    caller: ToolCaller, tmp_path: Path
) -> None:
    path = caller.write_file("notes.txt", "harmless")
    (tmp_path / "secret.txt").write_text("secret")
    plan = caller.plan("read", path="notes.txt")
    path.unlink()
    path.symlink_to(tmp_path / "secret.txt")

    with pytest.raises(TargetChangedError):
        caller.run("read", plan, path="notes.txt")
