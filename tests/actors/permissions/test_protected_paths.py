"""Protected files, such as git hooks: every call that changes one asks, in every mode."""

import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from actors.paths.resolve import WorkspacePaths
from actors.permissions.protected_paths import (
    ProtectedPaths,
    find_hooks_folders,
    find_link_targets,
    to_targets,
)
from messages.policy import PermissionMode, Policy, Rule
from tests.actors.permissions.decision_helpers import (
    DEFAULT_POLICY,
    decide_action,
    decide_requests,
    rule,
    user_rules,
)

pytestmark = pytest.mark.quick

ROOT = Path("/home/me/project")

PROTECTED_TARGETS = [
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
    "lib/\u200c.git/config",
    "me.code-workspac\u200ce",
    "me.code-workspace//",
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
    "AGENTS.md",
    "packages/a/agents.md",
    "CLAUDE.md/",
    "docs/GEMINI.md",
    ".npmrc",
    "/home/me/.npmrc",
    ".cargo/config.toml",
    ".pre-commit-config.yaml",
    ".github/workflows/ci.yml",
    ".GitHub/workflows",
    ".mise.toml",
    ".direnvrc",
    "src/sitecustomize.py",
]
UNPROTECTED_TARGETS = [
    "src/app.py",
    ".gitignore",
    ".github/dependabot.yml",
    "workflows/ci.yml",
    "docs/XAGENTS.md",
    "AGENTS.md.bak",
    ".cargo/registry/a.toml",
    "cargo/config.toml",
    "git/hooks/pre-commit",
    "hooks/pre-commit",
    "docs/.bashrc.md",
    "x.bashrc",
    ".config/app.json",
    ".greenroom/plans/next.md",
    "claude/settings.json",
]


@pytest.mark.parametrize("target", PROTECTED_TARGETS)
def test_a_path_with_a_known_name_is_protected(target: str) -> None:
    assert ProtectedPaths().is_protected(target)


@pytest.mark.parametrize("target", UNPROTECTED_TARGETS)
def test_paths_with_other_names_are_not_protected(target: str) -> None:
    assert not ProtectedPaths().is_protected(target)


@pytest.mark.parametrize("mode", get_args(PermissionMode))
@pytest.mark.parametrize("permission", ["write", "edit"])
def test_no_mode_and_no_grant_allows_a_protected_file(
    mode: PermissionMode, permission: str
) -> None:
    for target in PROTECTED_TARGETS:
        granted = Rule(permission=permission, pattern=target, action="allow")
        policy = replace(DEFAULT_POLICY, mode=mode, grants=(granted,))
        decision = decide_requests((permission, target), policy=policy).decision
        expected = "deny" if mode == "plan" else "ask"
        assert (decision.action, decision.grants) == (expected, ()), target


def test_reading_a_protected_file_is_allowed_as_usual() -> None:
    assert decide_action("read", ".git/config") == "allow"


def test_additional_folders_are_protected_wherever_they_are() -> None:
    outside, inside = Path("/srv/greenroom"), ROOT / "state"
    extra_targets = to_targets([outside, inside], ROOT)

    assert extra_targets == ("/srv/greenroom", "state")
    for target in ("/srv/greenroom", "/srv/greenroom/rules.json", "/SRV/Greenroom/x", "state/x"):
        assert ProtectedPaths(extra_targets).is_protected(target), target
    for target in ("/srv/greenroom-2/x", "/srv", "srv/greenroom/x", "/state/x", "stated/x"):
        assert not ProtectedPaths(extra_targets).is_protected(target), target


def test_a_workspace_inside_a_protected_folder_is_protected() -> None:
    extra_targets = to_targets([ROOT.parent], ROOT)

    assert extra_targets == (".",)
    assert ProtectedPaths(extra_targets).is_protected("src/app.py")
    assert not ProtectedPaths(extra_targets).is_protected("/etc/hosts")


def test_an_additional_protected_folder_asks_even_in_yolo() -> None:
    policy = Policy(mode="yolo", protected_paths=("/srv/greenroom",))

    assert decide_action("write", "/srv/greenroom/sessions/1.jsonl", policy) == "ask"
    assert decide_action("write", "/srv/other", policy) == "allow"


