"""Messages that the user sends during a turn, without a screen."""

import pytest

from messages.steering import PromptDelivered, PromptsReturned, ReturnedPrompt, WithdrawPrompts
from messages.turns import StartTurn, TurnNumberTaken, TurnStarted
from shell.console.screen_event_queue import SubagentEvent
from shell.console.ui_commands import InterruptTurn, SendPrompt
from shell.view import queued_messages, screen_state
from shell.view.event_reducer import apply_event
from shell.view.screen_state import (
    PrintNotice,
    PrintPrompt,
    QueuedMessage,
    RestoreDraft,
    ScreenState,
    SendCommand,
)
from tests.shell import sample_events

pytestmark = pytest.mark.quick

TWO, THREE = QueuedMessage("two", 2), QueuedMessage("three", 3)
RETURNED = PromptsReturned(
    prompts=(ReturnedPrompt(number=2, text="two"), ReturnedPrompt(number=3, text="three"))
)


@pytest.fixture
def waiting() -> ScreenState:
    """A turn runs, and two messages wait."""
    state, _ = apply_event(ScreenState(), sample_events.session_configured(), 0.0)
    for text in ("one", "two", "three"):
        state, _ = screen_state.submit_prompt(state, text, 1.0)
    assert state.queued == (TWO, THREE)
    return state


def test_a_delivered_message_is_printed_as_delivered_during_the_turn(waiting: ScreenState) -> None:
    delivered = PromptDelivered(turn=1, number=2, prompt="`ls` printed:\n\ntwo")
    state, effects = apply_event(waiting, delivered, 2.0)
    assert state.queued == (THREE,)
    assert effects == (PrintPrompt("two", is_steering=True),)


def test_a_replayed_delivery_is_printed_from_its_record() -> None:
    delivered = PromptDelivered(turn=1, number=2, prompt="two")
    assert apply_event(ScreenState(), delivered, 0.0)[1] == (PrintPrompt("two", is_steering=True),)


def test_messages_left_at_the_end_start_the_next_turn(waiting: ScreenState) -> None:
    state, _ = apply_event(waiting, sample_events.turn_completed(), 2.0)
    state, effects = apply_event(state, TurnStarted(turn=2, prompt="two"), 2.0)
    assert (state.queued, effects) == ((THREE,), (PrintPrompt("two"),))
    assert state.turn


def test_a_turn_cancelled_before_its_start_returns_its_message(waiting: ScreenState) -> None:
    state, _ = apply_event(waiting, sample_events.turn_completed(), 2.0)
    state, effects = apply_event(state, sample_events.turn_interrupted(2), 2.0)
    assert state.queued == (THREE,)
    assert effects == (PrintNotice("Interrupted.", "warn"), RestoreDraft("two"))


def test_a_message_behind_queued_ones_waits_although_no_turn_runs(waiting: ScreenState) -> None:
    state, _ = apply_event(waiting, sample_events.turn_completed(), 2.0)
    state, effects = screen_state.submit_prompt(state, "four", 2.0)
    assert state.queued == (TWO, THREE, QueuedMessage("four", 4))
    assert effects == (SendCommand(SendPrompt(turn=4, text="four")),)


def test_up_takes_back_one_message_after_the_other(waiting: ScreenState) -> None:
    state, first = queued_messages.withdraw_last_queued(waiting)
    state, second = queued_messages.withdraw_last_queued(state)
    assert first == (SendCommand(WithdrawPrompts(numbers=(3,))),)
    assert second == (SendCommand(WithdrawPrompts(numbers=(2,))),)
    assert queued_messages.withdraw_last_queued(state) == (state, ())


def test_esc_takes_all_messages_back_before_it_interrupts(waiting: ScreenState) -> None:
    state, effects = screen_state.interrupt(waiting)
    assert effects == (
        SendCommand(WithdrawPrompts(numbers=(2, 3))),
        SendCommand(InterruptTurn()),
    )
    assert screen_state.interrupt(state)[1] == ()
    assert apply_event(state, RETURNED, 2.0)[1] == (RestoreDraft("two\nthree"),)


