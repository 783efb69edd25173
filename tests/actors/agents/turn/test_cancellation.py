"""Stopping a turn, and prompts that wait for it."""

import pytest

from actors.agents.turn.call_completion import INTERRUPTED_BEFORE_RUN, INTERRUPTED_WHILE_RUNNING
from actors.agents.turn.effects import (
    CancelCall,
    CancelModelRequest,
    PublishEvent,
    SendModelRequest,
    WithdrawSubtree,
    WriteRecord,
)
from actors.agents.turn.self_messages import ModelFailed
from actors.agents.turn.turn_state import TurnStage
from messages.content import TextBlock
from messages.turns import (
    CancelTurn,
    RequestInfo,
    StartTurn,
    TurnCompleted,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.turn.message_builders import (
    READ_TOOL,
    USAGE,
    make_tool_failed,
    make_tool_use,
)
from tests.actors.agents.turn.turn_driver import TurnDriver, list_types

pytestmark = pytest.mark.quick

INTERRUPTED = TurnInterrupted(turn=1, usage=USAGE)


# Stopping


def test_a_cancel_during_a_reply_keeps_its_text(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="do it"))

    assert driver.send(CancelTurn(turn=1)) == (CancelModelRequest(),)
    driver.send(
        ModelFailed(
            request=RequestInfo(number=1), reason="cancelled", detail="", partial_text="I wi"
        )
    )
    assert driver.events[-1] == TurnInterrupted(
        turn=1, partial_text="I wi", request=RequestInfo(number=1)
    )


def test_calls_that_arrive_after_the_cancel_never_start(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="do it"))
    driver.send(CancelTurn(turn=1))
    driver.reply(make_tool_use("c1"), make_tool_use("c2"))

    assert driver.results == [
        ("c1", "cancelled", INTERRUPTED_BEFORE_RUN),
        ("c2", "cancelled", INTERRUPTED_BEFORE_RUN),
    ]
    assert driver.events[-1] == INTERRUPTED


def test_duplicate_call_ids_do_not_turn_a_cancel_into_a_failure(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="do it"))
    driver.send(CancelTurn(turn=1))
    driver.reply(make_tool_use("c1"), make_tool_use("c1"))

    request = RequestInfo(number=1, usage=USAGE)
    assert driver.events[-1] == INTERRUPTED.model_copy(update={"request": request})


