"""Rules that ask or deny apply to the files that a word with `*`, `?` or `[…]` matches."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from actors.paths.resolve import WorkspacePaths
from actors.permissions.glob_expansion import MAX_COMPARED_NAMES, GlobExpansion
from tests.actors.permissions.decision_helpers import (
    DEFAULT_POLICY,
    decide_action,
    decide_requests,
    rule,
    rules_only_policy,
    user_rules,
)

pytestmark = pytest.mark.quick

ALLOW_ALL_RULES = tuple(
    rule(permission, pattern)
    for permission, pattern in product(("bash", "read", "write"), ("*", "/*"))
)
DENY_POLICY = rules_only_policy(
    *ALLOW_ALL_RULES,
    rule("read", ".env", "deny"),
    rule("read", "*/.env", "deny"),
    rule("read", "secret/*", "deny"),
    rule("read", "/*/outside/*", "deny"),
    rule("write", "*.lock", "deny"),
)
YOLO_POLICY = replace(
    DEFAULT_POLICY,
    mode="yolo",
    sources=(user_rules(*ALLOW_ALL_RULES),),
)


@pytest.fixture
def workspace_paths(tmp_path: Path) -> WorkspacePaths:
    root = tmp_path.resolve() / "project"
    for folder in ("project/src", "project/secret", "project/.git", "project/sub", "outside"):
        (tmp_path / folder).mkdir(parents=True)
    for name in (".env", "sub/.env", "secret/key", "src/a.py", "x.lock", ".git/config", "[b]"):
        (root / name).write_text("text")
    (tmp_path / "outside" / "note").write_text("text")
    (root / "linked").symlink_to("../outside")
    return WorkspacePaths(root=str(root), cwd=str(root), home=str(tmp_path))


DENIED_COMMANDS = """
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
ALLOWED_COMMANDS = """
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


@pytest.mark.parametrize("command", DENIED_COMMANDS)
def test_a_deny_applies_to_files_that_a_pattern_matches(
    command: str, workspace_paths: WorkspacePaths
) -> None:
    assert decide_action("bash", command, DENY_POLICY, workspace_paths=workspace_paths) == "deny"


@pytest.mark.parametrize("command", ALLOWED_COMMANDS)
def test_a_pattern_that_matches_no_denied_file_is_allowed(
    command: str, workspace_paths: WorkspacePaths
) -> None:
    assert decide_action("bash", command, DENY_POLICY, workspace_paths=workspace_paths) == "allow"


@pytest.mark.parametrize(
    "command", ["touch .g*/config", "touch .git/c*", "echo x > .gi?/config", "touch .git/new*"]
)
def test_a_pattern_does_not_bypass_protected_paths(
    command: str, workspace_paths: WorkspacePaths
) -> None:
    assert decide_action("bash", command, YOLO_POLICY, workspace_paths=workspace_paths) == "ask"


def test_more_names_than_can_be_compared_ask(workspace_paths: WorkspacePaths) -> None:
    many = Path(workspace_paths.root, "many")
    many.mkdir()
    for number in range(150):
        (many / str(number)).touch()
    command = "cat " + " ".join(
        f"many/{number}*" for number in range(MAX_COMPARED_NAMES // 150 + 1)
    )

    assert decide_action("bash", command, DENY_POLICY, workspace_paths=workspace_paths) == "ask"
    assert (
        decide_action(
            "bash", command[: len(command) // 2], DENY_POLICY, workspace_paths=workspace_paths
        )
        == "allow"
    )
    granted = replace(DENY_POLICY, grants=(rule("bash", command),))
    assert decide_action("bash", command, granted, workspace_paths=workspace_paths) == "ask"


def test_more_paths_than_can_be_resolved_ask(workspace_paths: WorkspacePaths) -> None:
    for number in range(40):
        Path(workspace_paths.root, "many", str(number)).mkdir(parents=True)
    command = "cat " + " ".join(f"many/*/{number}" for number in range(MAX_COMPARED_NAMES // 400))

    assert decide_action("bash", command, DENY_POLICY, workspace_paths=workspace_paths) == "ask"
    assert (
        decide_action(
            "bash", command[: len(command) // 2], DENY_POLICY, workspace_paths=workspace_paths
        )
        == "allow"
    )


def test_only_folders_match_a_pattern_followed_by_a_name(
    workspace_paths: WorkspacePaths,
) -> None:
    def list_targets(command: str) -> set[str]:
        return {
            part.target
            for part in decide_requests(
                ("bash", command), workspace_paths=workspace_paths
            ).resolved_requests[1:]
        }

    assert list_targets("cat */key") == {
        "secret/key",
        "src/key",
        "sub/key",
        f"{Path(workspace_paths.root).parent}/outside/key",
    }
    assert "src/a.py/x" not in list_targets("cat */*/x")


def test_every_pattern_is_matched_in_linear_time(tmp_path: Path) -> None:
    name = "a" * 255
    (tmp_path / name).touch()

    def has_match(pattern: str) -> bool:
        return any(GlobExpansion().expand(pattern, str(tmp_path), list))

    assert has_match("a*" * 100)
    assert not has_match("a*" * 100 + "b")
    assert not has_match("*a?" * 60 + "*b*")
