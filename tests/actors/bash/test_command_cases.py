"""Every case in the tables gets the decision that its table expects."""

from dataclasses import replace

import pytest

from messages.policy import Policy, Rule
from tests.actors.bash.case_format import CommandCase, Stage
from tests.actors.bash.command_cases import CASES
from tests.actors.bash.read_only_cases import NOT_READ_ONLY, READ_ONLY, READ_ONLY_EDGE_CASES
from tests.actors.permissions.decision_helpers import (
    DEFAULT_POLICY,
    decide_action,
    rules_only_policy,
)

pytestmark = pytest.mark.quick

TRUSTED_DEFAULTS = replace(DEFAULT_POLICY, trusted=True)
KINDS = sorted({(case.stage, case.kind) for case in CASES})


def find_mismatches(cases: tuple[CommandCase, ...], policy: Policy | None = None) -> list[str]:
    """Describe the cases that get another decision than their table expects."""
    mismatches: list[str] = []
    for case in cases:
        action = decide_action("bash", case.command, policy or rules_only_policy(*case.rules))
        if action != case.expected:
            mismatches.append(f"{case.command[:200]!r}: {action}, not {case.expected}")
    return mismatches


@pytest.mark.parametrize(("stage", "kind"), KINDS)
def test_each_kind_of_command_gets_its_decision(stage: Stage, kind: str) -> None:
    cases = tuple(case for case in CASES if (case.stage, case.kind) == (stage, kind))

    assert find_mismatches(cases) == []


def test_read_only_commands_run_without_a_question() -> None:
    assert len(READ_ONLY) >= 60
    assert find_mismatches((*READ_ONLY, *READ_ONLY_EDGE_CASES), TRUSTED_DEFAULTS) == []


def test_commands_that_merely_look_read_only_ask() -> None:
    assert find_mismatches(NOT_READ_ONLY, TRUSTED_DEFAULTS) == []


def test_many_guesses_in_a_long_script_do_not_deny_it() -> None:
    line = 'docker run -it --rm -v /a:/b -w /b ubuntu bash -lc "make test" and more words\n'
    everything = rules_only_policy(Rule(permission="bash", pattern="*", action="allow"))

    assert decide_action("bash", line * 40, everything) == "ask"
