"""A rule that cannot do what its author meant is reported, with what to write instead."""

from pathlib import Path

import pytest

from messages.policy import Action
from shell.config.rule_linter import RuleLinter
from tests.actors.permissions.decision_helpers import (
    decide_action,
    rule,
    rules_only_policy,
)

pytestmark = pytest.mark.quick


@pytest.fixture
def linter(tmp_path: Path) -> RuleLinter:
    """A workspace with the folders `secrets`, `src` and `app/[id]`, and a link to `secrets`."""
    root = tmp_path.resolve() / "work"
    for folder in ("secrets", "src", "app/[id]"):
        (root / folder).mkdir(parents=True)
    (root / "secrets" / "a").touch()
    (root / "link").symlink_to("secrets")
    return RuleLinter(root, tmp_path.resolve() / "home")


def find_warning(linter: RuleLinter, permission: str, pattern: str, action: Action) -> str:
    return linter.find_warnings((rule(permission, pattern, action),)).get(0, "")


@pytest.mark.parametrize("permission", ["read", "write", "*"])
@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("secrets", "it does not cover what is in this folder; write secrets/"),
        ("/secrets/*", "there is no /secrets; for secrets in the workspace, write secrets/*"),
        ("secrets/?", "only * is special; write secrets/*"),
        ("[s]ecrets/a", "only * is special; write *ecrets/a"),
        ("{secrets,x}/*", "only * is special; write one rule for each alternative"),
        ("secrets/*|src/*", "only * is special; write one rule for each alternative"),
        ("secrets\\*", "names are separated by /; write secrets/*"),
        ("C:\\secrets\\a", "names are separated by /; write C:/secrets/a"),
        ("^secrets/.*$", "a pattern is not a regular expression; write secrets/*"),
        ("secrets/.*", "a pattern is not a regular expression; write secrets/*"),
        ("secrets/.+", "a pattern is not a regular expression; write secrets/*"),
        ("!secrets/*", "a pattern cannot be negated; add a rule after this one"),
        (" secrets/*", "it starts or ends with whitespace; write secrets/*"),
        ("secrets/* ", "it starts or ends with whitespace; write secrets/*"),
        ("secrets/*\n", "it starts or ends with whitespace; write secrets/*"),
        ("'secrets/*'", "the quotes are part of the pattern; write secrets/*"),
        ("read(secrets/*)", "a pattern does not include the permission; write secrets/*"),
        ("file:secrets/*", "it is a URL, not a path; write secrets/*"),
        ("$HOME/.ssh/*", "variables are not expanded; write ~/.ssh/*"),
        ("${PWD}/secrets/*", "variables are not expanded"),
        ("Secrets/*", "there is no Secrets, but there is secrets; case matters"),
        ("*/../secrets", "it matches nothing, because .. cannot follow a *"),
        ("~missing/a", "only ~/ means your home folder; write out the path"),
    ],
)
def test_a_path_pattern_with_another_meaning_is_reported(
    linter: RuleLinter, permission: str, pattern: str, expected: str
) -> None:
    assert find_warning(linter, permission, pattern, "deny") == (
        f"deny {permission} {pattern}: {expected}"
    )


def test_a_pattern_through_a_link_is_reported(linter: RuleLinter) -> None:
    for action in ("allow", "deny"):
        warning = find_warning(linter, "read", "link/*", action)
        assert warning.endswith("link is a link, and rules match the real path; write secrets/*")


def test_a_relative_allow_outside_the_workspace_is_reported(linter: RuleLinter) -> None:
    warning = find_warning(linter, "read", "../outside/*", "allow")

    assert warning.endswith(f"outside the workspace, write {linter.root.parent}/outside/*")
    assert find_warning(linter, "read", "../outside/*", "deny") == ""


@pytest.mark.parametrize("action", ["allow", "deny"])
@pytest.mark.parametrize(
    "pattern",
    [
        *("*", "secrets/*", "secrets/", "./secrets/*", "secrets//a", "src/../secrets/*", "*.pem"),
        *("secrets/**", "**/a", ".env.*", "*/.env", "~/.ssh/*", "~/.ssh/", "index.*", "/etc/*"),
        *("app/[id]/*", "notes (old)/*", "new/file.txt", "a b.txt", "secrets/a", "it's.txt"),
    ],
)
def test_an_ordinary_path_pattern_is_not_reported(
    linter: RuleLinter, pattern: str, action: Action
) -> None:
    assert find_warning(linter, "read", pattern, action) == ""


