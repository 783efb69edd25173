"""Questions to a person, whose replies are the result; and the ledger, which is a record."""

from pathlib import Path

import pytest

from actors.agents.restore.restored_state import restore
from actors.agents.turn.approval import RequestContext, build_approval_request
from actors.agents.turn.effects import RequestApproval, RunCall, SendModelRequest
from actors.agents.turn.state_machine import resume_turn
from messages.address import PRIMARY
from messages.approvals import ApprovalDecided, QuestionRequest
from messages.journal import Record
from messages.policy import PermissionRequest
from messages.todos import Todo
from messages.tool_calls import CallPlan, ToolOutput, ToolPlanned, ToolSucceeded
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
ID = "/primary#1@1"
REPLIED = ApprovalDecided(id=ID, agent=PRIMARY, decision="once", answers=("SQLite", "shop.db"))
TOLD = "Which database?\nThe user: SQLite\n\nWhich name?\nThe user: shop.db"
LEDGER = (Todo(content="Write a test", status="in_progress"),)


@pytest.fixture
def driver() -> TurnDriver:
    driver = TurnDriver()
    driver.start_turn(make_tool_use("c1"))
    return driver


def ask(driver: TurnDriver) -> str:
    driver.send(ToolPlanned(call_id="c1", plan=PLAN))
    driver.decide("c1", "ask")
    return driver.get_effects(RequestApproval)[-1].id


def taken_up(*since: Record) -> TurnDriver:
    reply = ReplyCompleted(
        turn=1, content=(make_tool_use("c1"),), stop_reason="tool_use", usage=USAGE, model="script"
    )
    begun = TurnStarted(turn=1, prompt="do it")
    turn, effects = resume_turn(restore((begun, reply, *since), make_state(run=2)))
    driver = TurnDriver(turn)
    driver.collect(effects)
    return driver


def asked() -> QuestionRequest:
    effect = RequestApproval(ID, "c1", PLAN, make_decision("q", "ask"))

    request = build_approval_request(
        effect, make_tool_use("c1"), RequestContext(PRIMARY, 1, Path(CWD))
    )
    assert isinstance(request, QuestionRequest)
    return request


def test_a_question_is_asked_with_all_its_choices() -> None:
    assert asked().questions == QUESTIONS
    assert asked().available_decisions == ("once", "no")


def test_the_replies_are_the_result_and_nothing_runs(driver: TurnDriver) -> None:
    ask(driver)
    driver.send(REPLIED)

    assert driver.results == [("c1", "ok", TOLD)]
    assert driver.get_effects(RunCall) == []


def test_who_declines_to_answer_denies_the_call(driver: TurnDriver) -> None:
    ask(driver)
    driver.send(deny(ID, "decide yourself"))

    assert driver.results == [("c1", "denied", "Denied by the user. They said: decide yourself")]


def test_a_question_that_is_open_at_the_end_is_asked_again_by_its_id() -> None:
    driver = taken_up(asked())

    assert ask(driver) == ID
    driver.send(REPLIED)
    assert driver.results == [("c1", "ok", TOLD)]


def test_replies_that_are_on_disk_are_the_result_after_a_resume() -> None:
    driver = taken_up(asked(), REPLIED)

    assert driver.planned_calls == []
    assert driver.results == [("c1", "ok", TOLD)]
    assert driver.get_effects(SendModelRequest) == [SendModelRequest(1)]


def test_the_ledger_is_on_disk_before_the_result_that_tells_of_it(driver: TurnDriver) -> None:
    driver.allow("c1")
    driver.send(ToolSucceeded(call_id="c1", output=ToolOutput(text="kept", todos=LEDGER)))

    updated = TodosUpdated(turn=1, todos=LEDGER)
    assert updated in driver.events
    at = driver.records.index(updated)
    assert driver.records[at + 1] == driver.records[-1]
    assert driver.results == [("c1", "ok", "kept")]


def test_an_emptied_ledger_is_recorded_too(driver: TurnDriver) -> None:
    driver.allow("c1")
    driver.send(ToolSucceeded(call_id="c1", output=ToolOutput(text="kept", todos=())))

    assert TodosUpdated(turn=1, todos=()) in driver.records
