"""What a `.gitignore` leaves out, held against git itself on trees drawn at random."""

import os
import random
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from actors.tools.walking import Walk

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


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_the_files_of_a_walk_are_those_that_git_would_list(tmp_path: Path, first: int) -> None:
    compared(tmp_path, range(first, first + 20))


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_files_of_very_many_walks_are_those_that_git_would_list(tmp_path: Path) -> None:
    compared(tmp_path, range(5_000))


@pytest.mark.quick
def test_a_list_of_what_is_kept_works_as_people_write_it(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*\n!*/\n!*.py\n!.gitignore\n")
    (tmp_path / "src").mkdir()
    for name in ("a.py", "a.log", "src/b.py", "src/b.log"):
        (tmp_path / name).touch()

    assert [*Walk(tmp_path, tmp_path).files()] == [".gitignore", "a.py", "src/b.py"]


@pytest.mark.quick
def test_an_ignored_folder_that_is_named_is_walked(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("modules/\n*.log\n")
    (tmp_path / "modules").mkdir()
    for name in ("modules/a.js", "modules/a.log"):
        (tmp_path / name).touch()

    assert [*Walk(tmp_path, tmp_path / "modules").files()] == ["a.js"]


def compared(folder: Path, seeds: range) -> None:
    for seed in seeds:
        root = folder / str(seed)
        root.mkdir()
        plant(random.Random(seed), root)  # noqa: S311  (a replayable sequence, no secret)
        walked = set(Walk(root, root).files())
        assert walked == listed_by_git(root), f"seed {seed}"


def plant(chance: random.Random, folder: Path, depth: int = 0) -> None:
    """Make a small tree with rules here and there."""
    for name in chance.sample(NAMES, chance.randint(1, 5)):
        path = folder / name
        if depth < 3 and chance.random() < 0.5:
            path.mkdir()
            plant(chance, path, depth + 1)
        else:
            path.touch()
    if depth == 0 or chance.random() < 0.3:
        mark = "\ufeff" if chance.random() < 0.2 else ""
        lines = "\n".join(rule(chance) for _ in range(chance.randint(1, 5)))
        end = chance.choice(("", "\n", "\r\n"))
        (folder / ".gitignore").write_bytes(f"{mark}{lines}{end}".encode())


def rule(chance: random.Random) -> str:
    text = "/".join(chance.choice(ATOMS) for _ in range(chance.choice((1, 1, 1, 2, 2, 3))))
    before = "/" if chance.random() < 0.25 else ""
    behind = "/" if chance.random() < 0.3 else ""
    sign = "!" if chance.random() < 0.25 else ""
    end = chance.choice(ENDS) if chance.random() < 0.1 else ""
    return f"{sign}{before}{text}{behind}{end}"


def listed_by_git(root: Path) -> set[str]:
    asked(root, "init", "--quiet")
    out = asked(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return {os.fsdecode(each) for each in out.split(b"\0") if each}


def asked(root: Path, *words: str) -> bytes:
    environment: Mapping[str, str] = {
        "PATH": os.environ["PATH"],
        "HOME": str(root),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    done = subprocess.run(
        ["git", "-C", root, *words], env=environment, capture_output=True, check=True
    )
    return done.stdout
