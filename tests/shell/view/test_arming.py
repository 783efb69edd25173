"""The arming rules depend on time and order, so many combinations are tried."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shell.view import arming
from shell.view.arming import MIN_KEY_GAP_S, QUIET_PERIOD_S, Arming, DrawnRequest

pytestmark = pytest.mark.quick

COMPLETE = DrawnRequest("r1", is_complete=True, shows_end=True)
TOP = DrawnRequest("r1", is_complete=True, shows_end=False)
TOO_SMALL = DrawnRequest("r1", is_complete=False, shows_end=False)
NEW = Arming(prompt_id="r1", last_key_s=0.0)


def show_and_acknowledge(drawn: DrawnRequest, now_s: float, state: Arming = NEW) -> Arming:
    state, needs_acknowledgment = arming.record_frame(state, drawn)
    assert needs_acknowledgment
    return arming.record_acknowledgment(state, now_s)


def test_prompt_arms_after_acknowledgment_and_quiet_without_draft() -> None:
    state = show_and_acknowledge(COMPLETE, 1.0)
    assert arming.get_ready_time_s(state) == 1.0 + QUIET_PERIOD_S
    assert not arming.arm_if_ready(state, 1.0 + QUIET_PERIOD_S - 0.01, has_draft=False).is_armed
    assert not arming.arm_if_ready(state, 1.0 + QUIET_PERIOD_S, has_draft=True).is_armed
    assert arming.can_allow(arming.arm_if_ready(state, 1.0 + QUIET_PERIOD_S, has_draft=False))


def test_an_unacknowledged_frame_does_not_arm_the_prompt() -> None:
    state, _ = arming.record_frame(NEW, COMPLETE)
    assert arming.get_ready_time_s(state) is None
    assert not arming.arm_if_ready(state, 100.0, has_draft=False).is_armed
    assert not arming.focus(state).is_armed


def test_an_unchanged_frame_needs_no_second_acknowledgment() -> None:
    state, _ = arming.record_frame(NEW, COMPLETE)
    assert arming.record_frame(state, COMPLETE) == (state, False)


def test_a_key_press_restarts_the_quiet_period() -> None:
    state = arming.record_key(show_and_acknowledge(COMPLETE, 1.0), 1.3)
    assert arming.get_ready_time_s(state) == 1.3 + QUIET_PERIOD_S


def test_typing_into_the_draft_disarms_the_prompt() -> None:
    state = arming.arm_if_ready(show_and_acknowledge(COMPLETE, 1.0), 2.0, has_draft=False)
    assert not arming.disarm(state).is_armed


def test_allowing_requires_the_end_and_answers_in_one_frame() -> None:
    state = arming.arm_if_ready(show_and_acknowledge(TOP, 1.0), 2.0, has_draft=False)
    assert arming.can_reject(state)
    assert not arming.can_allow(state)
    state, _ = arming.record_frame(state, COMPLETE)
    assert not arming.can_allow(state)
    assert arming.can_allow(arming.record_acknowledgment(state, 3.0))


def test_a_prompt_hidden_by_resizing_cannot_be_allowed() -> None:
    state = arming.arm_if_ready(show_and_acknowledge(COMPLETE, 1.0), 2.0, has_draft=False)
    state, _ = arming.record_frame(state, TOO_SMALL)
    assert arming.can_reject(state)
    assert not arming.can_allow(state)


def test_acknowledging_the_previous_request_does_not_arm_the_next() -> None:
    previous, _ = arming.record_frame(
        replace(NEW, prompt_id="r0"), replace(COMPLETE, prompt_id="r0")
    )
    state = arming.start_next_arming(previous, "r1", 5.0)
    state, _ = arming.record_frame(state, COMPLETE)
    state = arming.record_acknowledgment(state, 5.1)
    assert arming.get_ready_time_s(state) is None
    assert arming.get_ready_time_s(arming.record_acknowledgment(state, 5.2)) == 5.2 + QUIET_PERIOD_S


def test_an_unrequested_acknowledgment_of_the_terminal_is_ignored() -> None:
    assert arming.record_acknowledgment(NEW, 1.0) == NEW


def test_a_key_right_after_another_is_not_isolated() -> None:
    armed = arming.arm_if_ready(show_and_acknowledge(COMPLETE, 1.0), 2.0, has_draft=False)
    isolated = arming.record_key(armed, 3.0)
    assert arming.is_isolated_key(isolated)
    assert not arming.is_isolated_key(arming.record_key(isolated, 3.0 + MIN_KEY_GAP_S / 2))
    assert arming.is_isolated_key(arming.record_key(isolated, 3.0 + 2 * MIN_KEY_GAP_S))


def test_an_acknowledgment_does_not_count_as_a_key_press() -> None:
    typed = arming.record_key(show_and_acknowledge(COMPLETE, 1.0), 2.0)
    acknowledged = arming.undo_key(arming.record_key(typed, 2.3))
    assert arming.get_ready_time_s(acknowledged) == 2.0 + QUIET_PERIOD_S
    assert arming.is_isolated_key(arming.record_key(acknowledged, 2.31))


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["draw", "draw top", "draw low", "acknowledge", "key", "draft", "tick"]),
        st.floats(min_value=0.0, max_value=0.5),
    ),
    max_size=40,
)


@given(EVENTS)
def test_any_event_order_arms_only_after_quiet_and_acknowledgment(
    events: list[tuple[str, float]],
) -> None:
    state, now_s, quiet_since_s, acknowledged_count = NEW, 0.0, 0.0, 0
    frames = {"draw": COMPLETE, "draw top": TOP, "draw low": TOO_SMALL}
    for event, delay_s in events:
        now_s += delay_s
        was_armed = state.is_armed
        if drawn := frames.get(event):
            state, _ = arming.record_frame(state, drawn)
        elif event == "acknowledge":
            acknowledged_count += bool(state.unacknowledged)
            state = arming.record_acknowledgment(state, now_s)
        elif event == "tick":
            state = arming.arm_if_ready(state, now_s, has_draft=False)
        else:
            quiet_since_s = now_s
            state = arming.record_key(state, now_s)
            state = arming.disarm(state) if event == "draft" else state
        if state.is_armed and not was_armed:
            assert event == "tick"
            assert acknowledged_count
            assert now_s >= quiet_since_s + QUIET_PERIOD_S
