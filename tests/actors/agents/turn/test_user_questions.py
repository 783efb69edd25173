"""Questions to the user, whose answers are the result; and todos, which are a record."""

from pathlib import Path

import pytest

from actors.agents.turn.approval_requests import RequestContext, build_approval_request
from actors.agents.turn.effects import RequestApproval, RunCall, SendModelRequest
from actors.agents.turn.self_messages import ToolPlanned, ToolSucceeded
from messages.address import PRIMARY
from messages.approvals import ApprovalDecided, QuestionRequest
from messages.journal import Record
from messages.policy import PermissionRequest
from messages.todos import Todo
from messages.tool_calls import CallPlan, ToolOutput
from messages.turns import ReplyCompleted, TodosUpdated, TurnStarted
from messages.user_questions import Choice, UserQuestion
from tests.actors.agents.turn.message_builders import (
    CWD,
    USAGE,
    deny,
    make_decision,
    make_state,
    make_tool_use,
)
from tests.actors.agents.turn.turn_driver import TurnDriver

pytestmark = pytest.mark.quick

QUESTIONS = (
    UserQuestion(
        text="Which database?", choices=(Choice(label="SQLite"), Choice(label="Postgres"))
    ),
    UserQuestion(text="Which name?"),
)
PLAN = CallPlan(
    title="question Which database?",
    requests=(PermissionRequest(permission="question", target="*"),),
    questions=QUESTIONS,
)
APPROVAL_ID = "/primary#1@1"
ANSWERED = ApprovalDecided(
    id=APPROVAL_ID, agent=PRIMARY, decision="once", answers=("SQLite", "shop.db")
)
RESULT_TEXT = "Which database?\nThe user: SQLite\n\nWhich name?\nThe user: shop.db"
TODOS = (Todo(content="Write a test", status="in_progress"),)


@pytest.fixture
def driver() -> TurnDriver:
    driver = TurnDriver()
    driver.start_turn(make_tool_use("c1"))
    return driver


def ask(driver: TurnDriver) -> str:
    driver.send(ToolPlanned(call_id="c1", plan=PLAN))
    driver.decide("c1", "ask")
    return driver.get_effects(RequestApproval)[-1].id


def resume_from(*later_records: Record) -> TurnDriver:
    reply = ReplyCompleted(
        turn=1, content=(make_tool_use("c1"),), stop_reason="tool_use", usage=USAGE, model="script"
    )
    started = TurnStarted(turn=1, prompt="do it")
    return TurnDriver.resume((started, reply, *later_records), make_state(run=2))


def make_question_request() -> QuestionRequest:
    effect = RequestApproval(APPROVAL_ID, "c1", PLAN, make_decision("q", "ask"))

    request = build_approval_request(
        effect, make_tool_use("c1"), RequestContext(PRIMARY, 1, Path(CWD))
    )
    assert isinstance(request, QuestionRequest)
    return request


def test_a_question_request_contains_all_its_choices() -> None:
    assert make_question_request().questions == QUESTIONS
    assert make_question_request().available_decisions == ("once", "no")


def test_the_answers_are_the_result_and_nothing_runs(driver: TurnDriver) -> None:
    ask(driver)
    driver.send(ANSWERED)

    assert driver.results == [("c1", "ok", RESULT_TEXT)]
    assert driver.get_effects(RunCall) == []


def test_a_question_without_answer_keeps_the_other_answers(driver: TurnDriver) -> None:
    ask(driver)
    driver.send(ANSWERED.model_copy(update={"answers": ("", "shop.db")}))

    result = "Which database?\nThe user gave no answer.\n\nWhich name?\nThe user: shop.db"
    assert driver.results == [("c1", "ok", result)]


def test_declining_to_answer_denies_the_call(driver: TurnDriver) -> None:
    ask(driver)
    driver.send(deny(APPROVAL_ID, "decide yourself"))

    assert driver.results == [
        ("c1", "denied", "Denied by the user. The user said: decide yourself")
    ]


def test_an_open_question_is_asked_again_by_its_id() -> None:
    driver = resume_from(make_question_request())

    assert ask(driver) == APPROVAL_ID
    driver.send(ANSWERED)
    assert driver.results == [("c1", "ok", RESULT_TEXT)]


def test_recorded_answers_are_the_result_after_a_resume() -> None:
    driver = resume_from(make_question_request(), ANSWERED)

    assert driver.planned_calls == []
    assert driver.results == [("c1", "ok", RESULT_TEXT)]
    assert driver.get_effects(SendModelRequest) == [SendModelRequest(1)]


def test_todos_are_recorded_before_the_result(driver: TurnDriver) -> None:
    driver.allow("c1")
    driver.send(ToolSucceeded(call_id="c1", output=ToolOutput(text="saved", todos=TODOS)))

    updated = TodosUpdated(turn=1, todos=TODOS)
    assert updated in driver.events
    index = driver.records.index(updated)
    assert driver.records[index + 1] == driver.records[-1]
    assert driver.results == [("c1", "ok", "saved")]


def test_an_empty_todo_list_is_recorded_too(driver: TurnDriver) -> None:
    driver.allow("c1")
    driver.send(ToolSucceeded(call_id="c1", output=ToolOutput(text="saved", todos=())))

    assert TodosUpdated(turn=1, todos=()) in driver.records
