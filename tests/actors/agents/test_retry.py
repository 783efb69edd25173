"""Asking again: when, how often, how long after, and what is kept."""

from itertools import pairwise

import pytest

from actors.agents.effects import CancelModelRequest, LookUpLimits, ScheduleRetry, SendModelRequest
from actors.agents.limits import Limits
from actors.agents.replies import MAX_MALFORMED
from actors.agents.retry import BUSY, JITTER, LONGEST_WAIT_S, LOST, Backoff, wait_before_s
from actors.agents.settling import NO_TIME
from actors.agents.state import TurnStage
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.models import (
    ModelFailed,
    ModelFailureReason,
    ModelLimitsFound,
    RetryDelayElapsed,
    TurnTimerStopped,
)
from messages.turns import (
    CancelTurn,
    ModelChanged,
    ModelRetrying,
    SetModel,
    StartTurn,
    TurnFailed,
    TurnInterrupted,
    UsageChanged,
)
from tests.actors.agents.driver import Driver
from tests.actors.agents.scripts import LOOK, USED, blank, failed, reply, use

pytestmark = pytest.mark.quick


@pytest.fixture
def driver() -> Driver:
    leading = Driver()
    leading.tell(StartTurn(turn=1, text="do it"))
    return leading


def fault(
    request: int = 1, reason: ModelFailureReason = "overloaded", **more: object
) -> ModelFailed:
    fields = {"request": request, "reason": reason, "detail": "busy", "retry": True} | more
    return ModelFailed.model_validate(fields)


def waits(fault: ModelFailed, seed: str = "s") -> list[float]:
    found: list[float] = []
    while (wait_s := wait_before_s(fault, len(found), seed)) is not None:
        found.append(wait_s)
    return found


@pytest.mark.parametrize(
    ("reason", "backoff"),
    [
        ("overloaded", BUSY),
        ("rate_limited", BUSY),
        ("server_failed", BUSY),
        ("unavailable", BUSY),
        ("gateway", LOST),
        ("unreachable", LOST),
        ("cut_off", LOST),
    ],
)
def test_waits_double_within_their_jitter_and_come_to_an_end(
    reason: ModelFailureReason, backoff: Backoff
) -> None:
    found = waits(fault(reason=reason))
    assert len(found) == backoff.retries
    for number, wait_s in enumerate(found):
        most_s = backoff.first_s * 2**number
        assert most_s * (1 - JITTER) <= wait_s <= most_s
    assert all(later > earlier for earlier, later in pairwise(found))


def test_the_same_seed_waits_the_same_and_another_does_not() -> None:
    assert waits(fault()) == waits(fault())
    assert len({tuple(waits(fault(), seed)) for seed in "abcdefgh"}) == 8


def test_the_servers_wish_is_heeded_up_to_a_minute() -> None:
    assert waits(fault(retry_after_s=7)) == [7] * BUSY.retries
    assert waits(fault(retry_after_s=3600)) == [LONGEST_WAIT_S] * BUSY.retries


def test_what_cannot_succeed_is_not_tried_again() -> None:
    assert waits(fault(retry=False)) == []


def test_a_wait_is_told_recorded_and_ends_in_the_same_request(driver: Driver) -> None:
    driver.tell(fault(retry_after_s=4, usage=USED))

    told = ModelRetrying(
        turn=1, attempt=1, of=5, wait_s=4, reason="overloaded", detail="busy", usage=USED
    )
    assert told in driver.records
    assert told in driver.reports
    assert driver.of(ScheduleRetry) == [ScheduleRetry(1, 4)]
    driver.tell(RetryDelayElapsed(request=1))
    assert driver.of(SendModelRequest) == [SendModelRequest(1), SendModelRequest(2)]


def test_when_the_tries_are_spent_the_turn_fails_and_what_came_is_kept(
    driver: Driver,
) -> None:
    driver.tell(fault(1, "cut_off", partial="I wi"))
    driver.tell(RetryDelayElapsed(request=1))
    for request in range(2, LOST.retries + 2):
        driver.tell(fault(request, "cut_off"))
        driver.tell(RetryDelayElapsed(request=request))

    end = driver.reports[-1]
    assert isinstance(end, TurnFailed)
    assert (end.reason, end.detail, end.partial) == ("cut_off", "busy (tried 5 times)", "I wi")


def test_a_success_gives_all_tries_back(driver: Driver) -> None:
    driver.tell(fault())
    driver.tell(RetryDelayElapsed(request=1))
    driver.replied(use("c1", LOOK))
    driver.allowed("c1")
    driver.done("c1")
    driver.tell(fault(3))

    (_, again) = [each for each in driver.reports if isinstance(each, ModelRetrying)]
    assert again.attempt == 1


def test_a_cancel_ends_a_wait_and_the_turn_with_it(driver: Driver) -> None:
    driver.tell(fault(partial="I wi"))
    assert CancelModelRequest() in driver.tell(CancelTurn(turn=1))
    driver.tell(RetryDelayElapsed(request=1))

    assert driver.reports[-1] == TurnInterrupted(turn=1, partial="I wi")
    assert driver.of(SendModelRequest) == [SendModelRequest(1)]
    assert driver.tell(RetryDelayElapsed(request=1)) == ()


