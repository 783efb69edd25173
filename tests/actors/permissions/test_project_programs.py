"""A program that PATH finds in the project is not the read-only one of that name."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from actors.paths.workspace import Workspace
from actors.permissions.decision import AccessDecision
from actors.permissions.initial_policy import resolve_workspace_paths
from messages.policy import Policy
from tests.actors.permissions.decision_helpers import (
    DEFAULT_POLICY,
    decide_requests,
    rule,
    user_rules,
)

pytestmark = pytest.mark.quick

SYSTEM_PATH = "/usr/bin:/bin"
TRUSTED_POLICY = replace(DEFAULT_POLICY, trusted=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "project"
    for name in ("bin/ls", "bin/git", "bin/echo", "cat", "src/rg", ".venv/bin/python"):
        create_program(root / name)
    return root


def create_program(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


def decide_with_path(
    command: str, path: str, root: Path, policy: Policy = TRUSTED_POLICY
) -> AccessDecision:
    before = os.environ["PATH"]
    os.environ["PATH"] = path
    try:
        paths = resolve_workspace_paths(Workspace(root=root, cwd=root))
    finally:
        os.environ["PATH"] = before
    return decide_requests(("bash", command), policy=policy, workspace_paths=paths).decision


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("ls", f"./bin:{SYSTEM_PATH}"),
        ("ls", f"bin:{SYSTEM_PATH}"),
        ("ls", "{root}/bin:/usr/bin:/bin"),
        ("ls", "{root}/../project/bin:/usr/bin:/bin"),
        ("cat src/rg", f":{SYSTEM_PATH}"),
        ("cat src/rg", f".:{SYSTEM_PATH}"),
        ("cd src && rg x", SYSTEM_PATH + ":"),
        ("git status", f"./bin:{SYSTEM_PATH}"),
        ("true && ls", f"./bin:{SYSTEM_PATH}"),
    ],
)
def test_a_read_only_name_found_in_the_project_asks(command: str, path: str, root: Path) -> None:
    decision = decide_with_path(command, path.format(root=root), root)
    assert decision.action == "ask"
    assert decision.reason.startswith(f"PATH leads to {root}/")
    assert decision.reason.endswith("; remove relative and project folders from PATH")
    assert decide_with_path(command, SYSTEM_PATH, root).action == "allow"


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("ls", f"{SYSTEM_PATH}:./bin"),
        ("ls", "{root}/.venv/bin:/usr/bin:/bin"),
        ("echo x", f"./bin:{SYSTEM_PATH}"),
        ("pwd", f":{SYSTEM_PATH}"),
        ("cd src && cat rg", f"{SYSTEM_PATH}:"),
    ],
)
def test_the_programs_of_the_system_stay_read_only(command: str, path: str, root: Path) -> None:
    assert decide_with_path(command, path.format(root=root), root).action == "allow"


def test_a_rule_of_the_user_still_allows_a_program_of_the_project(root: Path) -> None:
    policy = replace(TRUSTED_POLICY, sources=(user_rules(rule("bash", "ls", "allow")),))
    assert decide_with_path("ls", f"./bin:{SYSTEM_PATH}", root, policy).action == "allow"


def test_plan_mode_does_not_allow_a_program_of_the_project(root: Path) -> None:
    policy = replace(TRUSTED_POLICY, mode="plan")
    assert decide_with_path("ls", SYSTEM_PATH, root, policy).action == "allow"
    assert decide_with_path("ls", f"./bin:{SYSTEM_PATH}", root, policy).action != "allow"


def test_a_link_to_a_program_of_the_project_is_no_system_program(root: Path) -> None:
    outside = root.parent / "tools"
    outside.mkdir()
    (outside / "ls").symlink_to(root / "bin" / "ls")
    path = f"{outside}:{SYSTEM_PATH}:{root}/bin"
    assert decide_with_path("ls", path, root).action == "ask"
