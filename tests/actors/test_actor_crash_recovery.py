"""Each actor crashes at every step of a call, and nothing is lost or done twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.agents.turn.self_messages import ModelReplied, ToolPlanned, ToolSucceeded
from actors.permissions.evaluation_job import EvaluationFinished
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
from messages.journal import Append, Appended, RequestPrefix, SessionHeader, SessionOpened
from messages.permissions import (
    EvaluatePermission,
    GrantStored,
    PermissionDecision,
    SessionSettings,
    StoreGrant,
)
from messages.turns import ReplyCompleted, ToolEnded, ToolStarted, TurnCompleted, TurnStarted
from tests.actors.crashable_session import ActorName, CrashableSession, CrashPoint, start_session
from tests.probe import PROBE_TIMEOUT_S

pytestmark = pytest.mark.quick

FIRST_ID, SECOND_ID = "/primary#1@1", "/primary#1@1.2"


@pytest.fixture
def crashable_session(tmp_path: Path) -> Iterator[CrashableSession]:
    crashable = start_session(tmp_path)
    yield crashable
    assert crashable.system.stop(), "an actor did not stop in time"
    assert all(trigger.has_fired for trigger in crashable.crash_triggers.values()), (
        "a crash did not happen"
    )
    assert crashable.console_probe.shown_twice_ids == [], "a request was shown twice"
    requested = [record.id for record in crashable.records_of_type(ExecApprovalRequest)]
    decided = [record.id for record in crashable.records_of_type(ApprovalDecided)]
    ended = decided + [record.id for record in crashable.records_of_type(ApprovalWithdrawn)]
    assert sorted(requested) == sorted(set(ended)) == sorted(ended), (
        "a request did not end exactly once"
    )


def wait_for_request(crashable_session: CrashableSession) -> str:
    return crashable_session.console_probe.wait_for(ShowApproval).request.id


def expect_turn_completed(
    crashable_session: CrashableSession, *, executions: int = 1, result: str = "changed"
) -> None:
    """Check that the turn completes and its call has one result."""
    assert crashable_session.console_probe.wait_for(TurnCompleted).turn == 1
    assert crashable_session.tool_executions == ["ran"] * executions
    (ended,) = crashable_session.records_of_type(ToolEnded)
    (tool_result,) = crashable_session.last_tool_results()
    assert result in ended.text
    assert result in tool_result


def expect_restart_notices(crashable_session: CrashableSession, name: str, times: int = 1) -> None:
    """Check that the user got one notice for each crash and nothing else."""
    lines = [crashable_session.restart_notices.get(timeout=PROBE_TIMEOUT_S) for _ in range(times)]
    assert crashable_session.restart_notices.empty()
    for line in lines:
        assert line.startswith(f"/{name} crashed and was restarted")
        assert "\n" not in line


# The broker


def test_a_restarted_broker_shows_its_pending_request_again(
    crashable_session: CrashableSession,
) -> None:
    crashable_session.prompt()
    assert wait_for_request(crashable_session) == FIRST_ID
    crashable_session.crash("approvals")
    assert wait_for_request(crashable_session) == FIRST_ID
    crashable_session.console_probe.submit_decision(FIRST_ID)
    expect_turn_completed(crashable_session)
    expect_restart_notices(crashable_session, "approvals")


@pytest.mark.parametrize(
    ("point", "message_type"),
    [("after", SubmitDecision), ("before", Appended), ("after", Appended)],
)
def test_a_decision_in_flight_during_a_broker_crash_applies_once(
    crashable_session: CrashableSession, point: CrashPoint, message_type: type[Message]
) -> None:
    crashable_session.prompt()
    assert wait_for_request(crashable_session) == FIRST_ID
    crashable_session.crash_triggers["approvals"].crash_on(point, message_type)
    crashable_session.console_probe.submit_decision(FIRST_ID)
    expect_turn_completed(crashable_session)
    assert len(crashable_session.records_of_type(ApprovalDecided)) == 1
    expect_restart_notices(crashable_session, "approvals")


def test_a_decision_lost_in_a_broker_crash_is_requested_again(
    crashable_session: CrashableSession,
) -> None:
    crashable_session.prompt()
    crashable_session.crash_triggers["approvals"].crash_on("before", SubmitDecision)
    crashable_session.console_probe.submit_decision(wait_for_request(crashable_session))
    crashable_session.console_probe.submit_decision(wait_for_request(crashable_session))
    expect_turn_completed(crashable_session)


@pytest.mark.parametrize("decision", ["once", "no"])
def test_a_restarted_broker_never_shows_ended_requests(
    crashable_session: CrashableSession, decision: str
) -> None:
    crashable_session.prompt()
    request = crashable_session.console_probe.wait_for(ShowApproval).request
    submission = SubmitDecision.model_validate({"id": request.id, "decision": decision})
    crashable_session.console_probe.tell(APPROVALS, submission)
    crashable_session.console_probe.wait_for(TurnCompleted)
    crashable_session.crash("approvals")
    crashable_session.console_probe.tell(APPROVALS, request)
    assert crashable_session.console_probe.wait_for(ApprovalDecided).decision == decision
    crashable_session.console_probe.tell(APPROVALS, request)
    crashable_session.console_probe.tell(APPROVALS, submission)
    crashable_session.prompt(2)
    assert crashable_session.console_probe.wait_for(ShowApproval).request.id == "/primary#2@1"
    crashable_session.console_probe.submit_decision("/primary#2@1", "no")
    crashable_session.console_probe.wait_for(TurnCompleted)
    assert len(crashable_session.tool_executions) == (decision == "once")


@pytest.mark.parametrize(
    ("name", "point", "message_type"),
    [
        ("approvals", "before", GrantStored),
        ("permissions", "before", StoreGrant),
        ("permissions", "after", StoreGrant),
        ("permissions", "before", Appended),
    ],
)
def test_a_grant_survives_a_crash_and_its_call_runs_once(
    crashable_session: CrashableSession,
    name: ActorName,
    point: CrashPoint,
    message_type: type[Message],
) -> None:
    crashable_session.prompt()
    crashable_session.crash_triggers[name].crash_on(point, message_type)
    crashable_session.console_probe.submit_decision(wait_for_request(crashable_session), "session")
    expect_turn_completed(crashable_session)
    (rule,) = crashable_session.records_of_type(SessionSettings)[-1].grants
    assert rule.permission == "edit"
    crashable_session.prompt(2)
    assert crashable_session.console_probe.wait_for(TurnCompleted).turn == 2
    assert len(crashable_session.tool_executions) == 2


# The agent.


@pytest.mark.parametrize("message_type", [ModelReplied, ToolPlanned, PermissionDecision])
def test_an_agent_that_crashes_before_requesting_asks_once(
    crashable_session: CrashableSession, message_type: type[Message]
) -> None:
    crashable_session.crash_triggers["primary"].crash_on("before", message_type)
    crashable_session.prompt()
    crashable_session.console_probe.submit_decision(wait_for_request(crashable_session))
    expect_turn_completed(crashable_session)
    assert len(crashable_session.records_of_type(ApprovalDecided)) == 1
    expect_restart_notices(crashable_session, "primary")


def test_an_agent_crashing_while_parked_withdraws_and_asks_again(
    crashable_session: CrashableSession,
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
    ("point", "message_type", "runs"),
    [("after", PermissionDecision, 0), ("before", ToolSucceeded, 1)],
)
def test_a_call_started_before_a_crash_is_not_rerun(
    crashable_session: CrashableSession, point: CrashPoint, message_type: type[Message], runs: int
) -> None:
    crashable_session.prompt()
    request_id = wait_for_request(crashable_session)
    crashable_session.crash_triggers["primary"].crash_on(point, message_type)
    crashable_session.console_probe.submit_decision(request_id)
    expect_turn_completed(crashable_session, executions=runs, result="outcome is unknown")
    assert len(crashable_session.records_of_type(ApprovalDecided)) == 1


# The engine.


@pytest.mark.parametrize("message_type", [EvaluatePermission, EvaluationFinished])
@pytest.mark.parametrize("point", ["before", "after"])
def test_an_evaluation_waiting_during_an_engine_crash_completes(
    crashable_session: CrashableSession, point: CrashPoint, message_type: type[Message]
) -> None:
    crashable_session.crash_triggers["permissions"].crash_on(point, message_type)
    crashable_session.prompt()
    crashable_session.console_probe.submit_decision(wait_for_request(crashable_session))
    expect_turn_completed(crashable_session)
    expect_restart_notices(crashable_session, "permissions")


def test_an_evaluation_that_keeps_crashing_the_engine_is_denied(
    crashable_session: CrashableSession,
) -> None:
    crashable_session.crash_triggers["permissions"].crash_on("before", EvaluatePermission, times=3)
    crashable_session.prompt()
    expect_turn_completed(
        crashable_session, executions=0, result="could not evaluate it (quarantined)"
    )
    expect_restart_notices(crashable_session, "permissions", times=3)


# The journal.


@pytest.mark.parametrize(
    ("message_type", "nth"),
    [*((Append, nth) for nth in range(1, 8)), (Flush, 1), (Flush, 3), (Flush, 5)],
)
@pytest.mark.parametrize("point", ["before", "after"])
def test_a_crashing_journal_writes_each_record_once_in_order(
    crashable_session: CrashableSession, point: CrashPoint, message_type: type[Message], nth: int
) -> None:
    """A record that is sent again may follow records that another actor wrote meanwhile."""
    crashable_session.crash_triggers["journal"].crash_on(point, message_type, nth=nth)
    crashable_session.prompt()
    crashable_session.console_probe.submit_decision(wait_for_request(crashable_session))
    expect_turn_completed(crashable_session)
    types = [type(record) for record in crashable_session.records()]
    broker_types = [ExecApprovalRequest, ApprovalDecided]
    assert [written for written in types if written in broker_types] == broker_types
    assert [written for written in types if written not in broker_types] == [
        SessionHeader,
        SessionOpened,
        TurnStarted,
        RequestPrefix,
        ReplyCompleted,
        ToolStarted,
        ToolEnded,
        ReplyCompleted,
        TurnCompleted,
    ]


# The root


@pytest.mark.parametrize("name", ["journal", "permissions", "approvals", "primary"])
def test_the_session_ends_when_a_required_actor_cannot_restart(
    crashable_session: CrashableSession, name: ActorName
) -> None:
    crashable_session.crash(name, failing_restarts=3)
    end = crashable_session.end_messages.get(timeout=PROBE_TIMEOUT_S)
    reason = f"/{name} failed (crash): InjectedCrashError: start"
    assert end == ChildCompleted(child=ROOT, result=reason)
    assert crashable_session.system.addresses == ()
    assert crashable_session.restart_notices.empty()
