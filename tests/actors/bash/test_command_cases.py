"""Every case of the public tables comes out as the tables say."""

from dataclasses import replace

import pytest

from actors.permissions.default_rules import DEFAULT_RULES
from messages.policy import Policy, Rule
from tests.actors.bash.command_cases import CASES, NOT_READ_ONLY, READ_ONLY, CommandCase
from tests.actors.bash.regressions_attacked import ATTACKS, ATTACKS_NOT_READ_ONLY, FALSE_POSITIVES
from tests.actors.bash.regressions_found import REVIEW_FINDINGS, REVIEW_NOT_READ_ONLY
from tests.actors.bash.regressions_softened import WEAKENED_DENIALS
from tests.actors.permissions.decision_helpers import decide_action, rules_only_policy

pytestmark = pytest.mark.quick

TRUSTED = replace(Policy(defaults=DEFAULT_RULES), trusted=True)
ALL_CASES = (*CASES, *REVIEW_FINDINGS, *ATTACKS, *WEAKENED_DENIALS)
THREATS = sorted({case.threat for case in ALL_CASES})


def find_mismatches(cases: tuple[CommandCase, ...], policy: Policy | None = None) -> list[str]:
    """Name the cases that come out otherwise than their table says."""
    found: list[str] = []
    for case in cases:
        came = decide_action("bash", case.command, policy or rules_only_policy(*case.rules))
        if came != case.expected:
            found.append(f"{case.command[:200]!r}: {came}, not {case.expected}")
    return found


@pytest.mark.parametrize("kind", THREATS)
def test_each_class_of_threat_is_judged_as_its_table_says(kind: str) -> None:
    assert find_mismatches(tuple(case for case in ALL_CASES if case.threat == kind)) == []


def test_what_only_reads_runs_without_a_question() -> None:
    assert len(READ_ONLY) >= 60
    assert find_mismatches((*READ_ONLY, *FALSE_POSITIVES), TRUSTED) == []


def test_what_merely_looks_harmless_asks() -> None:
    looks = (*NOT_READ_ONLY, *REVIEW_NOT_READ_ONLY, *ATTACKS_NOT_READ_ONLY)
    assert find_mismatches(looks, TRUSTED) == []


def test_a_long_script_of_wrappers_asks_and_is_not_refused_for_what_was_guessed_in_it() -> None:
    line = 'docker run -it --rm -v /a:/b -w /b ubuntu bash -lc "make test" and more words\n'
    everything = rules_only_policy(Rule(permission="bash", pattern="*", action="allow"))

    assert decide_action("bash", line * 40, everything) == "ask"
