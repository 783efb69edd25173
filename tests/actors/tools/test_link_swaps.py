"""A folder that turns into a link and back while we write: nothing gets outside."""

import threading
from pathlib import Path

import pytest

from actors.tools.files import apply, digest
from actors.tools.tool import Drifted
from messages.tools import FileState, Patch


def swap(folder: Path, aside: Path, outside: Path, done: threading.Event) -> None:
    while not done.is_set():
        folder.rename(aside)
        folder.symlink_to(outside)
        folder.unlink()
        aside.rename(folder)


def attempt(patch: Patch) -> None:
    try:
        apply(patch)
    except (Drifted, OSError):
        return


@pytest.mark.parametrize(
    "rounds",
    [
        pytest.param(200, marks=pytest.mark.quick),
        pytest.param(10_000, marks=pytest.mark.long),
    ],
)
def test_no_write_follows_a_link_that_was_swapped_in(tmp_path: Path, rounds: int) -> None:
    folder, outside = tmp_path.resolve() / "src", tmp_path.resolve() / "outside"
    for each in (folder, outside):
        each.mkdir()
        (each / "file").write_text("text")  # the same in both, so that no digest tells them apart
    path = str(folder / "file")
    before = FileState(path=path, digest=digest(b"text"))
    patch = Patch(path=path, before=before, after="text", diff="")
    untouched = (outside / "file").stat().st_ino

    done = threading.Event()
    swapper = threading.Thread(target=swap, args=(folder, tmp_path / "aside", outside, done))
    swapper.start()
    try:
        for _ in range(rounds):
            attempt(patch)
    finally:
        done.set()
        swapper.join()

    assert [entry.name for entry in outside.iterdir()] == ["file"]
    assert (outside / "file").stat().st_ino == untouched
