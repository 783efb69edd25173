"""Read-only git commands are allowed only with the workspace's own repository."""

from dataclasses import replace
from pathlib import Path

import pytest

from actors.paths.resolve import WorkspacePaths
from messages.policy import Action, Policy
from tests.actors.permissions.decision_helpers import (
    DEFAULT_POLICY,
    decide_action,
    rule,
    user_rules,
)

pytestmark = pytest.mark.quick

TRUSTED_POLICY = replace(DEFAULT_POLICY, trusted=True)


@pytest.fixture
def workspace_paths(tmp_path: Path) -> WorkspacePaths:
    root = tmp_path.resolve() / "project"
    for folder in (".git", "src/deep", "nested/.git", "nested/src", "linked/src"):
        (root / folder).mkdir(parents=True)
    (root / "linked" / ".git").write_text("gitdir: ../elsewhere")
    return WorkspacePaths(root=str(root), cwd=str(root), home=str(tmp_path))


def create_bare_repository(folder: Path, *names: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).touch()


def decide_command(
    command: str, workspace_paths: WorkspacePaths, policy: Policy = TRUSTED_POLICY
) -> Action:
    return decide_action("bash", command, policy, workspace_paths=workspace_paths)


@pytest.mark.parametrize("command", ["git status", "cd src && git diff", "cd src/deep; git log -p"])
def test_read_only_git_is_allowed_in_the_own_repository(
    command: str, workspace_paths: WorkspacePaths
) -> None:
    assert decide_command(command, workspace_paths) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "cd nested && git status",
        "cd nested/src && git status",
        "cd nested; git diff",
        "(cd nested && git log -p)",
        "cd linked/src && git status",
        "cd src && git status && cd ../nested && git status",
    ],
)
def test_git_in_a_nested_repository_asks(command: str, workspace_paths: WorkspacePaths) -> None:
    assert decide_command(command, workspace_paths) == "ask"


@pytest.mark.parametrize("names", [("HEAD", "refs", "objects"), ("HEAD", "commondir")])
def test_a_bare_repository_made_by_plain_writes_asks(
    names: tuple[str, ...], workspace_paths: WorkspacePaths
) -> None:
    bare = Path(workspace_paths.root, "bare")
    create_bare_repository(bare, *names[1:])
    assert decide_command("cd bare && git status", workspace_paths) == "allow"
    editing = replace(TRUSTED_POLICY, mode="auto-edit")
    assert decide_action("write", "bare/HEAD", editing, workspace_paths=workspace_paths) == "allow"

    create_bare_repository(bare, "HEAD")
    (bare / "src").mkdir()

    assert decide_command("cd bare && git status", workspace_paths) == "ask"
    assert decide_command("cd bare/src && git status", workspace_paths, editing) == "ask"
    assert decide_command("git status", workspace_paths) == "allow"


def test_a_root_that_became_a_bare_repository_asks(workspace_paths: WorkspacePaths) -> None:
    create_bare_repository(Path(workspace_paths.root), "HEAD", "refs", "objects")

    assert decide_command("git status", workspace_paths) == "ask"
    assert decide_command("cd src && git status", workspace_paths) == "ask"


def test_git_in_an_added_folder_asks(workspace_paths: WorkspacePaths, tmp_path: Path) -> None:
    added = str(tmp_path.resolve() / "added")
    Path(added).mkdir()
    policy = replace(TRUSTED_POLICY, added_directories=(added,))

    assert decide_command(f"cd {added} && ls", workspace_paths, policy) == "allow"
    assert decide_command(f"cd {added} && git status", workspace_paths, policy) == "ask"


def test_a_rule_that_allows_git_allows_it_everywhere(workspace_paths: WorkspacePaths) -> None:
    policy = replace(
        TRUSTED_POLICY, sources=(user_rules(rule("bash", "git *"), rule("bash", "cd *")),)
    )

    assert decide_command("cd nested && git status", workspace_paths, policy) == "allow"
