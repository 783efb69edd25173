"""Every case of the public tables comes out as the tables say."""

from dataclasses import replace

import pytest

from actors.permissions.defaults import BUILT_IN
from messages.rules import Policy, Rule
from tests.actors.permissions.commands.cases import BENIGN, CASES, NOT_HARMLESS, Case
from tests.actors.permissions.commands.cases_attacked import (
    ATTACKED,
    LOOKED_HARMLESS,
    WAS_TOO_STRICT,
)
from tests.actors.permissions.commands.cases_found import FOUND, LOOKS_HARMLESS
from tests.actors.permissions.commands.cases_softened import SOFTENED
from tests.actors.permissions.judged import by_rules, verdict

pytestmark = pytest.mark.quick

TRUSTED = replace(Policy(defaults=BUILT_IN), trusted=True)
ALL = (*CASES, *FOUND, *ATTACKED, *SOFTENED)
KINDS = sorted({case.kind for case in ALL})


def surprises(cases: tuple[Case, ...], policy: Policy | None = None) -> list[str]:
    """Name the cases that come out otherwise than their table says."""
    found: list[str] = []
    for case in cases:
        came = verdict("bash", case.command, policy or by_rules(*case.rules))
        if came != case.expected:
            found.append(f"{case.command[:200]!r}: {came}, not {case.expected}")
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_each_class_of_threat_is_judged_as_its_table_says(kind: str) -> None:
    assert surprises(tuple(case for case in ALL if case.kind == kind)) == []


def test_what_only_reads_runs_without_a_question() -> None:
    assert len(BENIGN) >= 60
    assert surprises((*BENIGN, *WAS_TOO_STRICT), TRUSTED) == []


def test_what_merely_looks_harmless_asks() -> None:
    looks = (*NOT_HARMLESS, *LOOKS_HARMLESS, *LOOKED_HARMLESS)
    assert surprises(looks, TRUSTED) == []


def test_a_long_script_of_wrappers_asks_and_is_not_refused_for_what_was_guessed_in_it() -> None:
    line = 'docker run -it --rm -v /a:/b -w /b ubuntu bash -lc "make test" and more words\n'
    everything = by_rules(Rule(permission="bash", pattern="*", action="allow"))

    assert verdict("bash", line * 40, everything) == "ask"
