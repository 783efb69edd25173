"""A pattern means what its author writes: home folder, folders, and several spellings."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.permissions.rule_patterns import expand_pattern
from actors.tools.tool_list import TOOL_LIST
from messages.policy import Action, Policy, RuleSource
from tests.actors.permissions.decision_helpers import (
    DEFAULT_RULES,
    WORKSPACE_PATHS,
    decide_action,
    rule,
)

pytestmark = pytest.mark.quick

HOME, ROOT = WORKSPACE_PATHS.home, WORKSPACE_PATHS.root


def decide_with(permission: str, pattern: str, action: Action, tool: str, target: str) -> Action:
    policy = Policy(
        sources=(RuleSource(name="rules", rules=(rule(permission, pattern, action),)),),
        tools=TOOL_LIST,
        defaults=DEFAULT_RULES,
        workspace_root=ROOT,
        home=HOME,
    )
    return decide_action(tool, target, policy)


@pytest.mark.parametrize("permission", ["read", "*"])
@pytest.mark.parametrize(
    "pattern",
    [
        "secrets/*",
        "secrets/",
        "secrets//",
        "./secrets/*",
        "./secrets/",
        ".//secrets/*",
        "secrets//a",
        "secrets/./a",
        "src/../secrets/*",
        "../project/secrets/*",
        f"{ROOT}/secrets/",
        f"{ROOT}//secrets/*",
        f"{ROOT}/./secrets/*",
        f"{ROOT}/src/../secrets/a",
        "//nowhere/project/secrets/a",
        "~/../project/secrets/*",
    ],
)
def test_a_deny_matches_each_spelling_of_a_path(permission: str, pattern: str) -> None:
    assert decide_with(permission, pattern, "deny", "read", f"{ROOT}/secrets/a") == "deny"
    assert decide_with(permission, pattern, "deny", "bash", "cat secrets/a") == "deny"
    assert decide_with(permission, pattern, "deny", "read", f"{ROOT}/other/a") == "allow"


@pytest.mark.parametrize("pattern", ["~/.ssh/*", "~/.ssh/", "~//.ssh/./*", f"{HOME}/.ssh/"])
@pytest.mark.parametrize("action", ["allow", "deny"])
def test_a_tilde_in_a_pattern_is_the_home_folder(pattern: str, action: Action) -> None:
    assert decide_with("read", pattern, action, "read", f"{HOME}/.ssh/id") == action
    assert decide_with("read", pattern, action, "read", f"{HOME}/.sshd") == "ask"
    assert decide_with("read", "~", action, "read", HOME) == action


@pytest.mark.parametrize(
    "pattern",
    ["src/", "./src/*", f"{ROOT}/src/", f"{ROOT}/src/*", "lib/../src/*", "../project/src/"],
)
def test_an_allow_matches_each_spelling_inside_the_workspace(pattern: str) -> None:
    assert decide_with("write", pattern, "allow", "write", f"{ROOT}/src/a") == "allow"
    assert decide_with("write", pattern, "allow", "write", f"{ROOT}/a") == "ask"
    assert decide_with("write", pattern, "allow", "write", "/elsewhere/src/a") == "ask"


def test_an_allow_for_the_workspace_does_not_reach_outside() -> None:
    for pattern in (f"{ROOT}/*", f"{ROOT}/", "./", "./*"):
        assert decide_with("write", pattern, "allow", "write", f"{ROOT}/a") == "allow"
        assert decide_with("write", pattern, "allow", "write", "/elsewhere/a") == "ask"


def test_a_relative_pattern_outside_the_workspace_only_restricts() -> None:
    target = "/nowhere/outside/a"
    assert decide_with("read", "../outside/*", "allow", "read", target) == "ask"
    assert decide_with("read", "../outside/*", "deny", "read", target) == "deny"


@pytest.mark.parametrize("tool", ["ls", "grep", "read"])
def test_a_folder_pattern_also_restricts_the_folder_itself(tool: str) -> None:
    assert decide_with(tool, "secrets/", "deny", tool, f"{ROOT}/secrets") == "deny"
    assert decide_with(tool, "secret*/", "deny", tool, f"{ROOT}/secrets") != "deny"
    assert decide_with(tool, "secret*/", "deny", tool, f"{ROOT}/secrets/a") == "deny"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*", ("*",)),
        ("*.pem", ("*.pem",)),
        ("/*", ("/*",)),
        ("/", ("/*",)),
        (".", (".",)),
        ("..", ("/nowhere",)),
        ("/..", ("/",)),
        ("*/../a", ("*/../a",)),
        ("*//a", ("*/a",)),
        ("~user/a", ("~user/a",)),
        ("~$report.docx", ("~$report.docx",)),
        ("a/~/b", ("a/~/b",)),
    ],
)
def test_patterns_keep_what_has_no_other_meaning(pattern: str, expected: tuple[str, ...]) -> None:
    deny = rule("read", pattern, "deny")
    assert expand_pattern(deny, "read", workspace_root=ROOT, home=HOME) == expected


@pytest.mark.parametrize(("pattern", "expected"), [("/etc/*", "etc/*"), ("/", "*"), ("a/", "a/*")])
def test_an_allow_is_relative_if_the_workspace_is_the_root(pattern: str, expected: str) -> None:
    allow = rule("read", pattern)
    assert expand_pattern(allow, "read", workspace_root="/", home="/root") == (expected,)


@pytest.mark.parametrize("action", ["allow", "deny"])
def test_a_colon_before_the_star_means_any_arguments(action: Action) -> None:
    assert decide_with("bash", "rm:*", action, "bash", "rm -r x") == action
    assert decide_with("bash", "git push:*", action, "bash", "git push origin") == action
    assert decide_with("bash", "npm run test:*", action, "bash", "npm run test:unit") == action
    assert decide_with("bash", "npm run test:*", action, "bash", "npm run test -w") == action
    assert decide_with("bash", "rm:*", action, "bash", "rmdir x") == "ask"
    assert decide_with("read", "rm:*", "deny", "read", f"{ROOT}/rm x") == "allow"


def test_a_command_pattern_is_not_treated_as_a_path() -> None:
    assert decide_with("bash", "cat secrets/", "deny", "bash", "cat secrets/") == "deny"
    assert decide_with("bash", "cat secrets/", "deny", "bash", "cat secrets/a") != "deny"
    assert decide_with("bash", "touch ./a", "allow", "bash", "touch ./a") == "allow"


PATHS = st.lists(st.sampled_from(["a", "b.c", "..", ".", "", "project"]), min_size=1, max_size=7)


@given(PATHS.map("/".join).filter(bool), st.booleans())
def test_a_deny_applies_to_the_path_that_is_written_like_it(path: str, in_home: bool) -> None:  # noqa: FBT001  (a parameter of the test)
    pattern = f"~/{path}" if in_home else path
    target = f"{HOME}/{path}" if in_home else f"{ROOT}/{path}" if path[0] != "/" else path
    assert decide_with("read", pattern, "deny", "read", target) == "deny"


@given(PATHS.map("/".join).filter(bool), st.sampled_from(["read", "write"]))
def test_an_allow_applies_to_nothing_but_the_path_itself(path: str, permission: str) -> None:
    """The path is compared as the operating system resolves it."""
    allowed = os.path.normpath(path if path.startswith("/") else f"{ROOT}/{path}")
    for target in ("/nowhere/other", f"{ROOT}/x", f"{ROOT}/a", f"{ROOT}/b.c/a", "/a", "/nowhere/a"):
        is_below = path.endswith("/") and target.startswith(f"{allowed.rstrip('/')}/")
        is_inside = target.startswith(f"{ROOT}/")
        by_default = "allow" if permission == "read" and is_inside else "ask"
        action = decide_with(permission, path, "allow", permission, target)
        assert action in (by_default, "allow" if is_below or target == allowed else by_default)
