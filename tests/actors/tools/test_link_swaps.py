"""A link that is swapped in and out while we write or read: nothing gets outside."""

import shutil
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from actors.tools.files import apply, digest
from actors.tools.tool import TargetChangedError, ToolError
from messages.tools import FileDigest, Patch
from tests.actors.tools.caller import Caller

Link = Callable[[Path], None]
SECRET = "what stands outside"


def tiers(quick: int, long: int) -> pytest.MarkDecorator:
    """The rounds of one shape; all shapes together are 200, and 10,000 in the long tier."""
    quickly = pytest.param(quick, marks=pytest.mark.quick)
    return pytest.mark.parametrize("rounds", [quickly, pytest.param(long, marks=pytest.mark.long)])


@contextmanager
def swapping(place: Path, link: Link) -> Generator[None]:
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


def attempt(action: Callable[[], object]) -> str:
    try:
        return str(action())
    except (TargetChangedError, ToolError, OSError):
        return ""


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A tree like the one inside, with the same text, so that no digest tells them apart."""
    top = tmp_path.resolve() / "outside"
    (top / "up" / "folder").mkdir(parents=True)
    (top / "up" / "folder" / "file").write_text("text")
    return top


def seen(top: Path) -> list[tuple[str, int, bytes]]:
    return [
        (
            str(each.relative_to(top)),
            each.stat().st_ino,
            each.read_bytes() if each.is_file() else b"",
        )
        for each in sorted(top.rglob("*"))
    ]


@tiers(30, 1_500)
@pytest.mark.parametrize("swapped", ["up/folder/file", "up/folder", "up"])
def test_no_write_follows_a_link_that_was_swapped_in(
    tmp_path: Path, outside: Path, swapped: str, rounds: int
) -> None:
    inside = tmp_path.resolve() / "inside"
    shutil.copytree(outside, inside)
    before, path = seen(outside), str(inside / "up" / "folder" / "file")
    state = FileDigest(path=path, digest=digest(b"text"))
    patch = Patch(path=path, before=state, after="text", diff="")

    with swapping(inside / swapped, lambda place: place.symlink_to(outside / swapped)):
        for _ in range(rounds):
            attempt(lambda: apply(patch))

    assert seen(outside) == before


@tiers(30, 1_500)
def test_no_write_changes_a_file_that_was_swapped_in_under_another_name(
    tmp_path: Path, outside: Path, rounds: int
) -> None:
    inside = tmp_path.resolve() / "inside"
    shutil.copytree(outside, inside)
    theirs, mine = outside / "up" / "folder" / "file", inside / "up" / "folder" / "file"
    state = FileDigest(path=str(mine), digest=digest(b"text"))
    patch = Patch(path=str(mine), before=state, after="ours", diff="")

    with swapping(mine, lambda place: place.hardlink_to(theirs)):
        for _ in range(rounds):
            attempt(lambda: apply(patch))

    assert theirs.read_bytes() == b"text"


@tiers(40, 2_000)
def test_no_new_file_is_made_behind_a_link_where_its_folder_should_be(
    tmp_path: Path, outside: Path, rounds: int
) -> None:
    inside, before = tmp_path.resolve() / "inside", seen(outside)
    inside.mkdir()
    new = inside / "new"
    path = str(new / "folder" / "fresh")
    patch = Patch(path=path, before=FileDigest(path=path, digest=""), after="ours", diff="")

    with swapping(new, lambda place: place.symlink_to(outside / "up")):
        for _ in range(rounds):
            attempt(lambda: apply(patch))
            shutil.rmtree(new, ignore_errors=True)  # refuses links

    assert seen(outside) == before


@tiers(20, 1_000)
def test_no_read_follows_a_link_that_was_swapped_in(tmp_path: Path, rounds: int) -> None:
    caller = Caller(tmp_path.resolve())
    elsewhere = tmp_path.resolve() / "elsewhere"
    for folder, text in ((caller.root / "src", "text"), (elsewhere / "src", SECRET)):
        folder.mkdir(parents=True)
        (folder / "file").write_text(text)
    plan = caller.plan("read", path="src/file")

    with swapping(caller.root / "src", lambda place: place.symlink_to(elsewhere / "src")):
        told = [attempt(lambda: caller.run("read", plan, path="src/file")) for _ in range(rounds)]

    assert not [text for text in told if SECRET in text]


@tiers(20, 1_000)
def test_no_edit_follows_a_link_that_was_swapped_in(
    tmp_path: Path, outside: Path, rounds: int
) -> None:
    caller, before = Caller(tmp_path.resolve()), seen(outside)
    folder = caller.root / "folder"
    shutil.copytree(outside / "up" / "folder", folder)
    words = {"path": "folder/file", "old_string": "text", "new_string": "ours"}
    caller.run("read", caller.plan("read", path="folder/file"), path="folder/file")
    plan = caller.plan("edit", **words)

    with swapping(folder, lambda place: place.symlink_to(outside / "up" / "folder")):
        for _ in range(rounds):
            attempt(lambda: caller.run("edit", plan, **words))
            with suppress(OSError), (folder / "file").open("r+") as file:
                file.write("text")

    assert seen(outside) == before
