"""What a turn makes of a disk that refuses, or takes long."""

from dataclasses import replace

import pytest

from actors.agents.effects import (
    Effect,
    PublishEvent,
    RequestApproval,
    RetryWrites,
    SendModelRequest,
    StartChild,
)
from actors.agents.settling import UNRECORDED
from actors.agents.state import TurnStage
from messages.content import TextBlock
from messages.subagents import SpawnAdmitted, SubagentEnded
from messages.tools import CallPlan, SubagentTask, ToolPlanned
from messages.transcript import Appended, AppendFailed, AppendTimeout
from messages.turns import CancelTurn, PersistenceChanged, SetModel, StartTurn, TurnCompleted
from tests.actors.agents.driver import Driver
from tests.actors.agents.scripts import LOOK, use

pytestmark = pytest.mark.quick


@pytest.fixture
def driver() -> Driver:
    return Driver()


def refuses(driver: Driver, detail: str = "disk full") -> tuple[Effect, ...]:
    return driver.tell(AppendFailed(id=driver.turn.written, detail=detail))


def test_nothing_runs_whose_start_could_not_be_written_and_the_model_is_told(
    driver: Driver,
) -> None:
    driver.prompted(use("c1"))
    driver.planned("c1")
    driver.hold = True
    driver.judged("c1", "allow")
    refuses(driver)

    assert driver.ran == []
    assert driver.results == [("c1", "denied", UNRECORDED.format(detail="disk full"))]
    assert refuses(driver) == (SendModelRequest(2),)


def test_reading_calls_and_the_model_go_on_while_the_disk_refuses(driver: Driver) -> None:
    driver.hold = True
    driver.tell(StartTurn(turn=1, text="go"))
    refuses(driver)
    driver.replied(use("a", LOOK))
    refuses(driver)
    driver.allowed("a")
    driver.done("a")
    refuses(driver)
    driver.replied(TextBlock(text="done"))
    refuses(driver)

    assert driver.ran == ["a"]
    assert isinstance(driver.reports[-1], TurnCompleted)
    assert driver.turn.stage is TurnStage.IDLE


def test_nobody_is_asked_while_the_disk_refuses(driver: Driver) -> None:
    driver.hold = True
    driver.prompted(use("c1"))
    driver.sync()
    driver.replied(use("c1"))
    refuses(driver)
    driver.planned("c1")
    driver.judged("c1", "ask")

    assert driver.of(RequestApproval) == []
    assert driver.results == [("c1", "denied", UNRECORDED.format(detail="disk full"))]


def test_people_are_told_once_that_the_disk_refuses_and_once_that_it_does_no_more(
    driver: Driver,
) -> None:
    driver.hold = True
    driver.tell(StartTurn(turn=1, text="one"))
    refuses(driver, "a short write")
    driver.tell(AppendTimeout(id=0))
    refuses(driver, "disk full")
    driver.tell(AppendTimeout(id=0))
    driver.sync()

    told = [each for each in driver.reports if isinstance(each, PersistenceChanged)]
    assert told == [
        PersistenceChanged(state="failing", detail="a short write"),
        PersistenceChanged(state="well"),
    ]


def test_what_was_refused_is_tried_again_also_when_nothing_else_is_said(driver: Driver) -> None:
    driver.prompted(TextBlock(text="done"))
    driver.hold = True
    driver.tell(SetModel(model="big"))
    refuses(driver)

    assert driver.tell(AppendTimeout(id=0)) == (RetryWrites(driver.turn.written),)
    driver.sync()
    assert driver.tell(AppendTimeout(id=0)) == ()


def test_a_later_refusal_of_what_was_sent_before_the_first_was_heard_is_no_news(
    driver: Driver,
) -> None:
    driver.hold = True
    driver.tell(StartTurn(turn=1, text="one"))
    driver.tell(CancelTurn(turn=1))
    driver.tell(AppendFailed(id=1, detail="disk full"))
    driver.tell(StartTurn(turn=2, text="two"))

    assert driver.tell(AppendFailed(id=2, detail="disk full")) == ()
    assert driver.tell(Appended(id=3)) == (
        PublishEvent(PersistenceChanged(state="well")),
        SendModelRequest(1),
    )


def test_a_disk_that_takes_long_is_told_of_and_is_well_with_its_answer(driver: Driver) -> None:
    driver.hold = True
    driver.tell(StartTurn(turn=1, text="one"))

    assert driver.tell(AppendTimeout(id=1)) == (PublishEvent(PersistenceChanged(state="slow")),)
    assert driver.tell(AppendTimeout(id=1)) == ()
    assert driver.sync() == (PublishEvent(PersistenceChanged(state="well")), SendModelRequest(1))
    assert driver.tell(AppendTimeout(id=1)) == ()


def test_nobody_is_started_whose_start_the_disk_refused_and_the_task_may_be_given_anew(
    driver: Driver,
) -> None:
    driver.turn = replace(driver.turn, asker="/primary")
    driver.prompted(use("c1", "task"))
    task = SubagentTask(agent="explore", description="look", prompt="look around")
    plan = CallPlan(title="task", requests=(), task=task)
    driver.tell(ToolPlanned(call_id="c1", plan=plan))
    driver.judged("c1", "allow")
    driver.hold = True
    driver.tell(SpawnAdmitted(call_id="c1", name="explore-1"))
    refuses(driver)

    assert driver.of(StartChild) == []
    assert driver.results == [("c1", "denied", UNRECORDED.format(detail="disk full"))]
    assert isinstance(driver.records[-2], SubagentEnded)
    assert not any(known.busy for known in driver.turn.family.known().values())
