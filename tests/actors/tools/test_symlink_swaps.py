"""A link that is swapped in and out while we write or read: nothing gets outside."""

import shutil
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from actors.tools.file_content import apply_patch, compute_digest
from actors.tools.tool import TargetChangedError, ToolError
from messages.tool_calls import FileDigest, Patch
from tests.actors.tools.tool_caller import ToolCaller

Link = Callable[[Path], None]
SECRET = "what stands outside"


def parametrize_rounds(quick: int, long: int) -> pytest.MarkDecorator:
    """The rounds of one shape; all shapes together are 200, and 10,000 in the long tier."""
    quickly = pytest.param(quick, marks=pytest.mark.quick)
    return pytest.mark.parametrize("rounds", [quickly, pytest.param(long, marks=pytest.mark.long)])


@contextmanager
def swap_repeatedly(place: Path, link: Link) -> Generator[None]:
    """Put a link where `place` is, and `place` back, without pause."""
    done, aside = threading.Event(), place.with_name("aside")

    def swap() -> None:
        while not done.is_set():
            for step in (
                lambda: place.rename(aside),
                lambda: link(place),
                place.unlink,
                lambda: aside.rename(place),
            ):
                with suppress(OSError):
                    step()

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        yield
    finally:
        done.set()
        swapper.join()


def try_action(action: Callable[[], object]) -> str:
    try:
        return str(action())
    except (TargetChangedError, ToolError, OSError):
        return ""


@pytest.fixture
def outside_tree(tmp_path: Path) -> Path:
    """A tree like the one inside, with the same text, so that no digest tells them apart."""
    top = tmp_path.resolve() / "outside"
    (top / "up" / "folder").mkdir(parents=True)
    (top / "up" / "folder" / "file").write_text("text")
    return top


def list_tree(top: Path) -> list[tuple[str, int, bytes]]:
    return [
        (
            str(each.relative_to(top)),
            each.stat().st_ino,
            each.read_bytes() if each.is_file() else b"",
        )
        for each in sorted(top.rglob("*"))
    ]


@parametrize_rounds(30, 1_500)
@pytest.mark.parametrize("swapped", ["up/folder/file", "up/folder", "up"])
def test_no_write_follows_a_link_that_was_swapped_in(
    tmp_path: Path, outside_tree: Path, swapped: str, rounds: int
) -> None:
    inside = tmp_path.resolve() / "inside"
    shutil.copytree(outside_tree, inside)
    before, path = list_tree(outside_tree), str(inside / "up" / "folder" / "file")
    state = FileDigest(path=path, digest=compute_digest(b"text"))
    patch = Patch(path=path, original=state, new_text="text", diff="")

    with swap_repeatedly(inside / swapped, lambda place: place.symlink_to(outside_tree / swapped)):
        for _ in range(rounds):
            try_action(lambda: apply_patch(patch))

    assert list_tree(outside_tree) == before


@parametrize_rounds(30, 1_500)
def test_no_write_changes_a_file_that_was_swapped_in_under_another_name(
    tmp_path: Path, outside_tree: Path, rounds: int
) -> None:
    inside = tmp_path.resolve() / "inside"
    shutil.copytree(outside_tree, inside)
    theirs, mine = outside_tree / "up" / "folder" / "file", inside / "up" / "folder" / "file"
    state = FileDigest(path=str(mine), digest=compute_digest(b"text"))
    patch = Patch(path=str(mine), original=state, new_text="ours", diff="")

    with swap_repeatedly(mine, lambda place: place.hardlink_to(theirs)):
        for _ in range(rounds):
            try_action(lambda: apply_patch(patch))

    assert theirs.read_bytes() == b"text"


@parametrize_rounds(40, 2_000)
def test_no_new_file_is_made_behind_a_link_where_its_folder_should_be(
    tmp_path: Path, outside_tree: Path, rounds: int
) -> None:
    inside, before = tmp_path.resolve() / "inside", list_tree(outside_tree)
    inside.mkdir()
    new = inside / "new"
    path = str(new / "folder" / "fresh")
    patch = Patch(path=path, original=FileDigest(path=path, digest=""), new_text="ours", diff="")

    with swap_repeatedly(new, lambda place: place.symlink_to(outside_tree / "up")):
        for _ in range(rounds):
            try_action(lambda: apply_patch(patch))
            shutil.rmtree(new, ignore_errors=True)  # refuses links

    assert list_tree(outside_tree) == before


@parametrize_rounds(20, 1_000)
def test_no_read_follows_a_link_that_was_swapped_in(tmp_path: Path, rounds: int) -> None:
    caller = ToolCaller(tmp_path.resolve())
    elsewhere = tmp_path.resolve() / "elsewhere"
    for folder, text in ((caller.root / "src", "text"), (elsewhere / "src", SECRET)):
        folder.mkdir(parents=True)
        (folder / "file").write_text(text)
    plan = caller.plan("read", path="src/file")

    with swap_repeatedly(caller.root / "src", lambda place: place.symlink_to(elsewhere / "src")):
        told = [
            try_action(lambda: caller.run("read", plan, path="src/file")) for _ in range(rounds)
        ]

    assert not [text for text in told if SECRET in text]


@parametrize_rounds(20, 1_000)
def test_no_edit_follows_a_link_that_was_swapped_in(
    tmp_path: Path, outside_tree: Path, rounds: int
) -> None:
    caller, before = ToolCaller(tmp_path.resolve()), list_tree(outside_tree)
    folder = caller.root / "folder"
    shutil.copytree(outside_tree / "up" / "folder", folder)
    words = {"path": "folder/file", "old_string": "text", "new_string": "ours"}
    caller.run("read", caller.plan("read", path="folder/file"), path="folder/file")
    plan = caller.plan("edit", **words)

    with swap_repeatedly(folder, lambda place: place.symlink_to(outside_tree / "up" / "folder")):
        for _ in range(rounds):
            try_action(lambda: caller.run("edit", plan, **words))
            with suppress(OSError), (folder / "file").open("r+") as file:
                file.write("text")

    assert list_tree(outside_tree) == before
