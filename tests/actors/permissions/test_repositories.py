"""Harmless git goes by the settings of the workspace's own repository, and of no other."""

from dataclasses import replace
from pathlib import Path

import pytest

from actors.permissions.defaults import BUILT_IN
from actors.permissions.places import WorkspacePaths
from messages.rules import Action, Policy
from tests.actors.permissions.judged import rule, user, verdict

pytestmark = pytest.mark.quick

TRUSTED = Policy(defaults=BUILT_IN, trusted=True)


@pytest.fixture
def ground(tmp_path: Path) -> WorkspacePaths:
    root = tmp_path.resolve() / "project"
    for folder in (".git", "src/deep", "nested/.git", "nested/src", "linked/src"):
        (root / folder).mkdir(parents=True)
    (root / "linked" / ".git").write_text("gitdir: ../elsewhere")
    return WorkspacePaths(root=str(root), cwd=str(root), home=str(tmp_path))


def bare(folder: Path, *names: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).touch()


def judged(command: str, ground: WorkspacePaths, policy: Policy = TRUSTED) -> Action:
    return verdict("bash", command, policy, ground=ground)


@pytest.mark.parametrize("command", ["git status", "cd src && git diff", "cd src/deep; git log -p"])
def test_in_the_workspaces_own_repository_git_may_look(
    command: str, ground: WorkspacePaths
) -> None:
    assert judged(command, ground) == "allow"


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
    assert judged(command, ground) == "ask"


@pytest.mark.parametrize("names", [("HEAD", "refs", "objects"), ("HEAD", "commondir")])
def test_a_bare_repository_can_be_put_together_by_plain_writes(
    names: tuple[str, ...], ground: WorkspacePaths
) -> None:
    made = Path(ground.root, "made")
    bare(made, *names[1:])
    assert judged("cd made && git status", ground) == "allow"
    editing = replace(TRUSTED, mode="auto-edit")
    assert verdict("write", "made/HEAD", editing, ground=ground) == "allow"

    bare(made, "HEAD")
    (made / "src").mkdir()

    assert judged("cd made && git status", ground) == "ask"
    assert judged("cd made/src && git status", ground, editing) == "ask"
    assert judged("git status", ground) == "allow"


def test_the_root_may_be_made_a_bare_repository_too(ground: WorkspacePaths) -> None:
    bare(Path(ground.root), "HEAD", "refs", "objects")

    assert judged("git status", ground) == "ask"
    assert judged("cd src && git status", ground) == "ask"


def test_an_added_folder_has_a_repository_of_its_own(
    ground: WorkspacePaths, tmp_path: Path
) -> None:
    added = str(tmp_path.resolve() / "added")
    Path(added).mkdir()
    policy = replace(TRUSTED, added=(added,))

    assert judged(f"cd {added} && ls", ground, policy) == "allow"
    assert judged(f"cd {added} && git status", ground, policy) == "ask"


def test_who_allows_git_by_a_rule_allows_it_everywhere(ground: WorkspacePaths) -> None:
    policy = replace(TRUSTED, sources=(user(rule("bash", "git *"), rule("bash", "cd *")),))

    assert judged("cd nested && git status", ground, policy) == "allow"
