"""A turn while writes fail or take long."""

from dataclasses import replace

import pytest

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
from actors.agents.turn.turn_state import TurnStage
from actors.sessions.append_timeout import AppendTimeout
from messages.content import TextBlock
from messages.journal import Appended, AppendFailed
from messages.subagents import SpawnAdmitted, SubagentEnded
from messages.tool_calls import CallPlan, SubagentTask
from messages.turns import CancelTurn, PersistenceChanged, SetModel, StartTurn, TurnCompleted
from tests.actors.agents.turn.message_builders import READ_TOOL, make_tool_use
from tests.actors.agents.turn.turn_driver import TurnDriver

pytestmark = pytest.mark.quick


def fail_append(driver: TurnDriver, detail: str = "disk full") -> tuple[Effect, ...]:
    return driver.send(AppendFailed(id=driver.state.persistence.last_append_id, detail=detail))


def test_a_call_whose_start_cannot_be_written_is_denied(
    driver: TurnDriver,
) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.plan("c1")
    driver.hold_disk = True
    driver.decide("c1", "allow")
    fail_append(driver)

    assert driver.run_calls == []
    assert driver.results == [("c1", "denied", SESSION_NOT_WRITABLE.format(detail="disk full"))]
    assert fail_append(driver) == (SendModelRequest(2),)


def test_reads_and_the_model_continue_while_writes_fail(driver: TurnDriver) -> None:
    driver.hold_disk = True
    driver.send(StartTurn(turn=1, text="go"))
    fail_append(driver)
    driver.reply(make_tool_use("a", READ_TOOL))
    fail_append(driver)
    driver.allow("a")
    driver.succeed("a")
    fail_append(driver)
    driver.reply(TextBlock(text="done"))
    fail_append(driver)

    assert driver.run_calls == ["a"]
    assert isinstance(driver.events[-1], TurnCompleted)
    assert driver.state.turn.stage is TurnStage.IDLE


def test_no_approval_is_requested_while_writes_fail(driver: TurnDriver) -> None:
    driver.hold_disk = True
    driver.start_turn(make_tool_use("c1"))
    driver.sync()
    driver.reply(make_tool_use("c1"))
    fail_append(driver)
    driver.plan("c1")
    driver.decide("c1", "ask")

    assert driver.get_effects(RequestApproval) == []
    assert driver.results == [("c1", "denied", SESSION_NOT_WRITABLE.format(detail="disk full"))]


def test_a_write_failure_and_its_end_are_reported_once(
    driver: TurnDriver,
) -> None:
    driver.hold_disk = True
    driver.send(StartTurn(turn=1, text="one"))
    fail_append(driver, "a short write")
    driver.send(AppendTimeout(id=0))
    fail_append(driver, "disk full")
    driver.send(AppendTimeout(id=0))
    driver.sync()

    changes = [event for event in driver.events if isinstance(event, PersistenceChanged)]
    assert changes == [
        PersistenceChanged(state="failing", detail="a short write"),
        PersistenceChanged(state="ok"),
    ]


def test_failed_writes_are_retried_even_without_new_records(driver: TurnDriver) -> None:
    driver.start_turn(TextBlock(text="done"))
    driver.hold_disk = True
    driver.send(SetModel(model="big"))
    fail_append(driver)

    assert driver.send(AppendTimeout(id=0)) == (
        RetryWrites(driver.state.persistence.last_append_id),
    )
    driver.sync()
    assert driver.send(AppendTimeout(id=0)) == ()


def test_later_failures_of_the_same_outage_are_ignored(
    driver: TurnDriver,
) -> None:
    driver.hold_disk = True
    driver.send(StartTurn(turn=1, text="one"))
    driver.send(CancelTurn(turn=1))
    driver.send(AppendFailed(id=1, detail="disk full"))
    driver.send(StartTurn(turn=2, text="two"))

    assert driver.send(AppendFailed(id=2, detail="disk full")) == ()
    assert driver.send(Appended(id=3)) == (
        PublishEvent(PersistenceChanged(state="ok")),
        SendModelRequest(1),
    )


def test_a_slow_write_is_reported_until_it_succeeds(driver: TurnDriver) -> None:
    driver.hold_disk = True
    driver.send(StartTurn(turn=1, text="one"))

    assert driver.send(AppendTimeout(id=1)) == (PublishEvent(PersistenceChanged(state="slow")),)
    assert driver.send(AppendTimeout(id=1)) == ()
    assert driver.sync() == (PublishEvent(PersistenceChanged(state="ok")), SendModelRequest(1))
    assert driver.send(AppendTimeout(id=1)) == ()


def test_a_cancelled_subagent_that_has_not_started_can_be_used_again(driver: TurnDriver) -> None:
    bring_to_start_of_subagent(driver)
    driver.send(CancelTurn(turn=1))
    driver.sync()

    assert driver.get_effects(StartChild) == []
    ended = [record for record in driver.records if isinstance(record, SubagentEnded)]
    assert [(end.task_number, end.status) for end in ended] == [(1, "cancelled")]
    assert not any(existing.is_busy for existing in driver.state.subagents.list_existing().values())


def bring_to_start_of_subagent(driver: TurnDriver) -> None:
    """Bring a `task` call to where the record of its start is being written."""
    identity = replace(driver.state.identity, address="/primary")
    driver.state = replace(driver.state, identity=identity)
    driver.start_turn(make_tool_use("c1", "task"))
    task = SubagentTask(agent_type="explore", description="look", prompt="look around")
    plan = CallPlan(title="task", requests=(), task=task)
    driver.send(ToolPlanned(call_id="c1", plan=plan))
    driver.decide("c1", "allow")
    driver.hold_disk = True
    driver.send(SpawnAdmitted(call_id="c1", name="explore-1"))


def test_a_subagent_whose_start_cannot_be_written_never_starts(
    driver: TurnDriver,
) -> None:
    bring_to_start_of_subagent(driver)
    fail_append(driver)

    assert driver.get_effects(StartChild) == []
    assert driver.results == [("c1", "denied", SESSION_NOT_WRITABLE.format(detail="disk full"))]
    assert isinstance(driver.records[-2], SubagentEnded)
    assert not any(existing.is_busy for existing in driver.state.subagents.list_existing().values())
