"""Prompts that arrive while a turn runs."""

import pytest

from actors.agents.turn.conversation_history import DELIVERED_PROMPT, ConversationHistory
from actors.agents.turn.effects import SendModelRequest
from actors.agents.turn.limits import Limits
from actors.agents.turn.self_messages import ModelFailed, RetryDelayElapsed
from actors.agents.turn.turn_state import TurnStage
from messages.content import TextBlock
from messages.steering import PromptDelivered, PromptsReturned, ReturnedPrompt, WithdrawPrompts
from messages.subagents import AssignTask, CancelTask
from messages.turns import (
    CancelTurn,
    RequestInfo,
    StartTurn,
    ToolEnded,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.turn.message_builders import (
    READ_TOOL,
    approve,
    make_state,
    make_tool_failed,
    make_tool_use,
)
from tests.actors.agents.turn.turn_driver import TurnDriver

pytestmark = pytest.mark.quick

DELIVERED = PromptDelivered(turn=1, number=2, prompt="use tabs")


def build_history(driver: TurnDriver) -> ConversationHistory:
    history = ConversationHistory()
    for record in driver.records:
        history.add(record)
    return history


def test_a_prompt_follows_the_results_in_one_user_message(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL), make_tool_use("c2", READ_TOOL))
    driver.send(StartTurn(turn=2, text="use tabs"))
    driver.allow("c1")
    driver.allow("c2")
    driver.succeed("c1")
    assert DELIVERED not in driver.records
    driver.succeed("c2")

    assert driver.records[-1] == DELIVERED
    assert driver.events[-1] == DELIVERED
    assert driver.get_effects(SendModelRequest)[-1] == SendModelRequest(2)
    last = build_history(driver).messages[-1]["content"]
    assert isinstance(last, list)
    assert [block["type"] for block in last if isinstance(block, dict)] == [
        "tool_result",
        "tool_result",
        "text",
    ]
    assert last[-1] == {"type": "text", "text": DELIVERED_PROMPT.format(prompt="use tabs")}


