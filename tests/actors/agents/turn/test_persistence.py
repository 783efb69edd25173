"""What a turn makes of a disk that refuses, or takes long."""

from dataclasses import replace

import pytest

from actors.agents.turn.agent_state import TurnStage
from actors.agents.turn.call_completion import SESSION_NOT_WRITABLE
from actors.agents.turn.effects import (
    Effect,
    PublishEvent,
    RequestApproval,
    RetryWrites,
    SendModelRequest,
    StartChild,
)
from actors.agents.turn.self_messages import ToolPlanned
from actors.sessions.append_timeout import AppendTimeout
from messages.content import TextBlock
from messages.journal import Appended, AppendFailed
from messages.subagents import SpawnAdmitted, SubagentEnded
from messages.tool_calls import CallPlan, SubagentTask
from messages.turns import CancelTurn, PersistenceChanged, SetModel, StartTurn, TurnCompleted
from tests.actors.agents.turn.message_builders import READ_TOOL, make_tool_use
from tests.actors.agents.turn.turn_driver import TurnDriver

pytestmark = pytest.mark.quick


@pytest.fixture
def driver() -> TurnDriver:
    return TurnDriver()


def refuses(driver: TurnDriver, detail: str = "disk full") -> tuple[Effect, ...]:
    return driver.send(AppendFailed(id=driver.state.last_append_id, detail=detail))


def test_nothing_runs_whose_start_could_not_be_written_and_the_model_is_told(
    driver: TurnDriver,
) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.plan("c1")
    driver.hold_disk = True
    driver.decide("c1", "allow")
    refuses(driver)

    assert driver.run_calls == []
    assert driver.results == [("c1", "denied", SESSION_NOT_WRITABLE.format(detail="disk full"))]
    assert refuses(driver) == (SendModelRequest(2),)


def test_reading_calls_and_the_model_go_on_while_the_disk_refuses(driver: TurnDriver) -> None:
    driver.hold_disk = True
    driver.send(StartTurn(turn=1, text="go"))
    refuses(driver)
    driver.reply(make_tool_use("a", READ_TOOL))
    refuses(driver)
    driver.allow("a")
    driver.succeed("a")
    refuses(driver)
    driver.reply(TextBlock(text="done"))
    refuses(driver)

    assert driver.run_calls == ["a"]
    assert isinstance(driver.events[-1], TurnCompleted)
    assert driver.state.stage is TurnStage.IDLE


def test_nobody_is_asked_while_the_disk_refuses(driver: TurnDriver) -> None:
    driver.hold_disk = True
    driver.start_turn(make_tool_use("c1"))
    driver.sync()
    driver.reply(make_tool_use("c1"))
    refuses(driver)
    driver.plan("c1")
    driver.decide("c1", "ask")

    assert driver.get_effects(RequestApproval) == []
    assert driver.results == [("c1", "denied", SESSION_NOT_WRITABLE.format(detail="disk full"))]


def test_people_are_told_once_that_the_disk_refuses_and_once_that_it_does_no_more(
    driver: TurnDriver,
) -> None:
    driver.hold_disk = True
    driver.send(StartTurn(turn=1, text="one"))
    refuses(driver, "a short write")
    driver.send(AppendTimeout(id=0))
    refuses(driver, "disk full")
    driver.send(AppendTimeout(id=0))
    driver.sync()

    told = [each for each in driver.events if isinstance(each, PersistenceChanged)]
    assert told == [
        PersistenceChanged(state="failing", detail="a short write"),
        PersistenceChanged(state="well"),
    ]


def test_what_was_refused_is_tried_again_also_when_nothing_else_is_said(driver: TurnDriver) -> None:
    driver.start_turn(TextBlock(text="done"))
    driver.hold_disk = True
    driver.send(SetModel(model="big"))
    refuses(driver)

    assert driver.send(AppendTimeout(id=0)) == (RetryWrites(driver.state.last_append_id),)
    driver.sync()
    assert driver.send(AppendTimeout(id=0)) == ()


def test_a_later_refusal_of_what_was_sent_before_the_first_was_heard_is_no_news(
    driver: TurnDriver,
) -> None:
    driver.hold_disk = True
    driver.send(StartTurn(turn=1, text="one"))
    driver.send(CancelTurn(turn=1))
    driver.send(AppendFailed(id=1, detail="disk full"))
    driver.send(StartTurn(turn=2, text="two"))

    assert driver.send(AppendFailed(id=2, detail="disk full")) == ()
    assert driver.send(Appended(id=3)) == (
        PublishEvent(PersistenceChanged(state="well")),
        SendModelRequest(1),
    )


def test_a_disk_that_takes_long_is_told_of_and_is_well_with_its_answer(driver: TurnDriver) -> None:
    driver.hold_disk = True
    driver.send(StartTurn(turn=1, text="one"))

    assert driver.send(AppendTimeout(id=1)) == (PublishEvent(PersistenceChanged(state="slow")),)
    assert driver.send(AppendTimeout(id=1)) == ()
    assert driver.sync() == (PublishEvent(PersistenceChanged(state="well")), SendModelRequest(1))
    assert driver.send(AppendTimeout(id=1)) == ()


def test_nobody_is_started_whose_start_the_disk_refused_and_the_task_may_be_given_anew(
    driver: TurnDriver,
) -> None:
    driver.state = replace(driver.state, agent_address="/primary")
    driver.start_turn(make_tool_use("c1", "task"))
    task = SubagentTask(agent_type="explore", description="look", prompt="look around")
    plan = CallPlan(title="task", requests=(), task=task)
    driver.send(ToolPlanned(call_id="c1", plan=plan))
    driver.decide("c1", "allow")
    driver.hold_disk = True
    driver.send(SpawnAdmitted(call_id="c1", name="explore-1"))
    refuses(driver)

    assert driver.get_effects(StartChild) == []
    assert driver.results == [("c1", "denied", SESSION_NOT_WRITABLE.format(detail="disk full"))]
    assert isinstance(driver.records[-2], SubagentEnded)
    assert not any(known.is_busy for known in driver.state.subagents.list_existing().values())
