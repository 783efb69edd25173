"""Time and order decide; every combination is cheap to try here."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shell.view import arming
from shell.view.arming import MIN_KEY_GAP_S, QUIET_PERIOD_S, Arming, DrawnRequest

pytestmark = pytest.mark.quick

WHOLE = DrawnRequest("r1", is_complete=True, shows_end=True)
TOP = DrawnRequest("r1", is_complete=True, shows_end=False)
LOW = DrawnRequest("r1", is_complete=False, shows_end=False)
NEW = Arming(prompt_id="r1", last_key_s=0.0)


def show_and_acknowledge(shown: DrawnRequest, now_s: float, state: Arming = NEW) -> Arming:
    state, ask = arming.record_frame(state, shown)
    assert ask
    return arming.record_acknowledgment(state, now_s)


def test_it_arms_when_acknowledged_quiet_and_without_a_draft() -> None:
    state = show_and_acknowledge(WHOLE, 1.0)
    assert arming.get_ready_time_s(state) == 1.0 + QUIET_PERIOD_S
    assert not arming.arm_if_ready(state, 1.0 + QUIET_PERIOD_S - 0.01, has_draft=False).is_armed
    assert not arming.arm_if_ready(state, 1.0 + QUIET_PERIOD_S, has_draft=True).is_armed
    assert arming.can_allow(arming.arm_if_ready(state, 1.0 + QUIET_PERIOD_S, has_draft=False))


def test_a_frame_that_is_only_drawn_arms_nothing() -> None:
    state, _ = arming.record_frame(NEW, WHOLE)
    assert arming.get_ready_time_s(state) is None
    assert not arming.arm_if_ready(state, 100.0, has_draft=False).is_armed
    assert not arming.focus(state).is_armed


def test_the_same_frame_is_acknowledged_once() -> None:
    state, _ = arming.record_frame(NEW, WHOLE)
    assert arming.record_frame(state, WHOLE) == (state, False)


def test_a_key_puts_the_quiet_time_off() -> None:
    state = arming.record_key(show_and_acknowledge(WHOLE, 1.0), 1.3)
    assert arming.get_ready_time_s(state) == 1.3 + QUIET_PERIOD_S


def test_a_key_into_the_draft_disarms() -> None:
    state = arming.arm_if_ready(show_and_acknowledge(WHOLE, 1.0), 2.0, has_draft=False)
    assert not arming.disarm(state).is_armed


def test_to_allow_takes_the_end_seen_together_with_the_answers() -> None:
    state = arming.arm_if_ready(show_and_acknowledge(TOP, 1.0), 2.0, has_draft=False)
    assert arming.can_reject(state)
    assert not arming.can_allow(state)
    drawn, _ = arming.record_frame(state, WHOLE)
    assert not arming.can_allow(drawn)
    assert arming.can_allow(arming.record_acknowledgment(drawn, 3.0))


def test_what_was_seen_whole_may_not_be_allowed_once_the_window_hides_it() -> None:
    state = arming.arm_if_ready(show_and_acknowledge(WHOLE, 1.0), 2.0, has_draft=False)
    low, _ = arming.record_frame(state, LOW)
    assert arming.can_reject(low)
    assert not arming.can_allow(low)


def test_an_acknowledgement_of_the_request_before_does_not_count_for_this_one() -> None:
    before, _ = arming.record_frame(replace(NEW, prompt_id="r0"), replace(WHOLE, prompt_id="r0"))
    state = arming.start_next_arming(before, "r1", 5.0)
    state, _ = arming.record_frame(state, WHOLE)
    state = arming.record_acknowledgment(state, 5.1)
    assert arming.get_ready_time_s(state) is None
    assert arming.get_ready_time_s(arming.record_acknowledgment(state, 5.2)) == 5.2 + QUIET_PERIOD_S


def test_an_answer_of_the_terminal_that_nobody_asked_for_counts_for_nothing() -> None:
    assert arming.record_acknowledgment(NEW, 1.0) == NEW


def test_a_key_right_behind_another_is_not_alone() -> None:
    armed = arming.arm_if_ready(show_and_acknowledge(WHOLE, 1.0), 2.0, has_draft=False)
    alone = arming.record_key(armed, 3.0)
    assert arming.is_isolated_key(alone)
    assert not arming.is_isolated_key(arming.record_key(alone, 3.0 + MIN_KEY_GAP_S / 2))
    assert arming.is_isolated_key(arming.record_key(alone, 3.0 + 2 * MIN_KEY_GAP_S))


def test_the_terminals_own_answer_is_no_key() -> None:
    typed = arming.record_key(show_and_acknowledge(WHOLE, 1.0), 2.0)
    answered = arming.undo_key(arming.record_key(typed, 2.3))
    assert arming.get_ready_time_s(answered) == 2.0 + QUIET_PERIOD_S
    assert arming.is_isolated_key(arming.record_key(answered, 2.31))


HAPPENINGS = st.lists(
    st.tuples(
        st.sampled_from(["draw", "draw top", "draw low", "acknowledge", "key", "draft", "tick"]),
        st.floats(min_value=0.0, max_value=0.5),
    ),
    max_size=40,
)


@given(HAPPENINGS)
def test_in_every_order_it_is_armed_only_after_quiet_and_acknowledgement(
    happenings: list[tuple[str, float]],
) -> None:
    state, now_s, quiet_since_s, acknowledged = NEW, 0.0, 0.0, 0
    frames = {"draw": WHOLE, "draw top": TOP, "draw low": LOW}
    for what, later_s in happenings:
        now_s += later_s
        was_armed = state.is_armed
        if shown := frames.get(what):
            state, _ = arming.record_frame(state, shown)
        elif what == "acknowledge":
            acknowledged += bool(state.unacknowledged)
            state = arming.record_acknowledgment(state, now_s)
        elif what == "tick":
            state = arming.arm_if_ready(state, now_s, has_draft=False)
        else:
            quiet_since_s = now_s
            state = arming.record_key(state, now_s)
            state = arming.disarm(state) if what == "draft" else state
        if state.is_armed and not was_armed:
            assert what == "tick"
            assert acknowledged
            assert now_s >= quiet_since_s + QUIET_PERIOD_S