def test_results_and_prompt_are_on_disk_before_the_request(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    driver.send(StartTurn(turn=2, text="use tabs"))
    driver.allow("c1")
    driver.hold_disk = True
    driver.succeed("c1")

    assert [type(record) for record in driver.records[-2:]] == [ToolEnded, PromptDelivered]
    assert len(driver.get_effects(SendModelRequest)) == 1
    driver.sync()
    assert len(driver.get_effects(SendModelRequest)) == 2


def test_a_prompt_during_the_last_append_joins_the_request(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    driver.allow("c1")
    driver.hold_disk = True
    driver.succeed("c1")
    driver.send(StartTurn(turn=2, text="use tabs"))

    assert driver.records[-1] == DELIVERED
    driver.sync()
    assert len(driver.get_effects(SendModelRequest)) == 2


def test_a_retried_request_includes_the_prompts_since_then(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="do it"))
    driver.send(
        ModelFailed(request=RequestInfo(number=1), reason="overloaded", detail="", retry=True)
    )
    driver.send(StartTurn(turn=2, text="use tabs"))
    driver.send(RetryDelayElapsed(request_number=1))

    assert driver.records[-1] == DELIVERED
    assert driver.get_effects(SendModelRequest)[-1] == SendModelRequest(2)


def test_a_prompt_waits_while_a_call_needs_approval(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    approval_id = driver.request_approval("c1")
    driver.send(StartTurn(turn=2, text="use tabs"))
    driver.send(approve(approval_id))
    driver.decide("c1", "ask")
    assert DELIVERED not in driver.records
    driver.succeed("c1")

    assert driver.records[-1] == DELIVERED


def test_a_turn_without_another_request_leaves_prompts_for_the_next(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="do it"))
    driver.send(StartTurn(turn=2, text="two"))
    driver.send(StartTurn(turn=3, text="three"))
    driver.reply(TextBlock(text="done"))
    driver.reply(make_tool_use("c1", READ_TOOL))
    driver.allow("c1")
    driver.succeed("c1")

    started = [record.prompt for record in driver.records if isinstance(record, TurnStarted)]
    assert started == ["do it", "two"]
    assert driver.records[-1] == PromptDelivered(turn=2, number=3, prompt="three")


def test_a_withdrawn_prompt_is_returned_and_never_delivered(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    driver.send(StartTurn(turn=2, text="use tabs"))
    driver.send(StartTurn(turn=3, text="and a test"))
    driver.send(WithdrawPrompts(numbers=(3,)))
    assert driver.events[-1] == PromptsReturned(
        prompts=(ReturnedPrompt(number=3, text="and a test"),)
    )
    driver.allow("c1")
    driver.succeed("c1")

    assert driver.records[-1] == DELIVERED
    assert driver.send(WithdrawPrompts(numbers=(2,))) == ()


def test_a_prompt_lost_in_a_crash_is_returned_and_not_taken_later(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    driver.send(WithdrawPrompts(numbers=(2,)))
    assert driver.events[-1] == PromptsReturned(prompts=(ReturnedPrompt(number=2),))

    assert driver.send(StartTurn(turn=2, text="use tabs")) == ()
    assert driver.state.prompts.queued == ()
    driver.send(StartTurn(turn=3, text="use spaces"))
    assert driver.state.prompts.list_user_turns() == (3,)


def test_a_cancel_with_its_withdrawal_starts_no_other_turn(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.allow("c1")
    driver.send(StartTurn(turn=2, text="use tabs"))
    driver.send(WithdrawPrompts(numbers=(2,)))
    driver.send(CancelTurn(turn=1))
    driver.send(StartTurn(turn=3, text="typed after Esc"))
    driver.send(make_tool_failed("c1", "cancelled"))

    assert any(isinstance(event, TurnInterrupted) for event in driver.events)
    started = [record.prompt for record in driver.records if isinstance(record, TurnStarted)]
    assert started == ["do it", "typed after Esc"]
    assert not any(isinstance(record, PromptDelivered) for record in driver.records)


def test_a_failed_turn_returns_all_prompts_in_order(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="do it"))
    driver.send(StartTurn(turn=2, text="two"))
    driver.send(StartTurn(turn=3, text="three"))
    driver.send(ModelFailed(request=RequestInfo(number=1), reason="unauthorized", detail="no"))

    assert isinstance(driver.events[-2], TurnFailed)
    assert driver.events[-1] == PromptsReturned(
        prompts=(ReturnedPrompt(number=2, text="two"), ReturnedPrompt(number=3, text="three"))
    )
    assert driver.state.turn.stage is TurnStage.IDLE


def test_a_prompt_waits_while_a_limit_is_reached() -> None:
    driver = TurnDriver(make_state(limits=Limits(turns=1)))
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    driver.send(StartTurn(turn=2, text="use tabs"))
    driver.allow("c1")
    driver.succeed("c1")

    assert DELIVERED not in driver.records
    assert driver.state.prompts.list_user_turns() == (2,)


def test_a_resumed_turn_includes_the_delivered_prompt_once(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    driver.send(StartTurn(turn=2, text="use tabs"))
    driver.allow("c1")
    driver.succeed("c1")
    records = tuple(driver.records)
    assert records[-1] == DELIVERED

    resumed = TurnDriver.resume(records, make_state(2))
    resumed.send(StartTurn(turn=2, text="use tabs"))
    assert resumed.state.prompts.queued == ()
    assert len(resumed.get_effects(SendModelRequest)) == 1
    assert resumed.state.prompts.next_number == 3

    before = TurnDriver.resume(records[:-1], make_state(2))
    before.send(StartTurn(turn=2, text="use tabs"))
    assert before.state.prompts.list_user_turns() == (2,)


def test_a_prompt_that_mentions_files_waits_for_its_own_turn(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    driver.send(StartTurn(turn=2, text="use tabs"))
    driver.send(StartTurn(turn=3, text="like @a.py", mentions=("a.py",)))
    driver.send(StartTurn(turn=4, text="and a test"))
    driver.allow("c1")
    driver.succeed("c1")

    assert driver.records[-1] == DELIVERED
    assert driver.state.prompts.list_user_turns() == (3, 4)


def test_the_prompt_of_a_headless_run_starts_its_own_turn(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    driver.send(StartTurn(turn=2, text="And then?", starts_turn=True))
    driver.allow("c1")
    driver.succeed("c1")
    request = RequestInfo(number=2)
    driver.send(ModelFailed(request=request, reason="unauthorized", detail="no"))

    assert not any(isinstance(event, PromptDelivered | PromptsReturned) for event in driver.events)
    assert driver.state.turn.number == 2


def test_the_user_steers_the_task_of_a_subagent(driver: TurnDriver) -> None:
    driver.send(AssignTask(task_number=1, prompt="find it"))
    driver.reply(make_tool_use("c1", READ_TOOL))
    driver.send(AssignTask(prompt="use tabs"))
    driver.send(AssignTask(task_number=2, prompt="another task"))
    driver.allow("c1")
    driver.succeed("c1")

    assert driver.records[-1] == DELIVERED
    driver.reply(TextBlock(text="done"))
    assert driver.state.turn.task_number == 2


def test_stopping_a_subagent_returns_the_prompts_it_never_received(driver: TurnDriver) -> None:
    driver.send(AssignTask(task_number=1, prompt="find it"))
    driver.send(AssignTask(prompt="use tabs"))
    driver.send(CancelTask())

    assert driver.events[-1] == PromptsReturned(
        prompts=(ReturnedPrompt(number=2, text="use tabs"),)
    )