def test_a_folder_may_be_the_target_of_a_search(linter: RuleLinter) -> None:
    for permission in ("ls", "glob", "grep"):
        assert find_warning(linter, permission, "src", "deny") == ""


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^rm .*", "a pattern is not a regular expression; write rm *"),
        ("rm .*", "a pattern is not a regular expression; write rm *"),
        ("git push.*$", "a pattern is not a regular expression; write git push*"),
        ("/bin/rm *", "it matches only this spelling; write rm *, which covers both"),
        (" rm *", "it starts or ends with whitespace; write rm *"),
        ("rm * ", "it starts or ends with whitespace; write rm *"),
        ("bash(rm *)", "a pattern does not include the permission; write rm *"),
        ("Bash(git push:*)", "a pattern does not include the permission; write git push:*"),
        ("'rm *'", "the quotes are part of the pattern; write rm *"),
        ("rm [ab]*", "only * is special; write rm *"),
        ("rm ?", "only * is special; write rm *"),
        ("rm {a,b}", "only * is special; write one rule for each alternative"),
    ],
)
def test_a_command_pattern_with_another_meaning_is_reported(
    linter: RuleLinter, pattern: str, expected: str
) -> None:
    assert find_warning(linter, "bash", pattern, "deny") == f"deny bash {pattern}: {expected}"


@pytest.mark.parametrize(
    ("pattern", "instead"),
    [
        ("rm  *", "rm *"),
        ("rm\t*", "rm *"),
        ("'rm' *", "rm *"),
        ('rm "x"', "rm x"),
        ('git commit -m "*"', "git commit -m *"),
        ("* > *", "*"),
        ("make 2>&1", "make"),
        ("FOO=* make", "make"),
        ("rm * &", "rm *"),
        ("! rm *", "rm *"),
        ("rm \\*", "rm *"),
    ],
)
def test_a_pattern_that_no_command_can_equal_is_reported(
    linter: RuleLinter, pattern: str, instead: str
) -> None:
    warning = find_warning(linter, "bash", pattern, "deny")

    assert "commands are compared without quotes" in warning
    assert warning.endswith(f"; write {instead}")
    assert decide_action("bash", pattern, rules_only_policy(rule("bash", pattern))) != "allow"


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("curl * | sh", "curl *, sh"),
        ("* && rm *", "*, rm *"),
        ("cd src; make *", "cd src, make *"),
    ],
)
def test_a_pattern_of_several_commands_is_reported(
    linter: RuleLinter, pattern: str, parts: str
) -> None:
    warning = find_warning(linter, "bash", pattern, "allow")
    assert warning.endswith(f"write one rule for each of: {parts}")


def test_an_allow_for_a_program_by_its_path_is_not_reported(linter: RuleLinter) -> None:
    assert find_warning(linter, "bash", "./gradlew *", "allow") == ""


@pytest.mark.parametrize(
    "pattern",
    [
        *("*", "rm *", "rm:*", "git push *", "git commit -m *", "npm run test:*", "*rm*"),
        *("git show HEAD@{1}", "[ -f * ]", "ls ~/x", "git log --format=%h", "awk *system(*"),
        *("docker exec {x}", "curl https://x/?a*", "make -j*", "test -f a", "python3 *"),
        *("echo $HOME", "grep -rn TODO src", "pip install -r requirements.txt"),
    ],
)
def test_an_ordinary_command_pattern_is_not_reported(linter: RuleLinter, pattern: str) -> None:
    assert find_warning(linter, "bash", pattern, "deny") == ""


def test_rules_for_other_tools_are_not_reported(linter: RuleLinter) -> None:
    for permission in ("task", "mcp__git__log", "question"):
        assert find_warning(linter, permission, "a|b ", "deny") == ""


def test_a_rule_for_edit_without_one_for_write_is_reported(linter: RuleLinter) -> None:
    edit, write = rule("edit", "docs/*", "deny"), rule("write", "docs/*", "deny")

    assert decide_action("write", "docs/a", rules_only_policy(rule("write", "*"), edit)) == "allow"
    assert decide_action("edit", "docs/a", rules_only_policy(rule("edit", "*"), edit)) == "deny"
    assert linter.find_warnings((edit,)) == {
        0: "deny edit docs/*: the rule does not cover write; add the same rule for write"
    }
    assert linter.find_warnings((edit, write)) == {}
    assert linter.find_warnings((edit, rule("*", "docs/*", "deny"))) == {}
    assert linter.find_warnings((rule("edit", "docs/*"),)) == {}
