"""Time and order decide; every combination is cheap to try here."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shell.view import arming
from shell.view.arming import ALONE_S, QUIET_S, Arming, Shown

pytestmark = pytest.mark.quick

WHOLE = Shown("r1", whole=True, end=True)
TOP = Shown("r1", whole=True, end=False)
LOW = Shown("r1", whole=False, end=False)
NEW = Arming(id="r1", last_key_s=0.0)


def seen(shown: Shown, now_s: float, state: Arming = NEW) -> Arming:
    state, ask = arming.drawn(state, shown)
    assert ask
    return arming.acknowledged(state, now_s)


def test_it_arms_when_acknowledged_quiet_and_without_a_draft() -> None:
    state = seen(WHOLE, 1.0)
    assert arming.ready_s(state) == 1.0 + QUIET_S
    assert not arming.tick(state, 1.0 + QUIET_S - 0.01, draft=False).armed
    assert not arming.tick(state, 1.0 + QUIET_S, draft=True).armed
    assert arming.may_allow(arming.tick(state, 1.0 + QUIET_S, draft=False))


def test_a_frame_that_is_only_drawn_arms_nothing() -> None:
    state, _ = arming.drawn(NEW, WHOLE)
    assert arming.ready_s(state) is None
    assert not arming.tick(state, 100.0, draft=False).armed
    assert not arming.summoned(state).armed


def test_the_same_frame_is_acknowledged_once() -> None:
    state, _ = arming.drawn(NEW, WHOLE)
    assert arming.drawn(state, WHOLE) == (state, False)


def test_a_key_puts_the_quiet_time_off() -> None:
    state = arming.pressed(seen(WHOLE, 1.0), 1.3)
    assert arming.ready_s(state) == 1.3 + QUIET_S


def test_a_key_into_the_draft_disarms() -> None:
    state = arming.tick(seen(WHOLE, 1.0), 2.0, draft=False)
    assert not arming.drafted(state).armed


def test_to_allow_takes_the_end_seen_together_with_the_answers() -> None:
    state = arming.tick(seen(TOP, 1.0), 2.0, draft=False)
    assert arming.may_refuse(state)
    assert not arming.may_allow(state)
    drawn, _ = arming.drawn(state, WHOLE)
    assert not arming.may_allow(drawn)
    assert arming.may_allow(arming.acknowledged(drawn, 3.0))


def test_what_was_seen_whole_may_not_be_allowed_once_the_window_hides_it() -> None:
    state = arming.tick(seen(WHOLE, 1.0), 2.0, draft=False)
    low, _ = arming.drawn(state, LOW)
    assert arming.may_refuse(low)
    assert not arming.may_allow(low)


def test_an_acknowledgement_of_the_request_before_does_not_count_for_this_one() -> None:
    before, _ = arming.drawn(replace(NEW, id="r0"), replace(WHOLE, id="r0"))
    state = arming.inherited(before, "r1", 5.0)
    state, _ = arming.drawn(state, WHOLE)
    state = arming.acknowledged(state, 5.1)
    assert arming.ready_s(state) is None
    assert arming.ready_s(arming.acknowledged(state, 5.2)) == 5.2 + QUIET_S


def test_an_answer_of_the_terminal_that_nobody_asked_for_counts_for_nothing() -> None:
    assert arming.acknowledged(NEW, 1.0) == NEW


def test_a_key_right_behind_another_is_not_alone() -> None:
    armed = arming.tick(seen(WHOLE, 1.0), 2.0, draft=False)
    alone = arming.pressed(armed, 3.0)
    assert arming.is_alone(alone)
    assert not arming.is_alone(arming.pressed(alone, 3.0 + ALONE_S / 2))
    assert arming.is_alone(arming.pressed(alone, 3.0 + 2 * ALONE_S))


def test_the_terminals_own_answer_is_no_key() -> None:
    typed = arming.pressed(seen(WHOLE, 1.0), 2.0)
    answered = arming.unpressed(arming.pressed(typed, 2.3))
    assert arming.ready_s(answered) == 2.0 + QUIET_S
    assert arming.is_alone(arming.pressed(answered, 2.31))


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
        was_armed = state.armed
        if shown := frames.get(what):
            state, _ = arming.drawn(state, shown)
        elif what == "acknowledge":
            acknowledged += bool(state.sent)
            state = arming.acknowledged(state, now_s)
        elif what == "tick":
            state = arming.tick(state, now_s, draft=False)
        else:
            quiet_since_s = now_s
            state = arming.pressed(state, now_s)
            state = arming.drafted(state) if what == "draft" else state
        if state.armed and not was_armed:
            assert what == "tick"
            assert acknowledged
            assert now_s >= quiet_since_s + QUIET_S
