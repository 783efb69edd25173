"""A restarted engine restores the session's grants, and the mode only of this run."""

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


def test_an_engine_crash_does_not_restore_an_earlier_mode() -> None:
    policy, _ = recover_policy(Policy(mode="default"), (*FIRST_RUN, SECOND_RUN), incarnation=2)
    assert policy.mode == "default"
    assert policy.grants == (GRANT,)


def test_a_mode_set_in_this_run_is_restored() -> None:
    set_now = SessionSettings(mode="auto-edit", grants=(GRANT,))
    policy, _ = recover_policy(
        Policy(mode="default"), (*FIRST_RUN, SECOND_RUN, set_now), incarnation=2
    )
    assert policy.mode == "auto-edit"


def test_a_restored_policy_has_an_unused_version() -> None:
    before = Policy(policy_version=7)
    versions = {
        recover_policy(before, FIRST_RUN, incarnation)[0].policy_version for incarnation in (2, 3)
    }
    assert len(versions) == 2
    assert all(version > before.policy_version for version in versions)
