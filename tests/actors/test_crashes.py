"""Each part of a session crashes at every step of a call, and nothing is lost or done twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.sessions.journal import Flush
from messages.address import APPROVALS, ROOT
from messages.agents import ChildCompleted
from messages.approvals import (
    ApprovalDecided,
    ApprovalWithdrawn,
    DismissApproval,
    ExecApprovalRequest,
    ShowApproval,
    SubmitDecision,
)
from messages.base import Message
from messages.models import ModelReplied
from messages.permissions import (
    EvaluatePermission,
    EvaluationFinished,
    GrantStored,
    PermissionDecision,
    SessionSettings,
    StoreGrant,
)
from messages.tools import ToolPlanned, ToolSucceeded
from messages.transcript import Append, Appended, SessionHeader, SessionOpened
from messages.turns import ReplyCompleted, ToolEnded, ToolStarted, TurnCompleted, TurnStarted
from tests.actors.living import Living, Name, When, live
from tests.probe import PATIENCE_S

pytestmark = pytest.mark.quick

FIRST, SECOND = "/primary#1@1", "/primary#1@1.2"


@pytest.fixture
def living(tmp_path: Path) -> Iterator[Living]:
    living = live(tmp_path)
    yield living
    assert living.system.stop(), "something did not stop in time"
    assert all(fuse.burnt for fuse in living.fuses.values()), "a crash did not happen"
    assert living.person.twice == [], "a person saw a question twice"
    asked = [each.id for each in living.recorded(ExecApprovalRequest)]
    answered = [each.id for each in living.recorded(ApprovalDecided)]
    ended = answered + [each.id for each in living.recorded(ApprovalWithdrawn)]
    assert sorted(asked) == sorted(set(ended)) == sorted(ended), "a question had not one end"


def asked(living: Living) -> str:
    return living.person.until(ShowApproval).request.id


def completed(living: Living, *, runs: int = 1, result: str = "changed") -> None:
    """Check that the turn comes to its end, and its call to one result."""
    assert living.person.until(TurnCompleted).turn == 1
    assert living.runs == ["ran"] * runs
    (ended,) = living.recorded(ToolEnded)
    (told,) = living.results()
    assert result in ended.text
    assert result in told


def told_of(living: Living, name: str, times: int = 1) -> None:
    """Check that people heard of each crash in one line, and of nothing else."""
    lines = [living.told.get(timeout=PATIENCE_S) for _ in range(times)]
    assert living.told.empty()
    for line in lines:
        assert line.startswith(f"/{name} crashed and was started again")
        assert "\n" not in line


# The broker.


def test_a_broker_that_crashes_with_a_question_on_the_screen_shows_it_again(
    living: Living,
) -> None:
    living.prompt()
    assert asked(living) == FIRST
    living.crash("approvals")
    assert asked(living) == FIRST
    living.person.answer(FIRST)
    completed(living)
    told_of(living, "approvals")


@pytest.mark.parametrize(
    ("when", "over"),
    [("after", SubmitDecision), ("before", Appended), ("after", Appended)],
)
def test_an_answer_that_was_on_its_way_when_the_broker_crashed_counts_once(
    living: Living, when: When, over: type[Message]
) -> None:
    living.prompt()
    assert asked(living) == FIRST
    living.fuses["approvals"].set(when, over)
    living.person.answer(FIRST)
    completed(living)
    assert len(living.recorded(ApprovalDecided)) == 1
    told_of(living, "approvals")


def test_an_answer_that_the_broker_never_took_is_asked_for_again(living: Living) -> None:
    living.prompt()
    living.fuses["approvals"].set("before", SubmitDecision)
    living.person.answer(asked(living))
    living.person.answer(asked(living))
    completed(living)


@pytest.mark.parametrize("answer", ["once", "no"])
def test_what_has_ended_is_never_shown_again_by_a_new_broker(living: Living, answer: str) -> None:
    living.prompt()
    request = living.person.until(ShowApproval).request
    given = SubmitDecision.model_validate({"id": request.id, "decision": answer})
    living.person.tell(APPROVALS, given)
    living.person.until(TurnCompleted)
    living.crash("approvals")
    living.person.tell(APPROVALS, request)
    assert living.person.until(ApprovalDecided).decision == answer
    living.person.tell(APPROVALS, request)
    living.person.tell(APPROVALS, given)
    living.prompt(2)
    assert living.person.until(ShowApproval).request.id == "/primary#2@1"
    living.person.answer("/primary#2@1", "no")
    living.person.until(TurnCompleted)
    assert len(living.runs) == (answer == "once")


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
    living: Living, name: Name, when: When, over: type[Message]
) -> None:
    living.prompt()
    living.fuses[name].set(when, over)
    living.person.answer(asked(living), "session")
    completed(living)
    (rule,) = living.recorded(SessionSettings)[-1].grants
    assert rule.permission == "edit"
    living.prompt(2)
    assert living.person.until(TurnCompleted).turn == 2
    assert len(living.runs) == 2


# The agent.


@pytest.mark.parametrize("over", [ModelReplied, ToolPlanned, PermissionDecision])
def test_an_agent_that_crashes_before_it_asks_asks_once(
    living: Living, over: type[Message]
) -> None:
    living.fuses["primary"].set("before", over)
    living.prompt()
    living.person.answer(asked(living))
    completed(living)
    assert len(living.recorded(ApprovalDecided)) == 1
    told_of(living, "primary")


def test_an_agent_that_crashes_while_it_waits_for_a_person_withdraws_and_asks_anew(
    living: Living,
) -> None:
    living.prompt()
    assert asked(living) == FIRST
    living.crash("primary")
    assert living.person.until(DismissApproval) == DismissApproval(id=FIRST, why="withdrawn")
    assert asked(living) == SECOND
    living.person.answer(FIRST)
    living.person.answer(SECOND)
    completed(living)
    assert living.recorded(ApprovalWithdrawn) == [ApprovalWithdrawn(id=FIRST)]


@pytest.mark.parametrize(
    ("when", "over", "runs"), [("after", PermissionDecision, 0), ("before", ToolSucceeded, 1)]
)
def test_a_call_that_had_begun_when_its_agent_crashed_is_not_run_again(
    living: Living, when: When, over: type[Message], runs: int
) -> None:
    living.prompt()
    approval = asked(living)
    living.fuses["primary"].set(when, over)
    living.person.answer(approval)
    completed(living, runs=runs, result="outcome is unknown")
    assert len(living.recorded(ApprovalDecided)) == 1


# The engine.


@pytest.mark.parametrize("over", [EvaluatePermission, EvaluationFinished])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_query_that_waits_while_the_engine_crashes_is_judged(
    living: Living, when: When, over: type[Message]
) -> None:
    living.fuses["permissions"].set(when, over)
    living.prompt()
    living.person.answer(asked(living))
    completed(living)
    told_of(living, "permissions")


def test_a_query_that_the_engine_crashes_over_again_and_again_is_denied(living: Living) -> None:
    living.fuses["permissions"].set("before", EvaluatePermission, times=3)
    living.prompt()
    completed(living, runs=0, result="could not judge it (quarantined)")
    told_of(living, "permissions", times=3)


# The journal.


@pytest.mark.parametrize(
    ("over", "nth"), [*((Append, nth) for nth in range(1, 8)), (Flush, 1), (Flush, 3), (Flush, 5)]
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_journal_that_crashes_over_any_record_writes_each_authors_in_order_and_once(
    living: Living, when: When, over: type[Message], nth: int
) -> None:
    """What one author says again may come behind what another said meanwhile."""
    living.fuses["journal"].set(when, over, nth=nth)
    living.prompt()
    living.person.answer(asked(living))
    completed(living)
    written = [type(each) for each in living.records()]
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
def test_when_a_pillar_cannot_be_brought_back_all_ends_in_order(living: Living, name: Name) -> None:
    living.crash(name, failing_restarts=3)
    end = living.ended.get(timeout=PATIENCE_S)
    why = f"/{name} failed (crash): PlantedError: start"
    assert end == ChildCompleted(child=ROOT, result=why)
    assert living.system.addresses == ()
    assert living.told.empty()
