"""The workspace root is the user's own repository around the start folder."""

import os
from pathlib import Path

import pytest

from actors.paths.workspace import Workspace
from shell.config.workspace_discovery import find_git_folders, find_workspace

pytestmark = pytest.mark.quick
requires_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")


def make_repository(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


def test_the_root_is_the_repository_of_the_start_folder(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "work")
    (root / "src").mkdir()

    assert find_workspace(root / "src") == Workspace(root=root, cwd=root / "src")


def test_without_a_repository_the_start_folder_is_the_root(tmp_path: Path) -> None:
    assert find_workspace(tmp_path) == Workspace(root=tmp_path, cwd=tmp_path)


def test_an_empty_git_file_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").touch()
    (tmp_path / "work").mkdir()

    assert find_workspace(tmp_path / "work").root == tmp_path / "work"


@requires_root
def test_another_users_repository_does_not_widen_the_workspace(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shared")
    (repository / "mine").mkdir()
    os.chown(repository / ".git", 65_534, 65_534)

    assert find_workspace(repository / "mine").root == repository / "mine"


def test_the_git_folders_of_a_worktree_are_found(tmp_path: Path) -> None:
    store = tmp_path / "store" / "worktrees" / "one"
    store.mkdir(parents=True)
    (store / "commondir").write_text("../..\n")
    root = tmp_path / "work"
    root.mkdir()
    (root / ".git").write_text(f"gitdir: {store}\n")

    assert find_workspace(root).root == root
    assert find_git_folders(root) == (store, tmp_path / "store")


def test_a_plain_repository_has_no_other_git_folders(tmp_path: Path) -> None:
    assert find_git_folders(make_repository(tmp_path)) == ()


@pytest.mark.parametrize("content", [b"", b"gitdir", b"gitdir: a\0b", b"\xff" * 5_000])
def test_an_invalid_git_file_names_no_folder(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)

    assert find_git_folders(tmp_path) == ()
