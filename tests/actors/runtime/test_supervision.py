"""Restarts as values: the budget, the rest, and what an actor crashed over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.runtime.supervision import (
    LONGEST_REST_S,
    MOST_CRASHES,
    MOST_REMEMBERED,
    NEVER,
    Crashes,
    Restart,
    RestartBudget,
)
from tests.actors.runtime.behaviours import Poke

pytestmark = pytest.mark.quick

THREE = Restart(limit=3, window_s=30.0, backoff_s=0.01)


def test_never_is_never() -> None:
    assert not RestartBudget(NEVER).spend(0.0)


def test_so_many_restarts_and_no_more() -> None:
    budget = RestartBudget(THREE)
    assert [budget.spend(1.0) for _ in range(4)] == [True, True, True, False]


def test_a_restart_comes_back_when_its_window_has_passed() -> None:
    budget = RestartBudget(THREE)
    spent = [budget.spend(now_s) for now_s in (0.0, 10.0, 20.0, 29.9, 30.0, 39.9, 40.0)]
    assert spent == [True, True, True, False, True, False, True]


@given(st.lists(st.floats(0, 10), max_size=60))
def test_no_window_ever_holds_more_restarts_than_the_limit(pauses_s: list[float]) -> None:
    budget = RestartBudget(THREE)
    now_s, taken_s = 0.0, list[float]()
    for pause_s in pauses_s:
        now_s += pause_s
        if budget.spend(now_s):
            taken_s.append(now_s)
    for earlier_s, later_s in zip(taken_s, taken_s[THREE.limit :], strict=False):
        assert later_s - earlier_s >= THREE.window_s


def test_each_further_restart_of_a_window_rests_twice_as_long_up_to_a_limit() -> None:
    budget = RestartBudget(Restart(limit=9, window_s=30.0, backoff_s=0.01))
    rests_s: list[float] = []
    for _ in range(6):
        assert budget.spend(0.0)
        rests_s.append(budget.rest_s)
    assert rests_s == [0.01, 0.02, 0.04, 0.08, LONGEST_REST_S, LONGEST_REST_S]
    assert budget.spend(60.0)
    assert budget.rest_s == 0.01


def test_equal_messages_are_one_poison() -> None:
    crashes = Crashes()
    for number in range(MOST_CRASHES):
        assert not crashes.is_poison(Poke(word="bad"))
        crashes.note(Poke(word="bad"))
        crashes.note(Poke(word=str(number)))
    assert crashes.is_poison(Poke(word="bad"))
    assert not crashes.is_poison(Poke(word="0"))


def test_what_was_crashed_over_long_ago_is_forgotten() -> None:
    crashes = Crashes()
    crashes.note(Poke(word="old"))
    for number in range(MOST_REMEMBERED):
        crashes.note(Poke(word=str(number)))
    assert crashes.count(Poke(word="old")) == 0
