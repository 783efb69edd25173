"""A file walk finds the files that git would see."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from actors.tools.file_walk import FileWalk

pytestmark = pytest.mark.quick


def make_files(folder: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder.resolve()


def list_walk(root: Path, folder: Path | None = None) -> list[str]:
    return list(FileWalk(root, folder or root).iter_files())


def test_files_are_sorted_by_name_in_each_folder(tmp_path: Path) -> None:
    root = make_files(tmp_path, {"b/two": "", "b/one": "", "a": "", ".hidden": ""})

    assert list_walk(root) == [".hidden", "a", "b/one", "b/two"]


def test_ignored_files_are_skipped_and_counted(tmp_path: Path) -> None:
    root = make_files(
        tmp_path, {".gitignore": "*.log\nbuild/\n", "a.log": "", "build/x": "", "b": ""}
    )
    walk = FileWalk(root, root)

    assert list(walk.iter_files()) == [".gitignore", "b"]
    assert walk.skipped.ignored_count == 2


def test_the_nearest_gitignore_file_takes_precedence(tmp_path: Path) -> None:
    root = make_files(
        tmp_path, {".gitignore": "*.log", "logs/.gitignore": "!keep.log", "keep.log": ""}
    )
    make_files(tmp_path, {"logs/keep.log": "", "logs/other.log": ""})

    assert list_walk(root) == [".gitignore", "logs/.gitignore", "logs/keep.log"]


def test_an_anchored_pattern_applies_only_in_its_folder(tmp_path: Path) -> None:
    root = make_files(tmp_path, {"sub/.gitignore": "/x", "sub/x": "", "sub/y/x": "", "x": ""})

    assert list_walk(root) == ["sub/.gitignore", "sub/y/x", "x"]


def test_ignore_files_of_parents_apply_up_to_the_root(tmp_path: Path) -> None:
    root = make_files(tmp_path, {".gitignore": "sub/*.log", "sub/a.log": "", "sub/b": ""})

    assert list_walk(root, root / "sub") == ["b"]
    assert list_walk(root / "sub", root) == [".gitignore", "sub/b"]


def test_a_walk_follows_no_symbolic_links(tmp_path: Path) -> None:
    root = make_files(tmp_path / "project", {"a": ""})
    make_files(tmp_path, {"secret/x": ""})
    (root / "folder").symlink_to(tmp_path / "secret")
    (root / "file").symlink_to(tmp_path / "secret" / "x")
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "pipe")
    walk = FileWalk(root, root)

    assert list(walk.iter_files()) == ["a"]
    assert walk.skipped.irregular_count == 4


def test_a_gitignore_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    root = make_files(tmp_path / "project", {"a": ""})
    make_files(tmp_path, {"rules": "a"})
    (root / ".gitignore").symlink_to(tmp_path / "rules")

    assert list_walk(root) == ["a"]


def test_the_dot_git_folders_are_skipped(tmp_path: Path) -> None:
    root = make_files(tmp_path, {".git/config": "", "sub/.git/config": "", ".github/x": ""})

    assert list_walk(root) == [".github/x"]


def test_a_cancelled_walk_ends_and_is_truncated(tmp_path: Path) -> None:
    root = make_files(tmp_path, {"a": "", "b": ""})
    walk = FileWalk(root, root, lambda: True)

    assert list(walk.iter_files()) == []
    assert walk.skipped.is_truncated


def test_a_pattern_that_git_rejects_ignores_nothing(tmp_path: Path) -> None:
    root = make_files(tmp_path, {"a": ""})
    (root / ".gitignore").write_bytes(b"\xff\xfe\n!\n[z-\n\n# a\n")

    assert list_walk(root) == [".gitignore", "a"]
