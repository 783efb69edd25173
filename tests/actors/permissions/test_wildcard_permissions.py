"""A rule's permission may contain `*`, as in patterns."""

import pytest

from actors.permissions.grants import find_grant_problem
from actors.permissions.rule_matching import find_rule_problem
from actors.tools.tool_list import TOOL_LIST
from messages.policy import PermissionProfile, Rule
from shell.config.agent_file_parser import FileOrigin, parse_definition
from tests.actors.permissions.decision_helpers import (
    DEFAULT_POLICY,
    decide_action,
    rule,
    rules_only_policy,
    user_rules,
)

pytestmark = pytest.mark.quick

DENY_ALL = rule("*", "*", "deny")


@pytest.mark.parametrize("tool", ["bash", "read", "grep", "task", "help", "mcp__git__log"])
def test_a_rule_for_every_permission_applies_to_each_tool(tool: str) -> None:
    assert decide_action(tool, "x", rules_only_policy(DENY_ALL)) == "deny"


def test_the_last_match_wins_between_wildcard_and_plain_rules() -> None:
    read_only = rules_only_policy(DENY_ALL, rule("read", "*"))

    assert decide_action("read", "a.py", read_only) == "allow"
    assert decide_action("write", "a.py", read_only) == "deny"
    assert decide_action("bash", "cat a.py", read_only) == "deny"
    assert decide_action("read", "a.py", rules_only_policy(rule("read", "*"), DENY_ALL)) == "deny"


def test_a_wildcard_rule_covers_the_tools_of_one_server() -> None:
    policy = rules_only_policy(rule("mcp__git__*", "*"), rule("mcp__*__delete", "*", "deny"))

    assert decide_action("mcp__git__log", "x", policy) == "allow"
    assert decide_action("mcp__git__delete", "x", policy) == "deny"
    assert decide_action("mcp__other__log", "x", policy) == "ask"


def test_a_wildcard_rule_restricts_the_files_of_commands() -> None:
    policy = rules_only_policy(rule("bash", "*"), rule("*", "secrets/*", "deny"))

    assert decide_action("bash", "cat secrets/a", policy) == "deny"
    assert decide_action("bash", "echo x > secrets/a", policy) == "deny"
    assert decide_action("bash", "cat notes", policy) == "allow"


def test_an_allow_rule_for_everything_does_not_lift_the_minimum_ask() -> None:
    policy = rules_only_policy(rule("*", "*"))

    assert decide_action("bash", "make", policy) == "allow"
    assert decide_action("bash", "sudo make", policy) == "ask"
    assert decide_action("plan_exit", "*", policy) == "ask"
    assert decide_action("read", "/etc/passwd", policy) == "ask"


@pytest.mark.parametrize("permission", ["*", "mcp__*", "mcp__x__*", "m*", "*edit", "plan_*", "*x"])
def test_a_wildcard_that_can_match_a_permission_is_valid(permission: str) -> None:
    assert find_rule_problem(rule(permission, "*"), TOOL_LIST) == ""


@pytest.mark.parametrize("permission", ["web*", "Bash*", "mcq__*", "read__*"])
def test_a_wildcard_that_matches_no_permission_is_reported(permission: str) -> None:
    problem = find_rule_problem(rule(permission, "*"), TOOL_LIST)
    assert problem.startswith(f"no permission matches {permission!r}; known: bash, edit")


def test_a_grant_never_covers_several_permissions() -> None:
    assert "cannot be granted" in find_grant_problem(rule("*", "x"), TOOL_LIST)


def parse_rules(permission: str) -> tuple[Rule, ...]:
    text = f"---\npermission: {permission}\n---\nx"
    return parse_definition(text, "agent", FileOrigin("agent.md")).definition.rules


@pytest.mark.parametrize("permission", ["deny", "{'*': deny}", "{'*': {'*': deny}}"])
def test_a_definition_can_deny_everything(permission: str) -> None:
    assert parse_rules(permission) == (DENY_ALL,)


def test_a_definition_can_deny_everything_except_reading() -> None:
    rules = user_rules(*parse_rules("{'*': deny, Read: allow}"))
    chain = (PermissionProfile(agent="agent", rules=rules),)

    assert decide_action("read", "a.py", DEFAULT_POLICY, chain) == "allow"
    assert decide_action("glob", ".", DEFAULT_POLICY, chain) == "deny"
    assert decide_action("bash", "ls", DEFAULT_POLICY, chain) == "deny"
