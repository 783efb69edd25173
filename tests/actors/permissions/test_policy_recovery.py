"""What a restarted engine takes from the disk: grants of the session, the mode of this run only."""

import pytest

from actors.permissions.policy_recovery import recover_policy
from messages.journal import Record, SessionHeader, SessionOpened
from messages.permissions import SessionSettings
from messages.policy import Policy, Rule

pytestmark = pytest.mark.quick

GRANT = Rule(permission="read", pattern=".env", action="allow")
FIRST_RUN: tuple[Record, ...] = (
    SessionHeader(session_id="s", workspace="/work"),
    SessionOpened(run=1, pid=1, version="0"),
    SessionSettings(mode="yolo", grants=(GRANT,)),
)
SECOND_RUN = SessionOpened(run=2, pid=2, version="0")


def test_yolo_of_an_earlier_run_does_not_come_back_with_a_crash_of_the_engine() -> None:
    policy, _ = recover_policy(Policy(mode="default"), (*FIRST_RUN, SECOND_RUN), incarnation=2)
    assert policy.mode == "default"
    assert policy.grants == (GRANT,)


def test_a_mode_that_was_set_in_this_run_stays() -> None:
    set_now = SessionSettings(mode="auto-edit", grants=(GRANT,))
    policy, _ = recover_policy(
        Policy(mode="default"), (*FIRST_RUN, SECOND_RUN, set_now), incarnation=2
    )
    assert policy.mode == "auto-edit"


def test_a_new_generation_is_none_that_a_verdict_was_given_in() -> None:
    before = Policy(policy_version=7)
    generations = {
        recover_policy(before, FIRST_RUN, incarnation)[0].policy_version for incarnation in (2, 3)
    }
    assert len(generations) == 2
    assert all(each > 7 + 0 for each in generations)
