"""Each part of a session crashes at every step of a call, and nothing is lost or done twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.agents.turn.self_messages import ModelReplied, ToolPlanned, ToolSucceeded
from actors.sessions.journal import Flush
from messages.address import APPROVALS, ROOT
from messages.approvals import (
    ApprovalDecided,
    ApprovalWithdrawn,
    DismissApproval,
    ExecApprovalRequest,
    ShowApproval,
    SubmitDecision,
)
from messages.base import Message
from messages.child_lifecycle import ChildCompleted
from messages.journal import Append, Appended, SessionHeader, SessionOpened
from messages.permissions import (
    EvaluatePermission,
    EvaluationFinished,
    GrantStored,
    PermissionDecision,
    SessionSettings,
    StoreGrant,
)
from messages.turns import ReplyCompleted, ToolEnded, ToolStarted, TurnCompleted, TurnStarted
from tests.actors.crashable_session import ActorName, CrashPoint, Living, start_session
from tests.probe import PROBE_TIMEOUT_S

pytestmark = pytest.mark.quick

FIRST_ID, SECOND_ID = "/primary#1@1", "/primary#1@1.2"


@pytest.fixture
def crashable_session(tmp_path: Path) -> Iterator[Living]:
    living = start_session(tmp_path)
    yield living
    assert living.system.stop(), "something did not stop in time"
    assert all(fuse.has_fired for fuse in living.crash_triggers.values()), "a crash did not happen"
    assert living.console_probe.shown_twice_ids == [], "a person saw a question twice"
    asked = [each.id for each in living.records_of_type(ExecApprovalRequest)]
    answered = [each.id for each in living.records_of_type(ApprovalDecided)]
    ended = answered + [each.id for each in living.records_of_type(ApprovalWithdrawn)]
    assert sorted(asked) == sorted(set(ended)) == sorted(ended), "a question had not one end"


def wait_for_request(crashable_session: Living) -> str:
    return crashable_session.console_probe.wait_for(ShowApproval).request.id


def expect_turn_completed(
    crashable_session: Living, *, executions: int = 1, result: str = "changed"
) -> None:
    """Check that the turn comes to its end, and its call to one result."""
    assert crashable_session.console_probe.wait_for(TurnCompleted).turn == 1
    assert crashable_session.tool_executions == ["ran"] * executions
    (ended,) = crashable_session.records_of_type(ToolEnded)
    (told,) = crashable_session.last_tool_results()
    assert result in ended.text
    assert result in told


def expect_restart_notices(crashable_session: Living, name: str, times: int = 1) -> None:
    """Check that people heard of each crash in one line, and of nothing else."""
    lines = [crashable_session.restart_notices.get(timeout=PROBE_TIMEOUT_S) for _ in range(times)]
    assert crashable_session.restart_notices.empty()
    for line in lines:
        assert line.startswith(f"/{name} crashed and was started again")
        assert "\n" not in line


# The broker.


def test_a_broker_that_crashes_with_a_question_on_the_screen_shows_it_again(
    crashable_session: Living,
) -> None:
    crashable_session.prompt()
    assert wait_for_request(crashable_session) == FIRST_ID
    crashable_session.crash("approvals")
    assert wait_for_request(crashable_session) == FIRST_ID
    crashable_session.console_probe.submit_decision(FIRST_ID)
    expect_turn_completed(crashable_session)
    expect_restart_notices(crashable_session, "approvals")


@pytest.mark.parametrize(
    ("when", "over"),
    [("after", SubmitDecision), ("before", Appended), ("after", Appended)],
)
def test_an_answer_that_was_on_its_way_when_the_broker_crashed_counts_once(
    crashable_session: Living, when: CrashPoint, over: type[Message]
) -> None:
    crashable_session.prompt()
    assert wait_for_request(crashable_session) == FIRST_ID
    crashable_session.crash_triggers["approvals"].crash_on(when, over)
    crashable_session.console_probe.submit_decision(FIRST_ID)
    expect_turn_completed(crashable_session)
    assert len(crashable_session.records_of_type(ApprovalDecided)) == 1
    expect_restart_notices(crashable_session, "approvals")


def test_an_answer_that_the_broker_never_took_is_asked_for_again(crashable_session: Living) -> None:
    crashable_session.prompt()
    crashable_session.crash_triggers["approvals"].crash_on("before", SubmitDecision)
    crashable_session.console_probe.submit_decision(wait_for_request(crashable_session))
    crashable_session.console_probe.submit_decision(wait_for_request(crashable_session))
    expect_turn_completed(crashable_session)


@pytest.mark.parametrize("answer", ["once", "no"])
def test_what_has_ended_is_never_shown_again_by_a_new_broker(
    crashable_session: Living, answer: str
) -> None:
    crashable_session.prompt()
    request = crashable_session.console_probe.wait_for(ShowApproval).request
    given = SubmitDecision.model_validate({"id": request.id, "decision": answer})
    crashable_session.console_probe.tell(APPROVALS, given)
    crashable_session.console_probe.wait_for(TurnCompleted)
    crashable_session.crash("approvals")
    crashable_session.console_probe.tell(APPROVALS, request)
    assert crashable_session.console_probe.wait_for(ApprovalDecided).decision == answer
    crashable_session.console_probe.tell(APPROVALS, request)
    crashable_session.console_probe.tell(APPROVALS, given)
    crashable_session.prompt(2)
    assert crashable_session.console_probe.wait_for(ShowApproval).request.id == "/primary#2@1"
    crashable_session.console_probe.submit_decision("/primary#2@1", "no")
    crashable_session.console_probe.wait_for(TurnCompleted)
    assert len(crashable_session.tool_executions) == (answer == "once")


@pytest.mark.parametrize(
    ("name", "when", "over"),
    [
        ("approvals", "before", GrantStored),
        ("permissions", "before", StoreGrant),
        ("permissions", "after", StoreGrant),
        ("permissions", "before", Appended),
    ],
)
def test_a_grant_in_the_middle_of_a_crash_is_kept_and_its_call_runs_once(
    crashable_session: Living, name: ActorName, when: CrashPoint, over: type[Message]
) -> None:
    crashable_session.prompt()
    crashable_session.crash_triggers[name].crash_on(when, over)
    crashable_session.console_probe.submit_decision(wait_for_request(crashable_session), "session")
    expect_turn_completed(crashable_session)
    (rule,) = crashable_session.records_of_type(SessionSettings)[-1].grants
    assert rule.permission == "edit"
    crashable_session.prompt(2)
    assert crashable_session.console_probe.wait_for(TurnCompleted).turn == 2
    assert len(crashable_session.tool_executions) == 2


# The agent.


@pytest.mark.parametrize("over", [ModelReplied, ToolPlanned, PermissionDecision])
def test_an_agent_that_crashes_before_it_asks_asks_once(
    crashable_session: Living, over: type[Message]
) -> None:
    crashable_session.crash_triggers["primary"].crash_on("before", over)
    crashable_session.prompt()
    crashable_session.console_probe.submit_decision(wait_for_request(crashable_session))
    expect_turn_completed(crashable_session)
    assert len(crashable_session.records_of_type(ApprovalDecided)) == 1
    expect_restart_notices(crashable_session, "primary")


def test_an_agent_that_crashes_while_it_waits_for_a_person_withdraws_and_asks_anew(
    crashable_session: Living,
) -> None:
    crashable_session.prompt()
    assert wait_for_request(crashable_session) == FIRST_ID
    crashable_session.crash("primary")
    assert crashable_session.console_probe.wait_for(DismissApproval) == DismissApproval(
        id=FIRST_ID, outcome="withdrawn"
    )
    assert wait_for_request(crashable_session) == SECOND_ID
    crashable_session.console_probe.submit_decision(FIRST_ID)
    crashable_session.console_probe.submit_decision(SECOND_ID)
    expect_turn_completed(crashable_session)
    assert crashable_session.records_of_type(ApprovalWithdrawn) == [ApprovalWithdrawn(id=FIRST_ID)]


@pytest.mark.parametrize(
    ("when", "over", "runs"), [("after", PermissionDecision, 0), ("before", ToolSucceeded, 1)]
)
def test_a_call_that_had_begun_when_its_agent_crashed_is_not_run_again(
    crashable_session: Living, when: CrashPoint, over: type[Message], runs: int
) -> None:
    crashable_session.prompt()
    approval = wait_for_request(crashable_session)
    crashable_session.crash_triggers["primary"].crash_on(when, over)
    crashable_session.console_probe.submit_decision(approval)
    expect_turn_completed(crashable_session, executions=runs, result="outcome is unknown")
    assert len(crashable_session.records_of_type(ApprovalDecided)) == 1


# The engine.


@pytest.mark.parametrize("over", [EvaluatePermission, EvaluationFinished])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_query_that_waits_while_the_engine_crashes_is_judged(
    crashable_session: Living, when: CrashPoint, over: type[Message]
) -> None:
    crashable_session.crash_triggers["permissions"].crash_on(when, over)
    crashable_session.prompt()
    crashable_session.console_probe.submit_decision(wait_for_request(crashable_session))
    expect_turn_completed(crashable_session)
    expect_restart_notices(crashable_session, "permissions")


def test_a_query_that_the_engine_crashes_over_again_and_again_is_denied(
    crashable_session: Living,
) -> None:
    crashable_session.crash_triggers["permissions"].crash_on("before", EvaluatePermission, times=3)
    crashable_session.prompt()
    expect_turn_completed(
        crashable_session, executions=0, result="could not evaluate it (quarantined)"
    )
    expect_restart_notices(crashable_session, "permissions", times=3)


# The journal.


@pytest.mark.parametrize(
    ("over", "nth"), [*((Append, nth) for nth in range(1, 8)), (Flush, 1), (Flush, 3), (Flush, 5)]
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_journal_that_crashes_over_any_record_writes_each_authors_in_order_and_once(
    crashable_session: Living, when: CrashPoint, over: type[Message], nth: int
) -> None:
    """What one author says again may come behind what another said meanwhile."""
    crashable_session.crash_triggers["journal"].crash_on(when, over, nth=nth)
    crashable_session.prompt()
    crashable_session.console_probe.submit_decision(wait_for_request(crashable_session))
    expect_turn_completed(crashable_session)
    written = [type(each) for each in crashable_session.records()]
    brokers = [ExecApprovalRequest, ApprovalDecided]
    assert [each for each in written if each in brokers] == brokers
    assert [each for each in written if each not in brokers] == [
        SessionHeader,
        SessionOpened,
        TurnStarted,
        ReplyCompleted,
        ToolStarted,
        ToolEnded,
        ReplyCompleted,
        TurnCompleted,
    ]


# The root.


@pytest.mark.parametrize("name", ["journal", "permissions", "approvals", "primary"])
def test_when_a_pillar_cannot_be_brought_back_all_ends_in_order(
    crashable_session: Living, name: ActorName
) -> None:
    crashable_session.crash(name, failing_restarts=3)
    end = crashable_session.end_messages.get(timeout=PROBE_TIMEOUT_S)
    why = f"/{name} failed (crash): InjectedCrashError: start"
    assert end == ChildCompleted(child=ROOT, result=why)
    assert crashable_session.system.addresses == ()
    assert crashable_session.restart_notices.empty()
