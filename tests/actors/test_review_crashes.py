"""An actor crashes at each step of a review: it ends exactly once, and the session continues."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.agents.turn.self_messages import ReviewPrepared
from messages.address import PRIMARY
from messages.approvals import ShowApproval
from messages.base import Message
from messages.child_lifecycle import ChildCompleted
from messages.journal import Append, Appended
from messages.permissions import EvaluatePermission, PermissionDecision
from messages.reviews import CustomTarget, ReviewEnded, ReviewStarted, StartReview
from messages.subagents import SpawnAdmitted, SubagentEnded, SubagentStarted
from messages.turns import SessionConfigured, StartTurn, TurnCompleted
from tests.actors.agents.conversation_assertions import assert_sendable
from tests.actors.crashable_session import (
    ActorName,
    CrashableSession,
    CrashPoint,
    start_session,
)

pytestmark = pytest.mark.quick

REVIEW = StartReview(id="r1", target=CustomTarget(instructions="look"))
STEPS: list[tuple[ActorName, type[Message]]] = [
    ("primary", StartReview),
    ("primary", PermissionDecision),
    ("primary", ReviewPrepared),
    ("primary", SpawnAdmitted),
    ("primary", Appended),
    ("primary", ChildCompleted),
    ("permissions", EvaluatePermission),
    ("journal", Append),
]


@pytest.fixture
def crashable_session(tmp_path: Path) -> Iterator[CrashableSession]:
    crashable = start_session(tmp_path)
    yield crashable
    assert crashable.system.stop(), "an actor did not stop in time"
    assert all(trigger.has_fired for trigger in crashable.crash_triggers.values())


def wait_for_review(crashable_session: CrashableSession) -> ReviewEnded:
    """Wait for the end of the review; as the console, request it again from a restarted agent."""
    probe = crashable_session.console_probe
    while True:
        message = probe.next()
        if isinstance(message, SessionConfigured):
            probe.tell(PRIMARY, REVIEW)
        if isinstance(message, ReviewEnded):
            return message


def wait_for_request(crashable_session: CrashableSession) -> str:
    return crashable_session.console_probe.wait_for(ShowApproval).request.id


@pytest.mark.parametrize("point", ["before", "after"])
@pytest.mark.parametrize(
    ("actor", "message_type"), STEPS, ids=lambda value: getattr(value, "__name__", value)
)
def test_a_review_ends_once_when_an_actor_crashes(
    crashable_session: CrashableSession,
    actor: ActorName,
    message_type: type[Message],
    point: CrashPoint,
) -> None:
    crashable_session.console_probe.wait_for(SessionConfigured)
    crashable_session.crash_triggers[actor].crash_on(point, message_type)
    crashable_session.console_probe.tell(PRIMARY, REVIEW)
    assert wait_for_review(crashable_session).status in ("completed", "cancelled")

    crashable_session.console_probe.tell(PRIMARY, StartTurn(turn=1, text="go"))
    crashable_session.console_probe.submit_decision(wait_for_request(crashable_session))
    crashable_session.console_probe.wait_for(TurnCompleted)
    for kind in (ReviewStarted, ReviewEnded):
        assert len(crashable_session.records_of_type(kind)) == 1
    starts = len(crashable_session.records_of_type(SubagentStarted))
    assert starts == len(crashable_session.records_of_type(SubagentEnded)) <= 1
    primary_requests = [
        request for request in crashable_session.model.requests if not request.headers
    ]
    for request in primary_requests:
        assert_sendable(request.messages)
    assert "The review of" in str(primary_requests[0].messages)
