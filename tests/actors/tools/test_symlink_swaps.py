"""Links are swapped in and out during reads and writes; nothing outside is read or written."""

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

CreateLink = Callable[[Path], None]
SECRET = "content outside"


def parametrize_rounds(quick: int, long: int) -> pytest.MarkDecorator:
    """Run a test with these numbers of rounds in the quick and the long tier."""
    quick_rounds = pytest.param(quick, marks=pytest.mark.quick)
    return pytest.mark.parametrize(
        "rounds", [quick_rounds, pytest.param(long, marks=pytest.mark.long)]
    )


@contextmanager
def swap_repeatedly(path: Path, create_link: CreateLink) -> Generator[None]:
    """Replace `path` with a link and restore it, without pause."""
    done, backup = threading.Event(), path.with_name("backup")

    def swap() -> None:
        while not done.is_set():
            for step in (
                lambda: path.rename(backup),
                lambda: create_link(path),
                path.unlink,
                lambda: backup.rename(path),
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
    """A tree like the one inside, with the same content, so that digests cannot tell them apart."""
    root = tmp_path.resolve() / "outside"
    (root / "up" / "folder").mkdir(parents=True)
    (root / "up" / "folder" / "file").write_text("text")
    return root


def list_tree(root: Path) -> list[tuple[str, int, bytes]]:
    return [
        (
            str(path.relative_to(root)),
            path.stat().st_ino,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(root.rglob("*"))
    ]


@parametrize_rounds(30, 1_500)
@pytest.mark.parametrize("swapped", ["up/folder/file", "up/folder", "up"])
def test_no_write_follows_a_swapped_in_link(
    tmp_path: Path, outside_tree: Path, swapped: str, rounds: int
) -> None:
    inside = tmp_path.resolve() / "inside"
    shutil.copytree(outside_tree, inside)
    before, path = list_tree(outside_tree), str(inside / "up" / "folder" / "file")
    digest = FileDigest(path=path, digest=compute_digest(b"text"))
    patch = Patch(path=path, original=digest, new_text="text", diff="")

    with swap_repeatedly(inside / swapped, lambda path: path.symlink_to(outside_tree / swapped)):
        for _ in range(rounds):
            try_action(lambda: apply_patch(patch))

    assert list_tree(outside_tree) == before


@parametrize_rounds(30, 1_500)
def test_no_write_changes_a_swapped_in_hard_link(
    tmp_path: Path, outside_tree: Path, rounds: int
) -> None:
    inside = tmp_path.resolve() / "inside"
    shutil.copytree(outside_tree, inside)
    outer, inner = outside_tree / "up" / "folder" / "file", inside / "up" / "folder" / "file"
    digest = FileDigest(path=str(inner), digest=compute_digest(b"text"))
    patch = Patch(path=str(inner), original=digest, new_text="ours", diff="")

    with swap_repeatedly(inner, lambda path: path.hardlink_to(outer)):
        for _ in range(rounds):
            try_action(lambda: apply_patch(patch))

    assert outer.read_bytes() == b"text"


@parametrize_rounds(40, 2_000)
def test_no_file_is_created_behind_a_swapped_in_link(
    tmp_path: Path, outside_tree: Path, rounds: int
) -> None:
    inside, before = tmp_path.resolve() / "inside", list_tree(outside_tree)
    inside.mkdir()
    new = inside / "new"
    path = str(new / "folder" / "fresh")
    patch = Patch(path=path, original=FileDigest(path=path, digest=""), new_text="ours", diff="")

    with swap_repeatedly(new, lambda path: path.symlink_to(outside_tree / "up")):
        for _ in range(rounds):
            try_action(lambda: apply_patch(patch))
            shutil.rmtree(new, ignore_errors=True)  # does not follow links

    assert list_tree(outside_tree) == before


@parametrize_rounds(20, 1_000)
def test_no_read_follows_a_swapped_in_link(tmp_path: Path, rounds: int) -> None:
    caller = ToolCaller(tmp_path.resolve())
    elsewhere = tmp_path.resolve() / "elsewhere"
    for folder, text in ((caller.root / "src", "text"), (elsewhere / "src", SECRET)):
        folder.mkdir(parents=True)
        (folder / "file").write_text(text)
    plan = caller.plan("read", path="src/file")

    with swap_repeatedly(caller.root / "src", lambda path: path.symlink_to(elsewhere / "src")):
        texts = [
            try_action(lambda: caller.run("read", plan, path="src/file")) for _ in range(rounds)
        ]

    assert not [text for text in texts if SECRET in text]


@parametrize_rounds(20, 1_000)
def test_no_edit_follows_a_swapped_in_link(tmp_path: Path, outside_tree: Path, rounds: int) -> None:
    caller, before = ToolCaller(tmp_path.resolve()), list_tree(outside_tree)
    folder = caller.root / "folder"
    shutil.copytree(outside_tree / "up" / "folder", folder)
    arguments = {"path": "folder/file", "old_string": "text", "new_string": "ours"}
    caller.run("read", caller.plan("read", path="folder/file"), path="folder/file")
    plan = caller.plan("edit", **arguments)

    with swap_repeatedly(folder, lambda path: path.symlink_to(outside_tree / "up" / "folder")):
        for _ in range(rounds):
            try_action(lambda: caller.run("edit", plan, **arguments))
            with suppress(OSError), (folder / "file").open("r+") as file:
                file.write("text")

    assert list_tree(outside_tree) == before