def test_messages_before_the_session_are_sent_in_order() -> None:
    state, _ = screen_state.submit_prompt(ScreenState(), "one", 0.0)
    state, _ = screen_state.submit_prompt(state, "two", 0.0)
    assert queued_messages.withdraw_last_queued(state)[1] == (RestoreDraft("two"),)
    assert screen_state.interrupt(state) == (state, ())
    state, effects = apply_event(state, sample_events.session_configured(next_turn=5), 1.0)
    assert effects[1:] == (
        PrintPrompt("one"),
        SendCommand(SendPrompt(turn=5, text="one")),
        SendCommand(SendPrompt(turn=6, text="two")),
    )
    assert state.queued == (QueuedMessage("two", 6),)


def test_after_a_restart_unknown_messages_are_sent_again(waiting: ScreenState) -> None:
    waiting, _ = queued_messages.withdraw_last_queued(waiting)
    restarted = sample_events.session_configured(next_turn=2, running_turn=1)
    state, effects = apply_event(waiting, restarted, 2.0)
    assert state.queued == (TWO, QueuedMessage("three", 3, is_withdrawn=True))
    assert effects == (
        SendCommand(SendPrompt(turn=2, text="two")),
        SendCommand(SendPrompt(turn=3, text="three")),
        SendCommand(WithdrawPrompts(numbers=(3,))),
    )


def test_a_message_whose_outcome_was_lost_goes_back_to_the_input(waiting: ScreenState) -> None:
    restarted = sample_events.session_configured(next_turn=4, queued_prompts=(3,), running_turn=1)
    state, effects = apply_event(waiting, restarted, 2.0)
    assert state.queued == (THREE,)
    assert effects == (SendCommand(SendPrompt(turn=3, text="three")), RestoreDraft("two"))


def test_a_message_whose_number_is_taken_is_sent_under_the_next(waiting: ScreenState) -> None:
    taken = TurnNumberTaken(prompt=StartTurn(turn=2, text="`ls` printed:\n\ntwo"), next_turn=3)
    state, _ = apply_event(waiting, sample_events.turn_completed(), 2.0)
    state, effects = apply_event(state, TurnStarted(turn=2, prompt="", has_prompt=False), 2.0)
    assert (state.queued, effects) == ((TWO, THREE), ())
    state, effects = apply_event(state, taken, 2.0)
    assert state.queued == (THREE, QueuedMessage("two", 4))
    assert effects == (SendCommand(SendPrompt(turn=4, text="two")),)


def test_a_turn_without_prompt_ends_without_returning_messages(waiting: ScreenState) -> None:
    state, _ = apply_event(waiting, sample_events.turn_completed(), 2.0)
    state, _ = apply_event(state, TurnStarted(turn=2, prompt="", has_prompt=False), 2.0)
    state, effects = apply_event(state, sample_events.turn_interrupted(2), 3.0)
    assert state.queued == (TWO, THREE)
    assert not any(isinstance(effect, RestoreDraft) for effect in effects)


def test_a_withdrawn_message_whose_number_is_taken_is_returned(waiting: ScreenState) -> None:
    taken = TurnNumberTaken(prompt=StartTurn(turn=3, text="three"), next_turn=4)
    state, _ = queued_messages.withdraw_last_queued(waiting)
    state, effects = apply_event(state, taken, 2.0)
    assert (state.queued, effects) == ((TWO,), (RestoreDraft("three"),))


def test_a_message_sent_while_a_background_turn_starts_joins_it() -> None:
    state, _ = apply_event(ScreenState(), sample_events.session_configured(), 0.0)
    state, effects = screen_state.submit_prompt(state, "one", 1.0)
    assert effects[0] == PrintPrompt("one")
    taken = TurnNumberTaken(prompt=StartTurn(turn=1, text="one"), next_turn=2)
    state, _ = apply_event(state, TurnStarted(turn=1, prompt="", has_prompt=False), 2.0)
    state, effects = apply_event(state, taken, 2.0)
    assert effects == (SendCommand(SendPrompt(turn=2, text="one")),)
    delivered = PromptDelivered(turn=1, number=2, prompt="one")
    state, effects = apply_event(state, delivered, 3.0)
    assert (state.queued, effects) == ((), (PrintPrompt("one", is_steering=True),))


def test_a_message_that_a_subagent_never_received_is_named() -> None:
    event = SubagentEvent(sample_events.EXPLORER, RETURNED)
    assert apply_event(ScreenState(), event, 0.0)[1] == (
        PrintNotice("Not sent to explore-2: two", "warn"),
        PrintNotice("Not sent to explore-2: three", "warn"),
    )
