"""Read-only git commands are allowed only with the workspace's own repository."""

import subprocess
from collections.abc import Callable
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


ALLOWED_GIT = user_rules(*(rule("bash", f"{name} *") for name in ("git", "cd", "cp", "mkdir")))
CONFIGURATION = """\
[core]
	repositoryformatversion = 0
	bare = false
	worktree = ..
	fsmonitor = "touch STARTED; false"
"""


def plant_files(root: Path) -> str:
    """A clone contains a bare repository as ordinary files."""
    write_bare_repository(root / "docs")
    return "docs"


def plant_git_file(root: Path) -> str:
    """A `.git` file names a folder with ordinary files."""
    write_bare_repository(root / "data")
    (root / "docs").mkdir()
    (root / "docs" / ".git").write_text("gitdir: ../data\n")
    return "docs"


def plant_common_folder(root: Path) -> str:
    """A repository takes its objects and its configuration from another folder."""
    write_bare_repository(root / "data")
    for folder in (root / "docs", root / "other"):
        folder.mkdir()
    (root / "other" / "HEAD").write_text("ref: refs/heads/master\n")
    (root / "other" / "commondir").write_text("../data\n")
    (root / "docs" / ".git").write_text("gitdir: ../other\n")
    return "docs"


def plant_by_agent(root: Path) -> str:
    """The agent writes the files itself; the edits are allowed in auto-edit mode."""
    policy = replace(TRUSTED_POLICY, mode="auto-edit")
    paths = WorkspacePaths(root=str(root), cwd=str(root), home="/")
    for name in ("HEAD", "config", "refs/k", "objects/k"):
        assert decide_action("write", f"docs/{name}", policy, workspace_paths=paths) == "allow"
    write_bare_repository(root / "docs")
    return "docs"


def write_bare_repository(folder: Path) -> None:
    for name in ("refs/k", "objects/k"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    (folder / "HEAD").write_text("ref: refs/heads/master\n")
    (folder / "config").write_text(CONFIGURATION)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "clone"
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


@pytest.mark.parametrize("is_trusted", [True, False])
@pytest.mark.parametrize(
    "plant", [plant_files, plant_git_file, plant_common_folder, plant_by_agent]
)
def test_no_rule_allows_git_in_another_repository(
    clone: Path, plant: Callable[[Path], str], *, is_trusted: bool
) -> None:
    folder = plant(clone)
    # This is what the question prevents.
    subprocess.run(["git", "status"], cwd=clone / folder, check=False, capture_output=True)
    assert [*clone.rglob("STARTED")]

    policy = replace(DEFAULT_POLICY, sources=(ALLOWED_GIT,), trusted=is_trusted)
    paths = WorkspacePaths(root=str(clone), cwd=str(clone), home="/")
    for command in (
        f"cd {folder} && git status",
        f"cd {folder}; git diff",
        f"(cd {folder} && git log)",
        f"cd $PWD/{folder} && git status",
        f"git -C {folder} status",
        f"git --git-dir={folder} status",
        f"GIT_DIR={folder} git status",
        f"export GIT_DIR={folder}; git status",
    ):
        assert decide_command(command, paths, policy) == "ask", command
    (clone / "own").mkdir()
    for command in ("git status", "git commit -m x", "mkdir -p a/b && git add a", "git -C own log"):
        assert decide_command(command, paths, policy) == "allow", command


def test_git_asks_where_the_same_command_may_create_a_repository(clone: Path) -> None:
    (clone / "docs").mkdir()
    (clone / "files").mkdir()
    policy = replace(TRUSTED_POLICY, sources=(ALLOWED_GIT,))
    paths = WorkspacePaths(root=str(clone), cwd=str(clone), home="/")

    assert decide_command("cp -r files/. docs && cd docs && git status", paths, policy) == "ask"
    assert decide_command("git clone https://x.org/x y && cd y && git log", paths, policy) == "ask"
    assert decide_command("git clone https://x.org/x y && git -C y log", paths, policy) == "ask"
    assert decide_command("cd docs && git add . && git status", paths, policy) == "allow"
