"""One verdict from rules, grants and mode; each case is a call and what becomes of it."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.permissions.rules import Policy, judge, matches
from messages.permissions import Action, PermissionMode, PermissionRequest, Rule

pytestmark = pytest.mark.quick

MODES: tuple[PermissionMode, ...] = get_args(PermissionMode)


def asking(permission: str, target: str) -> PermissionRequest:
    return PermissionRequest(permission=permission, target=target)


def rule(permission: str, pattern: str, action: Action = "allow") -> Rule:
    return Rule(permission=permission, pattern=pattern, action=action)


def verdict(permission: str, target: str, policy: Policy | None = None) -> Action:
    return judge((asking(permission, target),), policy or Policy()).action


@pytest.mark.parametrize(
    ("permission", "target", "expected"),
    [
        ("read", "src/app.py", "allow"),
        ("ls", ".", "allow"),
        ("read", "/etc/passwd", "ask"),
        ("ls", "/etc", "ask"),
        ("read", "../other/file", "ask"),
        ("read", "src/../../file", "ask"),
        ("read", "", "ask"),
        ("write", "src/app.py", "ask"),
        ("edit", "src/app.py", "ask"),
        ("bash", "git status", "ask"),
        ("unheard_of", "x", "ask"),
        ("read", ".env", "ask"),
        ("read", "api/.env", "ask"),
        ("read", ".env.local", "ask"),
        ("read", "api/.ENV", "ask"),
        ("read", ".env.example", "allow"),
        ("read", "api/.env.example", "allow"),
        ("read", "/other/.env.example", "ask"),
        ("read", ".environment", "allow"),
        ("ls", ".env", "allow"),
    ],
)
def test_the_built_in_defaults(permission: str, target: str, expected: Action) -> None:
    assert verdict(permission, target) == expected


@pytest.mark.parametrize(
    ("mode", "permission", "target", "expected"),
    [
        ("yolo", "bash", "rm -rf build", "allow"),
        ("yolo", "write", "/tmp/x", "allow"),  # noqa: S108  (only a name)
        ("yolo", "read", ".env", "allow"),
        ("yolo", "write", ".git/hooks/pre-commit", "ask"),
        ("yolo", "edit", ".bashrc", "ask"),
        ("auto-edit", "write", "src/app.py", "allow"),
        ("auto-edit", "edit", "src/app.py", "allow"),
        ("auto-edit", "write", "/tmp/x", "ask"),  # noqa: S108  (only a name)
        ("auto-edit", "write", "../x", "ask"),
        ("auto-edit", "write", "", "ask"),
        ("auto-edit", "edit", ".vscode/tasks.json", "ask"),
        ("auto-edit", "bash", "ls", "ask"),
        ("auto-edit", "read", ".env", "ask"),
    ],
)
def test_modes_lift_an_ask_within_their_bounds(
    mode: PermissionMode, permission: str, target: str, expected: Action
) -> None:
    assert verdict(permission, target, Policy(mode=mode)) == expected


def test_a_verdict_says_what_decided_it() -> None:
    def reason(permission: str, target: str, policy: Policy | None = None) -> str:
        return judge((asking(permission, target),), policy or Policy()).reason

    assert reason("read", ".env") == "ask read .env (built-in default)"
    assert reason("write", "a.py") == "write asks unless it is allowed (built-in default)"
    assert reason("write", "/a.py") == "/a.py is outside the workspace"
    assert reason("write", "a.py", Policy(mode="auto-edit")) == "mode auto-edit"
    granted = Policy(grants=(rule("write", "a.py"),))
    assert reason("write", "a.py", granted) == "allow write a.py (granted in this session)"


def test_the_strictest_request_of_a_call_decides() -> None:
    call = (asking("read", "a"), asking("write", "b"), asking("read", "c"))
    judgement = judge(call, Policy())

    assert judgement.action == "ask"
    assert judgement.grants == (rule("write", "b"),)


def test_a_call_that_does_not_say_what_it_touches_asks_in_every_mode() -> None:
    assert [judge((), Policy(mode=mode)).action for mode in MODES] == ["ask"] * len(MODES)


# Grants.


def test_a_grant_lifts_exactly_what_was_asked() -> None:
    policy = Policy().granting((rule("write", "a.py"),))

    assert verdict("write", "a.py", policy) == "allow"
    for permission, target in [("write", "b.py"), ("edit", "a.py"), ("write", "A.py")]:
        assert verdict(permission, target, policy) == "ask"


def test_what_is_offered_is_what_is_stored_and_what_lifts() -> None:
    call = (asking("write", "a.py"), asking("read", "/etc/hosts"), asking("write", "a.py"))
    offered = judge(call, Policy()).grants

    assert offered == (rule("write", "a.py"), rule("read", "/etc/hosts"))
    assert judge(call, Policy().granting(offered)).action == "allow"


@pytest.mark.parametrize(
    ("permission", "target"),
    [
        ("bash", "git status"),
        ("write", "a*.py"),
        ("write", "*"),
        ("write", ""),
        ("write", ".git/config"),
        ("write", "/home/me/.bashrc"),
    ],
)
def test_some_things_cannot_be_granted(permission: str, target: str) -> None:
    assert judge((asking(permission, target),), Policy()).grants == ()
    forced = Policy(grants=(rule(permission, target), rule(permission, "*")))
    assert verdict(permission, target, forced) == "ask"


def test_a_call_is_grantable_only_as_a_whole() -> None:
    call = (asking("write", "a.py"), asking("bash", "make"))

    assert judge(call, Policy()).grants == ()


@pytest.mark.parametrize("pattern", ["*", "a*", "*.py"])
def test_a_grant_wider_than_any_that_was_offered_lifts_nothing(pattern: str) -> None:
    """Such as from a session file that somebody edited."""
    assert verdict("write", "a.py", Policy(grants=(rule("write", pattern),))) == "ask"


def test_a_grant_can_only_allow() -> None:
    policy = Policy().granting((rule("read", "a.py", "deny"), rule("read", "b.py", "ask")))

    assert policy.grants == ()


def test_granting_twice_stores_once_and_counts_each_change() -> None:
    policy = Policy().granting((rule("write", "a"), rule("write", "a")))
    again = policy.granting((rule("write", "a"),))

    assert again.grants == (rule("write", "a"),)
    assert (policy.generation, again.generation) == (2, 3)


# Patterns.


@pytest.mark.parametrize(
    ("pattern", "target", "expected"),
    [
        ("*", "a/b", True),
        ("src/*", "src/a/b", True),
        ("src/*", "src", False),
        ("*.py", "a.py", True),
        ("*.py", "a.pyc", False),
        ("a?c", "abc", False),
        ("a[b]", "ab", False),
        ("a.c", "abc", False),
        ("a*c", "a\nc", True),
        ("a", "A", False),
        ("*", "/etc", False),
        ("*", "../x", False),
        ("/etc/*", "/etc/hosts", True),
        ("/*", "/etc/hosts", True),
    ],
)
def test_an_allow_matches_the_whole_text_by_stars_only(
    pattern: str,
    target: str,
    expected: bool,  # noqa: FBT001  (a parameter of the test)
) -> None:
    assert matches(rule("read", pattern), asking("read", target)) is expected


def test_an_ask_reaches_everywhere_and_passes_over_case() -> None:
    ask = rule("read", "*/.env", "ask")

    assert matches(ask, asking("read", "/etc/.env"))
    assert matches(ask, asking("read", "a/.ENV"))
    assert not matches(ask, asking("write", "a/.env"))


TARGETS = st.text(alphabet="ab*/.é\n", max_size=8)
REQUESTS = st.builds(asking, st.sampled_from(["read", "write", "edit", "bash", "ls"]), TARGETS)
POLICIES = st.builds(
    Policy,
    mode=st.sampled_from(MODES),
    grants=st.lists(
        st.builds(rule, st.sampled_from(["read", "write", "bash"]), TARGETS), max_size=3
    ).map(tuple),
)
CALLS = st.lists(REQUESTS, max_size=4).map(tuple)


@given(CALLS, REQUESTS, POLICIES)
def test_one_more_request_never_loosens_a_verdict(
    call: tuple[PermissionRequest, ...], more: PermissionRequest, policy: Policy
) -> None:
    order = ["allow", "ask", "deny"]
    before = judge(call, policy).action if call else "allow"

    assert order.index(judge((*call, more), policy).action) >= order.index(before)


@given(CALLS, POLICIES)
def test_storing_what_is_offered_opens_nothing_else(
    call: tuple[PermissionRequest, ...], policy: Policy
) -> None:
    judgement = judge(call, policy)
    granted = policy.granting(judgement.grants)

    if judgement.grants:
        assert judge(call, granted).action == "allow"
    for permission in ("read", "write", "edit", "bash", "ls"):
        for target in ("a", "b/a", "/a", ".git/config", "*"):
            if rule(permission, target) not in judgement.grants:
                other = asking(permission, target)
                assert judge((other,), granted).action == judge((other,), policy).action


@given(CALLS, POLICIES)
def test_commands_are_lifted_by_yolo_alone(
    call: tuple[PermissionRequest, ...], policy: Policy
) -> None:
    command = asking("bash", "true")
    policy = replace(policy, grants=(*policy.grants, rule("bash", "true"), rule("bash", "*")))

    if policy.mode != "yolo":
        assert judge((*call, command), policy).action == "ask"
