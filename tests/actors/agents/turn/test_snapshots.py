"""When a turn takes snapshots of the workspace."""

from dataclasses import replace

import pytest

from actors.agents.turn.agent_state import AgentState, SnapshotState
from actors.agents.turn.effects import TakeSnapshot
from actors.agents.turn.self_messages import SnapshotAttempted
from messages.snapshots import ChangesUndone, RecordUndo, SnapshotFailed, SnapshotTaken
from messages.turns import CancelTurn, StartTurn, ToolStarted, TurnCompleted, TurnInterrupted
from tests.actors.agents.turn.message_builders import (
    COMMAND_TOOL,
    READ_TOOL,
    make_state,
    make_tool_use,
)
from tests.actors.agents.turn.turn_driver import TurnDriver

pytestmark = pytest.mark.quick


def make_snapshot_state() -> AgentState:
    state = make_state()
    return replace(state, identity=replace(state.identity, takes_snapshots=True))


@pytest.fixture
def driver() -> TurnDriver:
    return TurnDriver(make_snapshot_state())


def start_change(driver: TurnDriver, call_id: str = "c1") -> None:
    driver.plan(call_id, patched=True)
    driver.decide(call_id, "allow")


def answer(driver: TurnDriver, commit: str = "abc", problem: str = "") -> None:
    effect = driver.get_effects(TakeSnapshot)[-1]
    driver.send(
        SnapshotAttempted(turn=effect.turn, moment=effect.moment, commit=commit, problem=problem)
    )


def test_the_first_change_waits_for_the_snapshot(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"), make_tool_use("c2"))
    start_change(driver)
    assert driver.run_calls == []
    answer(driver)
    assert driver.run_calls == ["c1"]
    kinds = [type(record) for record in driver.records[-2:]]
    assert kinds == [SnapshotTaken, ToolStarted]
    driver.succeed("c1")
    start_change(driver, "c2")
    assert driver.run_calls == ["c1", "c2"]
    assert len(driver.get_effects(TakeSnapshot)) == 1


def test_the_end_of_a_changing_turn_waits_for_a_snapshot(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    start_change(driver)
    answer(driver)
    driver.succeed("c1")
    driver.send(StartTurn(turn=2, text="next", starts_turn=True))
    driver.reply()
    assert not isinstance(driver.records[-1], TurnCompleted)
    assert driver.get_effects(TakeSnapshot)[-1] == TakeSnapshot(1, "after")
    answer(driver, "def")
    kinds = [type(record) for record in driver.records if not isinstance(record, ToolStarted)]
    assert kinds[-3:-1] == [SnapshotTaken, TurnCompleted]
    assert driver.state.turn.number == 2
    assert driver.state.snapshot is SnapshotState.NONE


def test_a_turn_that_changes_nothing_has_no_snapshot(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL), make_tool_use("c2", COMMAND_TOOL))
    driver.allow("c1")
    driver.succeed("c1")
    driver.plan("c2")
    driver.decide("c2", "allow", changes_nothing=True)
    assert driver.run_calls == ["c1", "c2"]
    driver.succeed("c2")
    driver.reply()
    assert driver.get_effects(TakeSnapshot) == []


def test_a_command_that_may_change_files_needs_a_snapshot(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", COMMAND_TOOL))
    driver.allow("c1")
    assert driver.get_effects(TakeSnapshot) == [TakeSnapshot(1, "before")]


def test_a_failed_snapshot_does_not_stop_the_work(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    start_change(driver)
    answer(driver, commit="", problem="no space")
    assert SnapshotFailed(detail="no space") in driver.events
    assert driver.run_calls == ["c1"]
    driver.succeed("c1")
    driver.reply()
    assert isinstance(driver.events[-1], TurnCompleted)


def test_an_interrupted_turn_ends_without_its_first_snapshot(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    start_change(driver)
    driver.send(CancelTurn(turn=1))
    assert isinstance(driver.events[-1], TurnInterrupted)
    records = list(driver.records)
    answer(driver)
    assert driver.records == records
    assert driver.run_calls == []


def test_a_resumed_turn_keeps_its_first_snapshot(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    start_change(driver)
    answer(driver)
    driver.succeed("c1")
    resumed = TurnDriver.resume(tuple(driver.records), make_snapshot_state())
    resumed.reply()
    assert resumed.get_effects(TakeSnapshot) == [TakeSnapshot(1, "after")]


def test_an_undo_is_recorded_and_reported(driver: TurnDriver) -> None:
    undone = ChangesUndone(turn=1, before="a", after="b", files=("x",))
    driver.send(RecordUndo(undone=undone))
    assert driver.records == [undone]
    assert driver.events == [undone]
