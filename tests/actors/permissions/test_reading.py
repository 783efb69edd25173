"""May this file be read? For tools that open many files after one verdict."""

from dataclasses import replace

import pytest

from actors.permissions.defaults import BUILT_IN
from actors.permissions.reading import may_read
from messages.rules import FileReadPolicy, PermissionProfile, Policy, Rule
from tests.actors.permissions.judged import BUILD, rule, user

pytestmark = pytest.mark.quick

PLAIN = Policy(defaults=BUILT_IN)


def under(policy: Policy, *chain: PermissionProfile) -> FileReadPolicy:
    return FileReadPolicy(policy=policy, chain=chain or (BUILD,))


def by(*rules: Rule) -> FileReadPolicy:
    return under(replace(PLAIN, sources=(user(*rules),)))


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
def test_what_may_be_read_where_nobody_has_said_anything(target: str, *, expected: bool) -> None:
    assert may_read(target, under(PLAIN)) is expected


@pytest.mark.parametrize("action", ["ask", "deny"])
def test_a_file_that_a_rule_asks_for_is_not_read_either(action: str) -> None:
    reads = by(Rule(permission="read", pattern="*/secret.txt", action=action))  # type: ignore[arg-type]  # both are actions

    assert not may_read("a/secret.txt", reads)
    assert may_read("a/public.txt", reads)


def test_a_rule_of_anybody_above_counts_and_what_was_granted_does_too() -> None:
    above = PermissionProfile(agent="build", rules=user(rule("read", "a.py", "deny")))
    granted = replace(PLAIN, grants=(rule("read", ".env"),))

    assert not may_read("a.py", under(PLAIN, BUILD, above))
    assert may_read(".env", under(granted))
    assert may_read(".env", under(replace(PLAIN, mode="yolo")))


def test_an_added_folder_counts_as_inside_by_whole_names() -> None:
    reads = under(replace(PLAIN, added=("/lib",)))

    assert may_read("/lib/a.py", reads)
    assert not may_read("/library/a.py", reads)
    assert not may_read("/lib/.env", reads)


@pytest.mark.parametrize(
    ("target", "within", "expected"),
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
def test_a_folder_that_was_opened_opens_what_is_below_unless_a_rule_speaks_of_it(
    target: str, within: str, *, expected: bool
) -> None:
    assert may_read(target, by(rule("read", "/opt/keys/*", "ask")), within) is expected
