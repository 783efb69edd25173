"""Which calls are known to only read, so that they may run in parallel."""

import re
from dataclasses import replace

import pytest

from actors.permissions.decide_call import CallDecision
from messages.policy import Policy
from tests.actors.bash.read_only_cases import NOT_READ_ONLY, READ_ONLY
from tests.actors.permissions.decision_helpers import (
    DEFAULT_POLICY,
    decide_requests,
    rule,
    user_rules,
)

pytestmark = pytest.mark.quick

TRUSTED = replace(DEFAULT_POLICY, trusted=True)
ALLOW_ALL = replace(
    TRUSTED, sources=(user_rules(rule("bash", "*"), rule("read", "*"), rule("write", "*")),)
)


def decide_command(command: str, policy: Policy = TRUSTED) -> CallDecision:
    return decide_requests(("bash", command), policy=policy)


def test_commands_that_only_read_are_known() -> None:
    unknown = [
        case.command for case in READ_ONLY if not decide_command(case.command).changes_nothing
    ]
    assert unknown == []


def test_an_allow_rule_does_not_make_a_command_read_only() -> None:
    """The cases that remain ask because of what they read, not because they change something."""
    known = [
        case.command
        for case in NOT_READ_ONLY
        if decide_command(case.command, ALLOW_ALL).changes_nothing
    ]
    programs = {re.sub(r"^[!( ]*(if )?", "", command).split()[0] for command in known}
    assert {"cat", "grep", "ls"} <= programs
    assert programs.isdisjoint(
        {"bash", "cp", "env", "eval", "make", "mv", "npm", "pytest", "rm", "sudo", "tee", "touch"}
    )


@pytest.mark.parametrize(
    "command", ["cat a > b", "cat a >> b", "ls && touch a", "cat $(touch a)", "ls; $x", "A=1 ls"]
)
def test_one_part_that_may_change_something_is_enough(command: str) -> None:
    assert decide_command("ls && cat a", ALLOW_ALL).changes_nothing
    assert not decide_command(command, ALLOW_ALL).changes_nothing


def test_git_only_reads_where_its_configuration_is_trusted() -> None:
    assert decide_command("git status").changes_nothing
    assert not decide_command("git status", DEFAULT_POLICY).changes_nothing
    assert not decide_command("git status", replace(ALLOW_ALL, trusted=False)).changes_nothing
