"""File names with `*`, `?` and `[…]` count for what they stand for, where that tightens."""

import os
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from actors.permissions.defaults import BUILT_IN
from actors.permissions.patterns import MOST_NAMES, Patterns
from actors.permissions.places import WorkspacePaths
from messages.rules import Policy
from tests.actors.permissions.judged import by_rules, decided, rule, user, verdict

pytestmark = pytest.mark.quick

ANY = tuple(
    rule(permission, pattern)
    for permission, pattern in product(("bash", "read", "write"), ("*", "/*"))
)
DENYING = by_rules(
    *ANY,
    rule("read", ".env", "deny"),
    rule("read", "*/.env", "deny"),
    rule("read", "secret/*", "deny"),
    rule("read", "/*/outside/*", "deny"),
    rule("write", "*.lock", "deny"),
)
EVERYTHING = Policy(mode="yolo", defaults=BUILT_IN, sources=(user(*ANY),))


@pytest.fixture
def ground(tmp_path: Path) -> WorkspacePaths:
    root = tmp_path.resolve() / "project"
    for folder in ("project/src", "project/secret", "project/.git", "project/sub", "outside"):
        (tmp_path / folder).mkdir(parents=True)
    for name in (".env", "sub/.env", "secret/key", "src/a.py", "x.lock", ".git/config", "[b]"):
        (root / name).write_text("text")
    (tmp_path / "outside" / "note").write_text("text")
    (root / "linked").symlink_to("../outside")
    return WorkspacePaths(root=str(root), cwd=str(root), home=str(tmp_path))


DENIED = """
cat .en*
cat .en?
cat .e[n]v
cat .e[!x]v
cat .e[]n]v
cat .e[[:alpha:]]v
cat ./.e*
cat .*
cat */.env
cat s*/.e*
cat s*t/*
cat sec*/key
cat sub/../.e*
cat */../.e*
cat ~+/.e*
cat $PWD/.e*
cat {.e,x}*
cat < .en*
cat x .e* y
cat link*/note
cat l*/n*
sudo cat .e*
bash -c 'cat .e*'
cd sub && cat .e*
rm *.lock
rm x.loc?
rm *
rm ./x*
""".strip().splitlines()
ALLOWED = """
cat '.en*'
cat "*"
cat \\.en\\*
cat *
cat src/*
cat *.txt
rm src/*
cat [b]
cat e*
cd src && cat *
""".strip().splitlines()


@pytest.mark.parametrize("command", DENIED)
def test_a_deny_holds_for_what_a_pattern_stands_for(command: str, ground: WorkspacePaths) -> None:
    assert verdict("bash", command, DENYING, ground=ground) == "deny"


@pytest.mark.parametrize("command", ALLOWED)
def test_a_pattern_is_no_more_than_it_stands_for(command: str, ground: WorkspacePaths) -> None:
    assert verdict("bash", command, DENYING, ground=ground) == "allow"


@pytest.mark.parametrize(
    "command", ["touch .g*/config", "touch .git/c*", "echo x > .gi?/config", "touch .git/new*"]
)
def test_a_pattern_opens_no_protected_file(command: str, ground: WorkspacePaths) -> None:
    assert verdict("bash", command, EVERYTHING, ground=ground) == "ask"


def test_more_names_than_are_compared_ask(ground: WorkspacePaths) -> None:
    many = Path(ground.root, "many")
    many.mkdir()
    for number in range(150):
        (many / str(number)).touch()
    command = "cat " + " ".join(f"many/{number}*" for number in range(MOST_NAMES // 150 + 1))

    assert verdict("bash", command, DENYING, ground=ground) == "ask"
    assert verdict("bash", command[: len(command) // 2], DENYING, ground=ground) == "allow"
    lenient = replace(DENYING, grants=(rule("bash", command),))
    assert verdict("bash", command, lenient, ground=ground) == "ask"


def test_more_paths_than_are_followed_ask(ground: WorkspacePaths) -> None:
    for number in range(40):
        Path(ground.root, "many", str(number)).mkdir(parents=True)
    command = "cat " + " ".join(f"many/*/{number}" for number in range(MOST_NAMES // 400))

    assert verdict("bash", command, DENYING, ground=ground) == "ask"
    assert verdict("bash", command[: len(command) // 2], DENYING, ground=ground) == "allow"


def test_what_stands_behind_a_pattern_is_looked_for_in_folders_only(ground: WorkspacePaths) -> None:
    def told(command: str) -> set[str]:
        return {part.target for part in decided(("bash", command), ground=ground).parts[1:]}

    assert told("cat */key") == {
        "secret/key",
        "src/key",
        "sub/key",
        f"{Path(ground.root).parent}/outside/key",
    }
    assert "src/a.py/x" not in told("cat */*/x")


def test_no_pattern_takes_long_over_a_long_name(tmp_path: Path) -> None:
    name = "a" * 255
    (tmp_path / name).touch()

    def matched(pattern: str) -> bool:
        return any(Patterns().matches(pattern, str(tmp_path), os.path.exists))

    assert matched("a*" * 100)
    assert not matched("a*" * 100 + "b")
    assert not matched("*a?" * 60 + "*b*")
