"""Rules on reading apply to what a folder contains, whichever program reads or copies it."""

from dataclasses import replace
from pathlib import Path

import pytest

from messages.policy import Action
from tests.actors.permissions.attack_workspace import AttackWorkspace, make_workspace
from tests.actors.permissions.decision_helpers import DEFAULT_POLICY, rule, user_rules

_PROGRAMS = "cp mv ln tar zip git cat grep ls cd head awk sed make"
POLICY = replace(
    DEFAULT_POLICY,
    trusted=True,
    sources=(
        user_rules(
            *(rule("bash", f"{name} *") for name in _PROGRAMS.split()),
            rule("read", "secrets/*", "deny"),
        ),
    ),
)
KEY = "KEY-3141"


@pytest.fixture
def workspace(tmp_path: Path) -> AttackWorkspace:
    workspace = make_workspace(tmp_path, POLICY)
    for name in ("secrets/a", "sub/.env", "../outside/secret.txt"):
        workspace.write(name, f"{KEY}\n")
    workspace.write("src/a.py", "print()\n")
    workspace.write("README.md")
    workspace.run("git add -f secrets src README.md; git commit -qm x; ln -s ../outside dirlink")
    workspace.write("secrets/a", f"{KEY} new\n")
    return workspace


def assert_held(workspace: AttackWorkspace, command: str, expected: Action) -> None:
    action, output = workspace.run_if_allowed(command)
    assert KEY not in output, command
    assert action == expected, command


@pytest.mark.parametrize(
    "command",
    [
        "cp -r secrets s && cat s/a",
        "cp -a secrets/. s && cat s/a",
        "cp -rT secrets q && cat q/a",
        "cp -r . c; grep -rh KEY c",
        "mv secrets s && cat s/a",
        "ln -s $PWD/secrets s && cat s/a",
        "tar cf - secrets",
        "tar -cf - .",
        "zip -r - secrets",
        "git log -p secrets",
        "git log -p -- secrets",
        "cd secrets && git log -p -- .",
        "git diff secrets",
        "git diff -- 'secrets/*'",
        "git grep '' -- 's*'",
        "git show HEAD -- secrets",
        "git -C secrets diff -- .",
        "git archive HEAD secrets",
        "git blame secrets/a",
        "git clone . c && cat c/secrets/a",
        "git mv secrets s && cat s/a",
        "grep --nonsense -r x secrets",
    ],
)
def test_a_denied_file_in_a_named_folder_denies(workspace: AttackWorkspace, command: str) -> None:
    assert_held(workspace, command, "deny")


@pytest.mark.parametrize(
    "command",
    [
        "git log -p",
        "git log -p -n 5",
        "cd src; git log -p",
        "git diff",
        "git diff HEAD",
        "git show",
        "git show HEAD",
        "git stash show -p",
        "git grep KEY",
        "git archive HEAD",
        "git worktree add wt && cat wt/secrets/a",
        "git cat-file --batch-all-objects --batch",
        "git diff -- ':!src'",
        "git show ':(top)secrets/a'",
        "git show ':/secrets/a'",
        "git show ':(exclude)src'",
        "git show -- src ':(top)secrets'",
        r"git show -- 'secret\s/a'",
        r"git log -p -- src 'secret\s/a'",
        "git log -p --full-diff -- src",
        "git show --full-diff HEAD -- src",
        "git format-patch --root --stdout",
        "git status -v",
    ],
)
def test_git_without_a_path_asks_if_a_denied_file_is_tracked(
    workspace: AttackWorkspace, command: str
) -> None:
    assert_held(workspace, command, "ask")
    workspace.policy = replace(POLICY, mode="yolo")
    assert workspace.decide(command) in {"ask", "deny"}


@pytest.mark.parametrize(
    "template",
    [
        "git show {}",
        "git show -s {}",
        "git show --stat {}",
        "git show --name-only HEAD {}",
        "git show {} src",
        "git show {} -- src",
        "git show HEAD:src/a.py {}",
        "git cat-file -p {}",
    ],
)
def test_the_hash_of_a_denied_file_asks(workspace: AttackWorkspace, template: str) -> None:
    command = template.format(workspace.run("git rev-parse HEAD:secrets/a").strip())
    assert_held(workspace, command, "ask")
    workspace.policy = replace(POLICY, sources=(user_rules(rule("read", "secrets/*", "deny")),))
    assert_held(workspace, command, "ask")


@pytest.mark.parametrize(
    "command",
    [
        "git archive --add-file=../outside/secret.txt HEAD src",
        "git archive --add-file ../outside/secret.txt HEAD src",
        "git hash-object -w ../outside/secret.txt",
        "git hash-object -w dirlink/secret.txt",
    ],
)
def test_git_asks_before_it_stores_a_file_from_outside(
    workspace: AttackWorkspace, command: str
) -> None:
    assert_held(workspace, command, "ask")


@pytest.mark.parametrize(
    "command",
    [
        "mv sub s; grep -rh '' s",
        "mv dirlink d && cat d/secret.txt",
        "ln -s /etc e && cat e/passwd",
        "ln -s / r; grep root r/etc/passwd",
        "ln -s ../outside d && cat d/secret.txt",
        "ln -s ../outside d && cat < d/secret.txt",
        "ln -s ../outside d; cd d && cat secret.txt",
        "ln -sf ../outside/secret.txt README.md && cat README.md",
        "ln -s ../outside d; grep -R KEY .",
        "ln -s ../outside/secret.txt src/b.py; cat src/*.py",
        "make x; cat made",
    ],
)
def test_a_name_that_another_part_may_create_asks(workspace: AttackWorkspace, command: str) -> None:
    assert_held(workspace, command, "ask")


def test_a_tracked_file_that_asks_makes_git_ask(workspace: AttackWorkspace) -> None:
    workspace.policy = replace(DEFAULT_POLICY, trusted=True)
    assert workspace.decide("git diff") == "allow"
    workspace.run("git add -f sub/.env")
    for command in ("git diff", "git show", "git log -p", "git diff -- '*.env'"):
        assert workspace.decide(command) == "ask", command
    assert workspace.decide("git diff -- src") == "allow"
    assert workspace.decide("git diff src/a.py") == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "git status",
        "git diff",
        "git log",
        "git log -p",
        "git show",
        "git diff src",
        "git log --stat",
    ],
)
def test_git_stays_allowed_where_no_tracked_file_is_restricted(
    workspace: AttackWorkspace, command: str
) -> None:
    workspace.policy = replace(DEFAULT_POLICY, trusted=True)
    assert workspace.decide(command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "git status",
        "git log --oneline -5",
        "git diff --stat",
        "git diff src",
        "git diff -- src README.md",
        "git show HEAD:src/a.py",
        "git log -p -- src",
        "cp src/a.py b.py",
        "cp -r src dst",
        "mv README.md R.md",
        "tar cf src.tar src",
        "make x; cat README.md",
        "cd src && ls",
    ],
)
def test_commands_that_take_no_denied_file_stay_allowed(
    workspace: AttackWorkspace, command: str
) -> None:
    assert workspace.decide(command) == "allow"
