"""Checks of single files for tools that open many files after one decision."""

from dataclasses import replace

import pytest

from actors.permissions.bulk_read_check import can_read
from messages.policy import FileReadPolicy, PermissionProfile, Policy, Rule
from tests.actors.permissions.decision_helpers import (
    BUILD_PROFILE,
    DEFAULT_POLICY,
    rule,
    user_rules,
)

pytestmark = pytest.mark.quick


def read_policy(policy: Policy, *chain: PermissionProfile) -> FileReadPolicy:
    return FileReadPolicy(policy=policy, profile_chain=chain or (BUILD_PROFILE,))


def read_policy_with_rules(*rules: Rule) -> FileReadPolicy:
    return read_policy(replace(DEFAULT_POLICY, sources=(user_rules(*rules),)))


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("a.py", True),
        ("sub/a.py", True),
        (".env", False),
        ("sub/.env.local", False),
        (".env.example", True),
        ("/etc/hosts", False),
        ("../a.py", False),
        ("", False),
    ],
)
def test_the_defaults_decide_what_may_be_read(target: str, *, expected: bool) -> None:
    assert can_read(target, read_policy(DEFAULT_POLICY)) is expected


@pytest.mark.parametrize("action", ["ask", "deny"])
def test_a_file_that_a_rule_asks_about_is_not_read(action: str) -> None:
    policy = read_policy_with_rules(Rule(permission="read", pattern="*/secret.txt", action=action))  # type: ignore[arg-type]  # both are actions

    assert not can_read("a/secret.txt", policy)
    assert can_read("a/public.txt", policy)


def test_rules_of_ancestors_and_grants_apply() -> None:
    ancestor = PermissionProfile(agent="build", rules=user_rules(rule("read", "a.py", "deny")))
    granted = replace(DEFAULT_POLICY, grants=(rule("read", ".env"),))

    assert not can_read("a.py", read_policy(DEFAULT_POLICY, BUILD_PROFILE, ancestor))
    assert can_read(".env", read_policy(granted))
    assert can_read(".env", read_policy(replace(DEFAULT_POLICY, mode="yolo")))


def test_files_in_an_added_folder_may_be_read() -> None:
    policy = read_policy(replace(DEFAULT_POLICY, added_directories=("/lib",)))

    assert can_read("/lib/a.py", policy)
    assert not can_read("/library/a.py", policy)
    assert not can_read("/lib/.env", policy)


@pytest.mark.parametrize(
    ("target", "allowed_folder", "expected"),
    [
        ("/opt/a.py", "/opt", True),
        ("/opt", "/opt", True),
        ("/opt/a.py", "/opt/", True),
        ("/etc/hosts", "/", True),
        ("/optional/a.py", "/opt", False),
        ("/etc/hosts", "/opt", False),
        ("/opt/.env", "/opt", False),
        ("/opt/keys/a.py", "/opt", False),
    ],
)
def test_an_allowed_folder_allows_its_files_unless_rules_restrict_them(
    target: str, allowed_folder: str, *, expected: bool
) -> None:
    assert (
        can_read(target, read_policy_with_rules(rule("read", "/opt/keys/*", "ask")), allowed_folder)
        is expected
    )