WRITE_COMMANDS = """
echo x > T
echo x >> T
echo x >| T
echo x &> T
echo x 2> T
cat <> T
> T
echo x | tee T
tee -a b T
cp a T
cp a "T"
cp -t D a
cp --target-directory=D a
mv a T
mv T a
ln -s a T
ln a T
install -m 755 a T
rsync a T
dd if=a of=T
touch T
truncate -s 0 T
mkdir T
rm -rf T
chmod +x T
sed -i s/a/b/ T
sed -n 'w T' a
awk '{print > "T"}' a
perl -pi -e 1 T
python3 -c 'open("T", "w")'
sort -o T a
uniq a T
find . -fprint T
curl -o T u
curl --output=T u
wget -O T u
patch T a
tar cf T a
zip T a
git diff --output=T
cd . && echo x > T
(echo x > T)
echo "$(echo x > T)"
bash -c 'echo x > T'
sudo tee T
timeout 5 cp a T
xargs tee T
f() { echo x > T; }; f
f() { ls; } > T
cp -at D a
cp -at./D a
install --target-dir=D a
sort -uoT a
curl -sSLoT u
tar -czfT a
sed -n 'wT' a
node -e 'write(`T`)'
vim -c 'w! T' a
docker run -v T:/x i
cd D && echo x > N
cd ./D; touch N
bash -c 'cd D && echo x > N'
eval 'cd D; touch N'
sudo sh -c 'ls; cd D; cp /etc/hosts N'
""".strip().splitlines()
GIT_CONFIG_COMMANDS = """
git config core.hooksPath x
git config --global alias.x '!y'
git config --unset x
git config set a b
git -c a=b config x y
sudo git config x y
bash -c 'git config x y'
""".strip().splitlines()
TARGETS = (".git/config", ".git/hooks/post-commit", ".greenroom/agents/x.md", ".vscode/tasks.json")
ALLOW_ALL_RULES = tuple(
    rule(permission, pattern)
    for permission, pattern in product(("bash", "read", "write", "edit"), ("*", "/*"))
)
YOLO_POLICY = replace(
    DEFAULT_POLICY,
    mode="yolo",
    sources=(user_rules(*ALLOW_ALL_RULES),),
)


def fill_in(command: str, target: str) -> str:
    """Insert a target (T), its folder (D) and its name (N) into a command."""
    folder, _, name = target.rpartition("/")
    parts = {"T": target, "D": folder, "N": name}
    return re.sub(r"(?<![A-Z])[TDN](?![A-Z])", lambda match: parts[match[0]], command)


@pytest.mark.parametrize("exists", [True, False])
def test_no_command_that_writes_a_protected_file_is_allowed(
    exists: bool,  # noqa: FBT001  (both)
    tmp_path: Path,
) -> None:
    root = tmp_path.resolve()
    workspace_paths = WorkspacePaths(root=str(root), cwd=str(root), home=str(root / "home"))
    allowed: list[str] = []
    for target in TARGETS:
        if exists:
            (root / target).parent.mkdir(parents=True, exist_ok=True)
            (root / target).touch()
        commands = [fill_in(command, target) for command in WRITE_COMMANDS]
        calls = [("bash", command) for command in (*commands, *GIT_CONFIG_COMMANDS)]
        calls += [("write", target), ("edit", target), ("write", str(root / target))]
        allowed += [
            call_target
            for tool, call_target in calls
            if decide_action(tool, call_target, YOLO_POLICY, workspace_paths=workspace_paths)
            == "allow"
        ]

    assert allowed == []


def test_the_same_commands_on_other_files_are_allowed() -> None:
    not_allowed = [
        command
        for command in WRITE_COMMANDS
        if decide_action("bash", fill_in(command, "src/a"), YOLO_POLICY) != "allow"
    ]
    assert not_allowed == []


def test_links_to_and_from_protected_names_are_protected(
    tmp_path: Path,
) -> None:
    root = tmp_path.resolve()
    workspace_paths = WorkspacePaths(root=str(root), cwd=str(root), home=str(root / "home"))
    (root / "hooks").mkdir()
    (root / ".git").mkdir()
    (root / ".git" / "hooks").symlink_to("../hooks")
    (root / "open").symlink_to(".git/config")

    link_targets = find_link_targets(workspace_paths)
    assert link_targets == (root / "hooks",)
    policy = Policy(mode="yolo", protected_paths=to_targets(link_targets, root))
    for target in ("open", "hooks/post-commit", ".git/hooks/post-commit"):
        assert decide_action("write", target, policy, workspace_paths=workspace_paths) == "ask", (
            target
        )
    assert decide_action("write", "other", policy, workspace_paths=workspace_paths) == "allow"


def test_the_hooks_folders_in_git_configuration_are_found(tmp_path: Path) -> None:
    root, home = tmp_path.resolve() / "root", tmp_path.resolve() / "home"
    for folder in (root / ".git", home / ".config" / "git", root / "real"):
        folder.mkdir(parents=True)
    (root / "linked").symlink_to("real")
    (root / ".git" / "config").write_text("[core]\n\thooksPath = linked ; why\n")
    (root / ".git" / "config.worktree").write_text('[core]\nHOOKSPATH="scripts/hooks"\n')
    (home / ".gitconfig").write_text("[core]\nhookspath = ~/hooks\n# hooksPath = no\n")
    (home / ".config" / "git" / "config").write_text("[core]\nhooksPath = linked\n")

    assert find_hooks_folders(str(root), str(home)) == (
        root / "real",
        root / "scripts" / "hooks",
        home / "hooks",
    )


def test_git_configuration_that_is_not_a_file_is_ignored(tmp_path: Path) -> None:
    (tmp_path / ".git" / "config").mkdir(parents=True)

    assert find_hooks_folders(str(tmp_path), str(tmp_path / "gone")) == ()
