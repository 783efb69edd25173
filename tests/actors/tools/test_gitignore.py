"""A walk excludes the same files as git does, on random trees."""

import os
import random
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from actors.tools.file_walk import FileWalk

NAMES = ("a", "b", "c", "ab", "a.b", "x y", "é", "[a]", "!a", "#b", "A", "foo.py", "*", "a\\b")
ATOMS = (
    *("a", "b", "c", "ab", "A", "é", "x y", "x\\ y", "foo.*", "!a", "\\!a", "#b", "\\#b", "{a,b}"),
    *(
        "*",
        "**",
        "***",
        "?",
        "a*",
        "*.b",
        "b?",
        "*b*",
        "a**b",
        "\\*",
        "\\[a\\]",
        "a\\",
        "[a",
        "[]-]",
    ),
    *("[ab]", "[!a]", "[^a]", "[a-c]", "[[:alpha:]]", "[[:no:]]", "a[/]b", "[\\]a]", "[c-a]"),
)
ENDS = (" ", "  ", "\\ ", "\t", "\r", " \\")


@pytest.mark.parametrize("first_seed", range(0, 60, 20))
def test_a_walk_finds_the_files_that_git_lists(tmp_path: Path, first_seed: int) -> None:
    compare_with_git(tmp_path, range(first_seed, first_seed + 20))


@pytest.mark.long
@pytest.mark.timeout(600)
def test_thousands_of_walks_find_the_files_that_git_lists(tmp_path: Path) -> None:
    compare_with_git(tmp_path, range(5_000))


@pytest.mark.quick
def test_an_allowlist_in_a_gitignore_works_as_usual(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*\n!*/\n!*.py\n!.gitignore\n")
    (tmp_path / "src").mkdir()
    for name in ("a.py", "a.log", "src/b.py", "src/b.log"):
        (tmp_path / name).touch()

    assert [*FileWalk(tmp_path, tmp_path).iter_files()] == [".gitignore", "a.py", "src/b.py"]


@pytest.mark.quick
def test_an_ignored_folder_is_walked_when_named_explicitly(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("modules/\n*.log\n")
    (tmp_path / "modules").mkdir()
    for name in ("modules/a.js", "modules/a.log"):
        (tmp_path / name).touch()

    assert [*FileWalk(tmp_path, tmp_path / "modules").iter_files()] == ["a.js"]


def compare_with_git(folder: Path, seeds: range) -> None:
    for seed in seeds:
        root = folder / str(seed)
        root.mkdir()
        make_random_tree(random.Random(seed), root)  # noqa: S311  (a replayable sequence, no secret)
        walked = set(FileWalk(root, root).iter_files())
        assert walked == list_with_git(root), f"seed {seed}"


def make_random_tree(random_source: random.Random, folder: Path, depth: int = 0) -> None:
    """Make a small tree with ignore files in some folders."""
    for name in random_source.sample(NAMES, random_source.randint(1, 5)):
        path = folder / name
        if depth < 3 and random_source.random() < 0.5:
            path.mkdir()
            make_random_tree(random_source, path, depth + 1)
        else:
            path.touch()
    if depth == 0 or random_source.random() < 0.3:
        byte_order_mark = "\ufeff" if random_source.random() < 0.2 else ""
        lines = "\n".join(
            make_random_pattern(random_source) for _ in range(random_source.randint(1, 5))
        )
        end = random_source.choice(("", "\n", "\r\n"))
        (folder / ".gitignore").write_bytes(f"{byte_order_mark}{lines}{end}".encode())


def make_random_pattern(random_source: random.Random) -> str:
    text = "/".join(
        random_source.choice(ATOMS) for _ in range(random_source.choice((1, 1, 1, 2, 2, 3)))
    )
    prefix = "/" if random_source.random() < 0.25 else ""
    suffix = "/" if random_source.random() < 0.3 else ""
    negation = "!" if random_source.random() < 0.25 else ""
    end = random_source.choice(ENDS) if random_source.random() < 0.1 else ""
    return f"{negation}{prefix}{text}{suffix}{end}"


def list_with_git(root: Path) -> set[str]:
    run_git(root, "init", "--quiet")
    output = run_git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return {os.fsdecode(path) for path in output.split(b"\0") if path}


def run_git(root: Path, *arguments: str) -> bytes:
    environment: Mapping[str, str] = {
        "PATH": os.environ["PATH"],
        "HOME": str(root),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    process = subprocess.run(
        ["git", "-C", root, *arguments], env=environment, capture_output=True, check=True
    )
    return process.stdout