def test_a_cancel_waits_for_running_calls(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.allow("c1")

    assert driver.send(CancelTurn(turn=1)) == (CancelCall("c1"),)
    assert driver.send(CancelTurn(turn=1)) == ()
    driver.send(make_tool_failed("c1", "cancelled"))
    assert driver.results == [("c1", "cancelled", INTERRUPTED_WHILE_RUNNING)]
    assert driver.events[-1] == INTERRUPTED


def test_a_call_that_finishes_despite_the_cancel_keeps_its_result(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.allow("c1")
    driver.send(CancelTurn(turn=1))
    driver.succeed("c1")

    assert driver.results == [("c1", "ok", "fine")]
    assert driver.events[-1] == INTERRUPTED


def test_a_cancel_waits_for_calls_being_planned(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))

    assert driver.send(CancelTurn(turn=1)) == (CancelCall("c1"),)
    driver.plan("c1")
    assert driver.results == [("c1", "cancelled", INTERRUPTED_BEFORE_RUN)]
    assert driver.events[-1] == INTERRUPTED


def test_a_cancel_withdraws_approvals_before_it_stops_calls(driver: TurnDriver) -> None:
    driver.start_turn(
        make_tool_use("a", READ_TOOL),
        make_tool_use("b", READ_TOOL),
        make_tool_use("c", READ_TOOL),
        make_tool_use("d"),
    )
    driver.request_approval("a")
    driver.allow("b")

    assert list_types(driver.send(CancelTurn(turn=1)))[:3] == [
        WithdrawSubtree,
        WriteRecord,
        PublishEvent,
    ]
    cancelled = [effect.call_id for effect in driver.get_effects(CancelCall)]
    assert cancelled == ["b", "c"]
    assert [call_id for call_id, _, _ in driver.results] == ["a", "d"]


def test_a_cancelled_call_does_not_run_once_its_start_is_written(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.plan("c1")
    driver.hold_disk = True
    driver.decide("c1", "allow")
    driver.send(CancelTurn(turn=1))
    driver.hold_disk = False
    driver.sync()

    assert driver.run_calls == []
    assert driver.results == [("c1", "cancelled", INTERRUPTED_BEFORE_RUN)]


def test_a_changed_target_during_a_cancel_is_a_cancelled_call(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.allow("c1")
    driver.send(CancelTurn(turn=1))
    driver.send(make_tool_failed("c1", "target_changed"))

    assert driver.results == [("c1", "cancelled", INTERRUPTED_BEFORE_RUN)]


def test_a_cancel_during_a_write_ends_the_turn(driver: TurnDriver) -> None:
    driver.hold_disk = True
    driver.send(StartTurn(turn=1, text="do it"))
    driver.send(CancelTurn(turn=1))

    assert driver.sync() == (PublishEvent(TurnInterrupted(turn=1)),)
    assert driver.get_effects(SendModelRequest) == []


def test_a_cancel_after_the_last_reply_changes_nothing(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="do it"))
    driver.hold_disk = True
    driver.reply(TextBlock(text="done"))

    assert driver.send(CancelTurn(turn=1)) == ()
    assert isinstance(driver.records[-1], TurnCompleted)


# Queued prompts


def test_queued_prompts_start_in_order(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="one"))
    assert driver.send(StartTurn(turn=2, text="two")) == ()
    driver.reply(TextBlock(text="done"))

    started = [event.prompt for event in driver.events if isinstance(event, TurnStarted)]
    assert started == ["one", "two"]
    assert driver.state.turn.number == 2


def test_a_cancel_that_overtakes_its_prompt_drops_it(driver: TurnDriver) -> None:
    driver.send(CancelTurn(turn=1))

    assert driver.send(StartTurn(turn=1, text="one")) == (PublishEvent(TurnInterrupted(turn=1)),)
    assert driver.records == []
    driver.send(StartTurn(turn=2, text="two"))
    assert driver.state.turn.stage is TurnStage.THINKING


def test_a_cancel_of_a_later_turn_affects_only_that_turn(
    driver: TurnDriver,
) -> None:
    for turn in (1, 2, 3):
        driver.send(StartTurn(turn=turn, text="go"))

    assert driver.send(CancelTurn(turn=3)) == ()
    driver.reply(TextBlock(text="done"))
    driver.reply(TextBlock(text="done"))
    ends = [event for event in driver.events if isinstance(event, TurnCompleted | TurnInterrupted)]
    assert [type(event) for event in ends] == [TurnCompleted, TurnCompleted, TurnInterrupted]


def test_a_cancel_of_an_ended_turn_does_not_stop_the_next(driver: TurnDriver) -> None:
    driver.start_turn(TextBlock(text="done"))
    driver.send(StartTurn(turn=2, text="two"))

    assert driver.send(CancelTurn(turn=1)) == ()
    assert driver.state.turn.stage is TurnStage.THINKING


def test_a_prompt_that_arrives_twice_starts_once(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="one"))
    driver.send(StartTurn(turn=2, text="two"))
    driver.send(StartTurn(turn=2, text="two"))
    driver.send(StartTurn(turn=1, text="one"))
    driver.reply(TextBlock(text="done"))
    driver.reply(TextBlock(text="done"))

    assert driver.state.turn.stage is TurnStage.IDLE
    assert driver.send(StartTurn(turn=2, text="two")) == ()


def test_many_cancelled_prompts_are_dropped_one_by_one(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="go"))
    for turn in range(2, 2_000):
        driver.send(CancelTurn(turn=turn))
        driver.send(StartTurn(turn=turn, text="go"))
    driver.reply(TextBlock(text="done"))

    assert len([event for event in driver.events if isinstance(event, TurnInterrupted)]) == 1_998
