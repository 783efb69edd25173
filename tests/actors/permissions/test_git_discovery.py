"""Harmless git goes by the settings of the workspace's own repository, and of no other."""

from dataclasses import replace
from pathlib import Path

import pytest

from actors.paths.resolve import WorkspacePaths
from actors.permissions.default_rules import DEFAULT_RULES
from messages.policy import Action, Policy
from tests.actors.permissions.decision_helpers import decide_action, rule, user_rules

pytestmark = pytest.mark.quick

TRUSTED_POLICY = Policy(defaults=DEFAULT_RULES, trusted=True)


@pytest.fixture
def ground(tmp_path: Path) -> WorkspacePaths:
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
def test_in_the_workspaces_own_repository_git_may_look(
    command: str, ground: WorkspacePaths
) -> None:
    assert decide_command(command, ground) == "allow"


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
def test_a_repository_below_may_start_programs_of_its_own(
    command: str, ground: WorkspacePaths
) -> None:
    assert decide_command(command, ground) == "ask"


@pytest.mark.parametrize("names", [("HEAD", "refs", "objects"), ("HEAD", "commondir")])
def test_a_bare_repository_can_be_put_together_by_plain_writes(
    names: tuple[str, ...], ground: WorkspacePaths
) -> None:
    made = Path(ground.root, "made")
    create_bare_repository(made, *names[1:])
    assert decide_command("cd made && git status", ground) == "allow"
    editing = replace(TRUSTED_POLICY, mode="auto-edit")
    assert decide_action("write", "made/HEAD", editing, workspace_paths=ground) == "allow"

    create_bare_repository(made, "HEAD")
    (made / "src").mkdir()

    assert decide_command("cd made && git status", ground) == "ask"
    assert decide_command("cd made/src && git status", ground, editing) == "ask"
    assert decide_command("git status", ground) == "allow"


def test_the_root_may_be_made_a_bare_repository_too(ground: WorkspacePaths) -> None:
    create_bare_repository(Path(ground.root), "HEAD", "refs", "objects")

    assert decide_command("git status", ground) == "ask"
    assert decide_command("cd src && git status", ground) == "ask"


def test_an_added_folder_has_a_repository_of_its_own(
    ground: WorkspacePaths, tmp_path: Path
) -> None:
    added = str(tmp_path.resolve() / "added")
    Path(added).mkdir()
    policy = replace(TRUSTED_POLICY, added_directories=(added,))

    assert decide_command(f"cd {added} && ls", ground, policy) == "allow"
    assert decide_command(f"cd {added} && git status", ground, policy) == "ask"


def test_who_allows_git_by_a_rule_allows_it_everywhere(ground: WorkspacePaths) -> None:
    policy = replace(
        TRUSTED_POLICY, sources=(user_rules(rule("bash", "git *"), rule("bash", "cd *")),)
    )

    assert decide_command("cd nested && git status", ground, policy) == "allow"
