"""The tracked files are those that `git ls-files` lists, for each version of the index."""

import subprocess
from pathlib import Path

import pytest

from actors.permissions.tracked_files import TrackedFiles, list_tracked_files

NAMES = ("a/b.txt", "dir/sub/ä", "dir/sub/x" * 30, "very-long/" + "n" * 200, "zz")


def git(root: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", *words]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


def add_files(root: Path) -> None:
    for name in NAMES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    git(root, "add", ".")


@pytest.mark.parametrize("version", [2, 3, 4])
@pytest.mark.parametrize("hashes", ["sha1", "sha256"])
def test_the_index_lists_what_git_tracks(tmp_path: Path, version: int, hashes: str) -> None:
    git(tmp_path, "init", "-q", f"--object-format={hashes}")
    add_files(tmp_path)
    if version == 3:
        (tmp_path / "later").touch()
        git(tmp_path, "add", "--intent-to-add", "later")
    git(tmp_path, "update-index", "--index-version", str(version))
    listed = git(tmp_path, "ls-files", "-z").split("\0")[:-1]
    assert list_tracked_files(str(tmp_path)).paths == tuple(listed)


def test_the_index_of_a_linked_worktree_is_found(tmp_path: Path) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    main.mkdir()
    git(main, "init", "-q")
    add_files(main)
    git(main, "commit", "-qm", "x")
    git(main, "worktree", "add", "-q", str(linked))
    (linked / "only-here").touch()
    git(linked, "add", ".")
    listed = git(linked, "ls-files", "-z").split("\0")[:-1]
    assert "only-here" in listed
    assert list_tracked_files(str(linked)).paths == tuple(listed)


def test_a_folder_without_a_repository_has_no_tracked_files(tmp_path: Path) -> None:
    assert list_tracked_files(str(tmp_path)) == TrackedFiles()


def test_an_index_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    add_files(tmp_path)
    index = tmp_path / ".git" / "index"
    data = index.read_bytes()
    for broken in (b"", data[:100], b"X" + data[1:]):
        index.write_bytes(broken)
        assert list_tracked_files(str(tmp_path)).problem
    index.write_bytes(data)
    git(tmp_path, "update-index", "--split-index")
    assert list_tracked_files(str(tmp_path)).problem == "git's index is split"
