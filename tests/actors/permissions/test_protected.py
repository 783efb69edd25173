"""Files that later grant power: every route to them asks a person each time."""

from pathlib import Path
from typing import get_args

import pytest

from actors.permissions.defaults import BUILT_IN
from actors.permissions.protected import is_protected, targets_of
from messages.rules import PermissionMode, Policy, Rule
from tests.actors.permissions.judged import decided, verdict

pytestmark = pytest.mark.quick

ROOT = Path("/home/me/project")

PROTECTED = [
    ".greenroom/config.json",
    ".greenroom/agents/x.md",
    ".greenroom",
    ".claude/settings.json",
    ".git",
    ".git/config",
    ".git/config.worktree",
    ".git/hooks/pre-commit",
    ".git/modules/lib/config",
    "vendor/lib/.git/hooks/post-checkout",
    ".GIT/Hooks/pre-commit",
    ".g\u200cit/config",
    ".husky/pre-commit",
    ".gitmodules",
    ".vscode/tasks.json",
    "packages/a/.VSCode/settings.json",
    ".idea/workspace.xml",
    ".mcp.json",
    ".envrc",
    ".devcontainer/devcontainer.json",
    ".vim/after/plugin/x.vim",
    "me.code-workspace",
    "src/.dir-locals.el",
    "lib/.git",
    ".bashrc",
    "/home/me/.bashrc",
    "/home/me/.Zshrc",
    "/home/me/.profile",
    "/home/me/.config/git/config",
    "/home/me/.config/fish/config.fish",
    "/home/me/.config/greenroom/rules.json",
    "/home/me/.ssh/authorized_keys",
    "dotfiles/.bash_profile",
    ".greenroom/plans/.git/hooks/pre-commit",
    ".greenroom/plans/a.sh",
    ".git/hooks/.greenroom/plans/a.md",
]
OPEN = [
    "src/app.py",
    ".gitignore",
    ".github/workflows/ci.yml",
    "git/hooks/pre-commit",
    "hooks/pre-commit",
    "docs/.bashrc.md",
    "x.bashrc",
    ".config/app.json",
    ".greenroom/plans/next.md",
    "claude/settings.json",
]


@pytest.mark.parametrize("target", PROTECTED)
def test_protected_by_name_whether_it_exists_or_not(target: str) -> None:
    assert is_protected(target)


@pytest.mark.parametrize("target", OPEN)
def test_other_names_are_open(target: str) -> None:
    assert not is_protected(target)


@pytest.mark.parametrize("mode", get_args(PermissionMode))
@pytest.mark.parametrize("permission", ["write", "edit"])
def test_no_mode_and_no_grant_opens_a_protected_file(mode: PermissionMode, permission: str) -> None:
    for target in PROTECTED:
        granted = Rule(permission=permission, pattern=target, action="allow")
        policy = Policy(mode=mode, defaults=BUILT_IN, grants=(granted,))
        judgement = decided((permission, target), policy=policy).judgement
        wanted = "deny" if mode == "plan" else "ask"
        assert (judgement.action, judgement.grants) == (wanted, ()), target


def test_reading_a_protected_file_is_no_more_than_reading() -> None:
    assert verdict("read", ".git/config") == "allow"


def test_our_own_folders_are_protected_wherever_they_are() -> None:
    outside, inside = Path("/srv/greenroom"), ROOT / "state"
    ours = targets_of([outside, inside], ROOT)

    assert ours == ("/srv/greenroom", "state")
    for target in ("/srv/greenroom", "/srv/greenroom/rules.json", "/SRV/Greenroom/x", "state/x"):
        assert is_protected(target, ours), target
    for target in ("/srv/greenroom-2/x", "/srv", "srv/greenroom/x", "/state/x", "stated/x"):
        assert not is_protected(target, ours), target


def test_a_workspace_inside_one_of_our_folders_is_protected_as_a_whole() -> None:
    ours = targets_of([ROOT.parent], ROOT)

    assert ours == (".",)
    assert is_protected("src/app.py", ours)
    assert not is_protected("/etc/hosts", ours)


def test_our_own_folders_count_for_the_verdict_even_in_yolo() -> None:
    policy = Policy(mode="yolo", protected=("/srv/greenroom",))

    assert verdict("write", "/srv/greenroom/sessions/1.jsonl", policy) == "ask"
    assert verdict("write", "/srv/other", policy) == "allow"
