"""A write to a file with several hard links changes only the evaluated name."""

import os
import stat
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from actors.tools.file_content import apply_patch, compute_digest
from actors.tools.tool import ToolError
from messages.tool_calls import FileDigest, Patch
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick

ROOT, NOBODY = 0, 65_534
as_root = pytest.mark.skipif(os.geteuid() != ROOT, reason="only root can give a file away")


@pytest.fixture
def folder() -> Generator[Path]:
    """A folder of ours with a file that has two hard links; we are not root."""
    was_root = os.geteuid() == ROOT
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "one").write_text("old")
        (folder / "two").hardlink_to(folder / "one")
        if was_root:  # root is never denied anything
            for path in (folder, folder / "one"):
                os.chown(path, NOBODY, NOBODY)
            os.setegid(NOBODY)
            os.seteuid(NOBODY)
        yield folder
        folder.chmod(0o700)
        if was_root:
            os.seteuid(ROOT)
            os.setegid(ROOT)


def make_patch(path: Path) -> Patch:
    before = FileDigest(path=str(path), digest=compute_digest(b"old"))
    return Patch(path=str(path), original=before, new_text="new", diff="")


def change_owner(path: Path) -> None:
    os.seteuid(ROOT)
    os.chown(path, ROOT, ROOT)
    path.chmod(0o666)
    os.seteuid(NOBODY)


def test_a_hard_linked_hook_keeps_its_content_and_mode(caller: ToolCaller) -> None:
    hook = caller.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(parents=True)
    hook.write_text("true\n")
    hook.chmod(0o750)
    (caller.root / "hard").hardlink_to(hook)

    caller.call("read", path="hard")
    caller.call("write", path="hard", content="false\n")
    assert (caller.root / "hard").read_text() == "false\n"
    assert stat.S_IMODE((caller.root / "hard").stat().st_mode) == 0o750
    assert hook.read_text() == "true\n"
    assert caller.list_names() == [".git", "hard"]


def test_an_edit_changes_only_the_named_hard_link(caller: ToolCaller) -> None:
    other = caller.write_file("two.txt", "old")
    (caller.root / "one.txt").hardlink_to(other)
    caller.call("edit", path="one.txt", old_string="old", new_string="new")
    assert ((caller.root / "one.txt").read_text(), other.read_text()) == ("new", "old")


def test_hard_links_in_a_read_only_folder_are_rejected(folder: Path) -> None:
    folder.chmod(0o500)
    with pytest.raises(ToolError, match="one has other hard links"):
        apply_patch(make_patch(folder / "one"))
    assert (folder / "two").read_text() == "old"


@as_root
def test_hard_links_of_another_users_file_are_rejected(folder: Path) -> None:
    change_owner(folder / "one")
    with pytest.raises(ToolError, match="one has other hard links"):
        apply_patch(make_patch(folder / "one"))
    assert sorted(path.name for path in folder.iterdir()) == ["one", "two"]
    assert (folder / "two").read_text() == "old"


@pytest.mark.parametrize("mode", [0o500, 0o700])
@as_root
def test_another_users_file_without_links_keeps_its_owner(folder: Path, mode: int) -> None:
    (folder / "two").unlink()
    change_owner(folder / "one")
    folder.chmod(mode)
    apply_patch(make_patch(folder / "one"))
    assert (folder / "one").read_text() == "new"
    assert (folder / "one").stat().st_uid == ROOT
    assert [path.name for path in folder.iterdir()] == ["one"]
