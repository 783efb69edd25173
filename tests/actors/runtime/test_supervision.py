"""Restart budgets, restart delays and crash histories, without actors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.runtime.supervision import (
    MAX_CRASHES_PER_MESSAGE,
    MAX_REMEMBERED_MESSAGES,
    MAX_RESTART_DELAY_S,
    NO_RESTART,
    CrashHistory,
    Restart,
    RestartBudget,
)
from tests.actors.runtime.sample_actors import Ping

pytestmark = pytest.mark.quick

THREE_RESTARTS = Restart(limit=3, window_s=30.0, backoff_s=0.01)


def test_no_restart_allows_no_restart() -> None:
    assert not RestartBudget(NO_RESTART).spend(0.0)


def test_a_budget_allows_only_its_limit() -> None:
    budget = RestartBudget(THREE_RESTARTS)
    assert [budget.spend(1.0) for _ in range(4)] == [True, True, True, False]


def test_a_restart_is_available_again_after_its_window() -> None:
    budget = RestartBudget(THREE_RESTARTS)
    granted = [budget.spend(now_s) for now_s in (0.0, 10.0, 20.0, 29.9, 30.0, 39.9, 40.0)]
    assert granted == [True, True, True, False, True, False, True]


@given(st.lists(st.floats(0, 10), max_size=60))
def test_no_window_has_more_restarts_than_the_limit(pauses_s: list[float]) -> None:
    budget = RestartBudget(THREE_RESTARTS)
    now_s, restarts_s = 0.0, list[float]()
    for pause_s in pauses_s:
        now_s += pause_s
        if budget.spend(now_s):
            restarts_s.append(now_s)
    for earlier_s, later_s in zip(restarts_s, restarts_s[THREE_RESTARTS.limit :], strict=False):
        assert later_s - earlier_s >= THREE_RESTARTS.window_s


def test_the_restart_delay_doubles_up_to_its_limit() -> None:
    budget = RestartBudget(Restart(limit=9, window_s=30.0, backoff_s=0.01))
    delays_s: list[float] = []
    for _ in range(6):
        assert budget.spend(0.0)
        delays_s.append(budget.delay_s)
    assert delays_s == [0.01, 0.02, 0.04, 0.08, MAX_RESTART_DELAY_S, MAX_RESTART_DELAY_S]
    assert budget.spend(60.0)
    assert budget.delay_s == 0.01


def test_crashes_on_equal_messages_are_counted_together() -> None:
    crashes = CrashHistory()
    for number in range(MAX_CRASHES_PER_MESSAGE):
        assert not crashes.is_poison(Ping(text="bad"))
        crashes.record(Ping(text="bad"))
        crashes.record(Ping(text=str(number)))
    assert crashes.is_poison(Ping(text="bad"))
    assert not crashes.is_poison(Ping(text="0"))


def test_the_oldest_crashes_are_forgotten_first() -> None:
    crashes = CrashHistory()
    crashes.record(Ping(text="old"))
    for number in range(MAX_REMEMBERED_MESSAGES):
        crashes.record(Ping(text=str(number)))
    assert crashes.count(Ping(text="old")) == 0
