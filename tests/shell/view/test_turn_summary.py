import pytest

from messages.content import Usage
from messages.turns import ReplyActivity, TextDelta, ThinkingDelta, TurnStarted
from shell.console.screen_event_queue import ScreenEvent
from shell.view.event_reducer import apply_event
from shell.view.screen_state import PrintMarkdown, PrintNotice, ScreenEffect, ScreenState
from tests.shell import sample_events

pytestmark = pytest.mark.quick
STARTED = TurnStarted(turn=1, prompt="go")
THINKING = ThinkingDelta(text="hm")


def collect_effects(*events: tuple[float, ScreenEvent]) -> list[ScreenEffect]:
    state, effects = apply_event(ScreenState(), STARTED, 0.0)[0], list[ScreenEffect]()
    for now_s, event in events:
        state, more = apply_event(state, event, now_s)
        effects += more
    return effects


def test_a_completed_turn_ends_with_its_time_and_tokens() -> None:
    usage = Usage(
        input_tokens=2_000,
        cache_creation_input_tokens=1_000,
        cache_read_input_tokens=18_000,
        output_tokens=1_234,
        requests=3,
    )
    completed = sample_events.turn_completed().model_copy(update={"usage": usage})
    assert collect_effects((48.0, completed)) == [
        PrintNotice("Done in 48s · 3 requests · 21k in (18k cached), 1.2k out")
    ]


def test_a_turn_that_took_no_time_gets_no_row() -> None:
    assert collect_effects((0.5, sample_events.turn_completed())) == []


def test_the_time_of_thinking_is_shown_before_the_text() -> None:
    effects = collect_effects(
        (2.0, ReplyActivity()),
        (5.0, THINKING),
        (10.0, THINKING),
        (11.0, TextDelta(text="Now.\n\nThen")),
        (12.0, TextDelta(text=" more.")),
    )
    assert effects == [PrintNotice("Thought for 8s"), PrintMarkdown("Now.")]


def test_thinking_before_calls_is_added_to_the_next() -> None:
    effects = collect_effects(
        (1.0, THINKING),
        (3.0, THINKING),
        (3.0, sample_events.reply_completed("")),
        (9.0, THINKING),
        (11.0, THINKING),
        (11.0, TextDelta(text="x")),
    )
    assert effects == [PrintNotice("Thought for 4s")], "waiting for the model is not thinking"
