"""How a turn is stopped: by a person, or by the next in line."""

import pytest

from actors.agents.effects import (
    CancelModelRequest,
    Effect,
    PublishEvent,
    SendModelRequest,
    StopCall,
    WithdrawSubtree,
    WriteRecord,
)
from actors.agents.settling import CUT_SHORT, NEVER_RAN
from actors.agents.state import TurnStage
from messages.content import TextBlock
from messages.models import ModelFailed
from messages.turns import (
    CancelTurn,
    StartTurn,
    TurnCompleted,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.driver import Driver
from tests.actors.agents.scripts import LOOK, USED, failed, use

pytestmark = pytest.mark.quick

INTERRUPTED = TurnInterrupted(turn=1, usage=USED)


@pytest.fixture
def driver() -> Driver:
    return Driver()


def kinds(effects: tuple[Effect, ...]) -> list[type[Effect]]:
    return [type(each) for each in effects]


# Stopping.


def test_a_cancel_while_the_model_speaks_keeps_what_it_had_said(driver: Driver) -> None:
    driver.tell(StartTurn(turn=1, text="do it"))

    assert driver.tell(CancelTurn(turn=1)) == (CancelModelRequest(),)
    driver.tell(ModelFailed(request=1, reason="cancelled", detail="", partial="I wi"))
    assert driver.reports[-1] == TurnInterrupted(turn=1, partial="I wi")


def test_calls_of_a_reply_that_came_after_the_cancel_never_begin(driver: Driver) -> None:
    driver.tell(StartTurn(turn=1, text="do it"))
    driver.tell(CancelTurn(turn=1))
    driver.replied(use("c1"), use("c2"))

    assert driver.results == [("c1", "cancelled", NEVER_RAN), ("c2", "cancelled", NEVER_RAN)]
    assert driver.reports[-1] == INTERRUPTED


def test_two_calls_with_one_id_do_not_turn_a_cancel_into_a_failure(driver: Driver) -> None:
    driver.tell(StartTurn(turn=1, text="do it"))
    driver.tell(CancelTurn(turn=1))
    driver.replied(use("c1"), use("c1"))

    assert driver.reports[-1] == INTERRUPTED


def test_a_cancel_waits_for_what_runs(driver: Driver) -> None:
    driver.prompted(use("c1"))
    driver.allowed("c1")

    assert driver.tell(CancelTurn(turn=1)) == (StopCall("c1"),)
    assert driver.tell(CancelTurn(turn=1)) == ()
    driver.tell(failed("c1", "cancelled"))
    assert driver.results == [("c1", "cancelled", CUT_SHORT)]
    assert driver.reports[-1] == INTERRUPTED


def test_a_call_that_ended_before_its_stop_keeps_its_result(driver: Driver) -> None:
    driver.prompted(use("c1"))
    driver.allowed("c1")
    driver.tell(CancelTurn(turn=1))
    driver.done("c1")

    assert driver.results == [("c1", "ok", "fine")]
    assert driver.reports[-1] == INTERRUPTED


def test_a_cancel_waits_for_plans_too(driver: Driver) -> None:
    driver.prompted(use("c1"))

    assert driver.tell(CancelTurn(turn=1)) == (StopCall("c1"),)
    driver.planned("c1")
    assert driver.results == [("c1", "cancelled", NEVER_RAN)]
    assert driver.reports[-1] == INTERRUPTED


def test_a_cancel_withdraws_before_it_stops(driver: Driver) -> None:
    driver.prompted(use("a", LOOK), use("b", LOOK), use("c", LOOK), use("d"))
    driver.asked("a")
    driver.allowed("b")

    assert kinds(driver.tell(CancelTurn(turn=1)))[:3] == [
        WithdrawSubtree,
        WriteRecord,
        PublishEvent,
    ]
    stops = [each.call_id for each in driver.of(StopCall)]
    assert stops == ["b", "c"]
    assert [call_id for call_id, _, _ in driver.results] == ["a", "d"]


def test_a_call_whose_start_was_being_written_does_not_run(driver: Driver) -> None:
    driver.prompted(use("c1"))
    driver.planned("c1")
    driver.hold = True
    driver.judged("c1", "allow")
    driver.tell(CancelTurn(turn=1))
    driver.hold = False
    driver.sync()

    assert driver.ran == []
    assert driver.results == [("c1", "cancelled", NEVER_RAN)]


def test_a_drift_during_a_cancel_is_a_cancelled_call(driver: Driver) -> None:
    driver.prompted(use("c1"))
    driver.allowed("c1")
    driver.tell(CancelTurn(turn=1))
    driver.tell(failed("c1", "target_changed"))

    assert driver.results == [("c1", "cancelled", NEVER_RAN)]


def test_a_cancel_that_comes_while_the_disk_is_waited_for_ends_the_turn(driver: Driver) -> None:
    driver.hold = True
    driver.tell(StartTurn(turn=1, text="do it"))
    driver.tell(CancelTurn(turn=1))

    assert driver.sync() == (PublishEvent(TurnInterrupted(turn=1)),)
    assert driver.of(SendModelRequest) == []


def test_a_cancel_after_the_end_was_decided_changes_nothing(driver: Driver) -> None:
    driver.tell(StartTurn(turn=1, text="do it"))
    driver.hold = True
    driver.replied(TextBlock(text="done"))

    assert driver.tell(CancelTurn(turn=1)) == ()
    assert isinstance(driver.records[-1], TurnCompleted)


# Who waits.


def test_prompts_wait_in_line_and_begin_by_themselves(driver: Driver) -> None:
    driver.tell(StartTurn(turn=1, text="one"))
    assert driver.tell(StartTurn(turn=2, text="two")) == ()
    driver.replied(TextBlock(text="done"))

    started = [each.prompt for each in driver.reports if isinstance(each, TurnStarted)]
    assert started == ["one", "two"]
    assert driver.turn.number == 2


def test_a_cancel_that_overtakes_its_prompt_refuses_it(driver: Driver) -> None:
    driver.tell(CancelTurn(turn=1))

    assert driver.tell(StartTurn(turn=1, text="one")) == (PublishEvent(TurnInterrupted(turn=1)),)
    assert driver.records == []
    driver.tell(StartTurn(turn=2, text="two"))
    assert driver.turn.stage is TurnStage.THINKING


def test_a_cancel_of_a_later_turn_touches_neither_the_running_nor_the_one_between(
    driver: Driver,
) -> None:
    for turn in (1, 2, 3):
        driver.tell(StartTurn(turn=turn, text="go"))

    assert driver.tell(CancelTurn(turn=3)) == ()
    driver.replied(TextBlock(text="done"))
    driver.replied(TextBlock(text="done"))
    ends = [each for each in driver.reports if isinstance(each, TurnCompleted | TurnInterrupted)]
    assert [type(each) for each in ends] == [TurnCompleted, TurnCompleted, TurnInterrupted]


def test_a_cancel_of_an_ended_turn_does_not_stop_the_next(driver: Driver) -> None:
    driver.prompted(TextBlock(text="done"))
    driver.tell(StartTurn(turn=2, text="two"))

    assert driver.tell(CancelTurn(turn=1)) == ()
    assert driver.turn.stage is TurnStage.THINKING


def test_a_prompt_that_comes_twice_is_taken_up_once(driver: Driver) -> None:
    driver.tell(StartTurn(turn=1, text="one"))
    driver.tell(StartTurn(turn=2, text="two"))
    driver.tell(StartTurn(turn=2, text="two"))
    driver.tell(StartTurn(turn=1, text="one"))
    driver.replied(TextBlock(text="done"))
    driver.replied(TextBlock(text="done"))

    assert driver.turn.stage is TurnStage.IDLE
    assert driver.tell(StartTurn(turn=2, text="two")) == ()


def test_a_long_line_of_cancelled_prompts_is_refused_one_by_one(driver: Driver) -> None:
    driver.tell(StartTurn(turn=1, text="go"))
    for turn in range(2, 2_000):
        driver.tell(CancelTurn(turn=turn))
        driver.tell(StartTurn(turn=turn, text="go"))
    driver.replied(TextBlock(text="done"))

    assert len([each for each in driver.reports if isinstance(each, TurnInterrupted)]) == 1_998