def test_each_request_that_failed_counts(driver: Driver) -> None:
    driver.tell(fault(usage=Usage(requests=1, input_tokens=9)))
    driver.tell(RetryDelayElapsed(request=1))
    driver.replied(TextBlock(text="done"))

    total = USED + Usage(requests=1, input_tokens=9)
    (usage,) = [each for each in driver.reports if isinstance(each, UsageChanged)]
    assert (usage.context_tokens, usage.total) == (5, total)


def test_calls_that_are_no_json_are_told_the_model_twice_then_the_turn_fails() -> None:
    driver = Driver()
    driver.prompted(broken(0))
    for number in range(1, MAX_MALFORMED + 1):
        driver.tell(failed(f"c{number - 1}", "rejected"))
        driver.replied(broken(number))

    end = driver.reports[-1]
    assert isinstance(end, TurnFailed)
    assert end.reason == "protocol"
    assert [status for _, status, _ in driver.results] == ["error"] * (MAX_MALFORMED + 1)


def broken(number: int) -> ToolUseBlock:
    return use(f"c{number}", LOOK).model_copy(update={"malformed": "cut"})


# Limits.


def test_the_last_reply_that_is_allowed_may_act_and_then_the_turn_ends() -> None:
    driver = Driver(blank(limits=Limits(turns=1)))
    driver.prompted(use("c1", LOOK))
    driver.allowed("c1")
    driver.done("c1")

    end = driver.reports[-1]
    assert isinstance(end, TurnFailed)
    assert (end.reason, driver.ran) == ("max_turns", ["c1"])
    driver.prompted(TextBlock(text="done"))
    assert driver.turn.stage is TurnStage.IDLE


def test_tokens_are_counted_over_all_prompts() -> None:
    driver = Driver(blank(limits=Limits(tokens=6)))
    driver.prompted(TextBlock(text="one"))
    driver.prompted(TextBlock(text="two"))
    driver.tell(StartTurn(turn=3, text="three"))

    end = driver.reports[-1]
    assert isinstance(end, TurnFailed)
    assert (end.reason, len(driver.of(SendModelRequest))) == ("token_budget", 2)


def test_the_clock_stands_still_while_a_person_is_asked() -> None:
    driver = Driver(blank(limits=Limits(seconds=10)))
    driver.prompted(use("c1"))
    driver.asked("c1")
    assert driver.turn.clock.held
    driver.tell(TurnTimerStopped(turn=1, left_s=4))

    assert (driver.turn.clock.runs, driver.turn.clock.left_s) == (False, 4)
    assert driver.turn.stage is TurnStage.ACTING


def test_when_the_time_is_up_what_runs_is_stopped_and_told_why() -> None:
    driver = Driver(blank(limits=Limits(seconds=10)))
    driver.prompted(use("c1"), use("c2"))
    driver.tell(TurnTimerStopped(turn=1, left_s=0))

    assert [text for _, _, text in driver.results] == [NO_TIME]
    driver.tell(failed("c1", "cancelled"))
    end = driver.reports[-1]
    assert isinstance(end, TurnFailed)
    assert end.reason == "time_limit"
    assert [text for _, _, text in driver.results] == [NO_TIME, NO_TIME]


# The model.


def test_another_model_is_asked_from_the_next_request_on_and_recorded(driver: Driver) -> None:
    driver.tell(SetModel(model="big"))
    assert ModelChanged(model="big") in driver.records
    assert driver.turn.model == "big"
    assert driver.tell(SetModel(model="big")) == ()


def test_figures_of_another_model_do_not_count(driver: Driver) -> None:
    driver.tell(ModelLimitsFound(model="small", context_tokens=10, output_tokens=5))
    driver.replied(TextBlock(text="done"))

    (usage,) = [each for each in driver.reports if isinstance(each, UsageChanged)]
    assert usage.window_tokens == 200_000


def test_what_a_model_takes_is_asked_once_and_only_when_half_of_it_is_full() -> None:
    driver = Driver()
    driver.prompted(TextBlock(text="small"))
    driver.prompted(TextBlock(text="still small"))
    assert driver.of(LookUpLimits) == []
    many = Usage(input_tokens=99_000, output_tokens=1_000, requests=1)
    driver.tell(StartTurn(turn=3, text="much"))
    driver.tell(
        reply(driver.turn.request, TextBlock(text="much")).model_copy(update={"usage": many})
    )
    driver.prompted(TextBlock(text="more"))
    driver.prompted(TextBlock(text="more"))

    assert driver.of(LookUpLimits) == [LookUpLimits("m")]
    driver.tell(ModelLimitsFound(model="m", context_tokens=150_000, output_tokens=900))
    usage = driver.reports[-1]
    assert isinstance(usage, UsageChanged)
    assert usage.window_tokens == 150_000
