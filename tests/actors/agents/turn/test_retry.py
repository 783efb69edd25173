"""Retries of failed requests, limits, and the choice of model."""

from itertools import pairwise

import pytest

from actors.agents.turn.call_completion import TIMED_OUT_BEFORE_RUN
from actors.agents.turn.effects import (
    CancelModelRequest,
    LookUpLimits,
    ScheduleRetry,
    SendModelRequest,
)
from actors.agents.turn.limits import Limits
from actors.agents.turn.model_replies import MAX_MALFORMED_REPLIES
from actors.agents.turn.retry import (
    CONNECTION_BACKOFF,
    SERVER_BACKOFF,
    RetryState,
    get_retry_delay_s,
)
from actors.agents.turn.self_messages import ModelFailed, RetryDelayElapsed, TurnTimerStopped
from actors.agents.turn.turn_state import TurnStage
from actors.models.backoff import JITTER_SHARE, LIMIT_BACKOFF, Backoff
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.failure_reasons import MAX_RETRY_WAIT_S, ModelFailureReason
from messages.model_limits import ModelLimitsFound
from messages.turns import (
    CancelTurn,
    EffortChanged,
    ModelChanged,
    ModelRetrying,
    RequestInfo,
    SetEffort,
    SetModel,
    StartTurn,
    TurnFailed,
    TurnInterrupted,
    UsageChanged,
)
from tests.actors.agents.turn.message_builders import (
    READ_TOOL,
    USAGE,
    make_reply,
    make_state,
    make_tool_failed,
    make_tool_use,
)
from tests.actors.agents.turn.turn_driver import TurnDriver

pytestmark = pytest.mark.quick


@pytest.fixture
def driver() -> TurnDriver:
    driver = TurnDriver()
    driver.send(StartTurn(turn=1, text="do it"))
    return driver


def make_failure(
    number: int = 1, reason: ModelFailureReason = "overloaded", **more: object
) -> ModelFailed:
    request = RequestInfo(number=number)
    fields = {"request": request, "reason": reason, "detail": "busy", "retry": True} | more
    return ModelFailed.model_validate(fields)


def list_delays_s(failure: ModelFailed, seed: str = "s") -> list[float]:
    delays_s: list[float] = []
    retry = RetryState()
    while (delay_s := get_retry_delay_s(failure, retry, seed)) is not None:
        delays_s.append(delay_s)
        retry = retry.with_failure(failure)
    return delays_s


@pytest.mark.parametrize(
    ("reason", "backoff"),
    [
        ("overloaded", LIMIT_BACKOFF),
        ("rate_limited", LIMIT_BACKOFF),
        ("server_error", SERVER_BACKOFF),
        ("unavailable", LIMIT_BACKOFF),
        ("gateway_error", CONNECTION_BACKOFF),
        ("unreachable", CONNECTION_BACKOFF),
        ("stream_interrupted", CONNECTION_BACKOFF),
    ],
)
def test_delays_double_within_their_jitter_and_end(
    reason: ModelFailureReason, backoff: Backoff
) -> None:
    delays_s = list_delays_s(make_failure(reason=reason))
    assert len(delays_s) == backoff.max_retries
    for number, delay_s in enumerate(delays_s):
        max_s = min(backoff.first_delay_s * 2**number, backoff.max_delay_s)
        assert max_s * (1 - JITTER_SHARE) <= delay_s <= max_s
    growing = [delay_s for delay_s in delays_s if delay_s < backoff.max_delay_s / 2]
    assert all(later > earlier for earlier, later in pairwise(growing))


def test_an_overloaded_server_is_retried_for_some_minutes() -> None:
    assert 7 * 60 <= sum(list_delays_s(make_failure())) <= 11 * 60


def test_only_the_same_seed_gives_the_same_delays() -> None:
    assert list_delays_s(make_failure()) == list_delays_s(make_failure())
    assert len({tuple(list_delays_s(make_failure(), seed)) for seed in "abcdefgh"}) == 8


def test_retry_after_is_respected_up_to_five_minutes() -> None:
    assert list_delays_s(make_failure(retry_after_s=7)) == [7] * LIMIT_BACKOFF.max_retries
    assert (
        list_delays_s(make_failure(retry_after_s=3600))
        == [MAX_RETRY_WAIT_S] * LIMIT_BACKOFF.max_retries
    )


def test_a_permanent_failure_is_not_retried() -> None:
    assert list_delays_s(make_failure(retry=False)) == []


def test_a_retry_is_reported_recorded_and_sent_again(driver: TurnDriver) -> None:
    driver.send(make_failure(retry_after_s=4, usage=USAGE))

    retrying = ModelRetrying(
        turn=1,
        attempt=1,
        max_attempts=15,
        wait_s=4,
        reason="overloaded",
        detail="busy",
        usage=USAGE,
        request=RequestInfo(number=1),
    )
    assert retrying in driver.records
    assert retrying in driver.events
    assert driver.get_effects(ScheduleRetry) == [ScheduleRetry(1, 4)]
    driver.send(RetryDelayElapsed(request_number=1))
    assert driver.get_effects(SendModelRequest) == [SendModelRequest(1), SendModelRequest(2)]


def test_after_the_last_attempt_the_turn_fails_with_its_text(
    driver: TurnDriver,
) -> None:
    driver.send(make_failure(1, "stream_interrupted", partial_text="I wi"))
    driver.send(RetryDelayElapsed(request_number=1))
    for number in range(2, CONNECTION_BACKOFF.max_retries + 2):
        driver.send(make_failure(number, "stream_interrupted"))
        driver.send(RetryDelayElapsed(request_number=number))

    end = driver.events[-1]
    assert isinstance(end, TurnFailed)
    assert (end.reason, end.detail, end.partial_text) == (
        "stream_interrupted",
        "busy (tried 5 times)",
        "I wi",
    )


def test_a_success_resets_the_attempts(driver: TurnDriver) -> None:
    driver.send(make_failure())
    driver.send(RetryDelayElapsed(request_number=1))
    driver.reply(make_tool_use("c1", READ_TOOL))
    driver.allow("c1")
    driver.succeed("c1")
    driver.send(make_failure(3))

    (_, retrying) = [event for event in driver.events if isinstance(event, ModelRetrying)]
    assert retrying.attempt == 1


def test_a_cancel_ends_the_retry_delay_and_the_turn(driver: TurnDriver) -> None:
    driver.send(make_failure(partial_text="I wi"))
    assert CancelModelRequest() in driver.send(CancelTurn(turn=1))
    driver.send(RetryDelayElapsed(request_number=1))

    assert driver.events[-1] == TurnInterrupted(turn=1, partial_text="I wi")
    assert driver.get_effects(SendModelRequest) == [SendModelRequest(1)]
    assert driver.send(RetryDelayElapsed(request_number=1)) == ()


def test_usage_of_a_failed_request_is_counted(driver: TurnDriver) -> None:
    driver.send(make_failure(usage=Usage(requests=1, input_tokens=9)))
    driver.send(RetryDelayElapsed(request_number=1))
    driver.reply(TextBlock(text="done"))

    total = USAGE + Usage(requests=1, input_tokens=9)
    (usage,) = [event for event in driver.events if isinstance(event, UsageChanged)]
    assert (usage.context_tokens, usage.total_usage) == (5, total)


def test_the_turn_fails_after_repeated_malformed_calls() -> None:
    driver = TurnDriver()
    driver.start_turn(make_malformed_call(0))
    for number in range(1, MAX_MALFORMED_REPLIES + 1):
        driver.send(make_tool_failed(f"c{number - 1}", "rejected"))
        driver.reply(make_malformed_call(number))

    end = driver.events[-1]
    assert isinstance(end, TurnFailed)
    assert end.reason == "protocol_error"
    assert [status for _, status, _ in driver.results] == ["error"] * (MAX_MALFORMED_REPLIES + 1)


def make_malformed_call(number: int) -> ToolUseBlock:
    return make_tool_use(f"c{number}", READ_TOOL).model_copy(update={"input_error": "cut"})


# Limits


def test_calls_of_the_last_allowed_reply_still_run() -> None:
    driver = TurnDriver(make_state(limits=Limits(turns=1)))
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    driver.allow("c1")
    driver.succeed("c1")
    driver.end_at_limit()

    end = driver.events[-1]
    assert isinstance(end, TurnFailed)
    assert (end.reason, driver.run_calls) == ("max_turns", ["c1"])
    driver.start_turn(TextBlock(text="done"))
    assert driver.state.turn.stage is TurnStage.IDLE


def test_tokens_are_counted_over_all_prompts() -> None:
    driver = TurnDriver(make_state(limits=Limits(tokens=6)))
    driver.start_turn(TextBlock(text="one"))
    driver.start_turn(TextBlock(text="two"))
    driver.send(StartTurn(turn=3, text="three"))
    driver.end_at_limit()

    end = driver.events[-1]
    assert isinstance(end, TurnFailed)
    assert (end.reason, len(driver.get_effects(SendModelRequest))) == ("token_budget", 2)


def test_the_timer_is_paused_while_the_user_decides() -> None:
    driver = TurnDriver(make_state(limits=Limits(seconds=10)))
    driver.start_turn(make_tool_use("c1"))
    driver.request_approval("c1")
    assert driver.state.turn.timer.is_pausing
    driver.send(TurnTimerStopped(turn=1, remaining_s=4))

    assert (driver.state.turn.timer.is_running, driver.state.turn.timer.remaining_s) == (False, 4)
    assert driver.state.turn.stage is TurnStage.ACTING


def test_the_time_limit_stops_calls_and_says_why() -> None:
    driver = TurnDriver(make_state(limits=Limits(seconds=10)))
    driver.start_turn(make_tool_use("c1"), make_tool_use("c2"))
    driver.send(TurnTimerStopped(turn=1, remaining_s=0))
    driver.end_at_limit()

    assert [text for _, _, text in driver.results] == [TIMED_OUT_BEFORE_RUN]
    driver.send(make_tool_failed("c1", "cancelled"))
    end = driver.events[-1]
    assert isinstance(end, TurnFailed)
    assert end.reason == "time_limit"
    assert [text for _, _, text in driver.results] == [TIMED_OUT_BEFORE_RUN, TIMED_OUT_BEFORE_RUN]


# Choice of model


def test_a_model_change_is_recorded_and_used_next(driver: TurnDriver) -> None:
    driver.send(SetModel(model="big"))
    assert ModelChanged(model="big") in driver.records
    assert driver.state.model.name == "big"
    assert driver.send(SetModel(model="big")) == ()


def test_an_effort_change_is_recorded_and_used_next(driver: TurnDriver) -> None:
    driver.send(SetEffort(effort="max"))
    assert EffortChanged(effort="max") in driver.records
    assert driver.state.model.effort == "max"
    assert driver.send(SetEffort(effort="max")) == ()


def test_limits_of_another_model_are_ignored(driver: TurnDriver) -> None:
    driver.send(ModelLimitsFound(model="small", max_context_tokens=10, max_output_tokens=5))
    driver.reply(TextBlock(text="done"))

    (usage,) = [event for event in driver.events if isinstance(event, UsageChanged)]
    assert usage.context_window_tokens == 200_000


def test_limits_are_looked_up_once_at_half_full_context() -> None:
    driver = TurnDriver()
    driver.start_turn(TextBlock(text="small"))
    driver.start_turn(TextBlock(text="still small"))
    assert driver.get_effects(LookUpLimits) == []
    large_usage = Usage(input_tokens=99_000, output_tokens=1_000, requests=1)
    driver.send(StartTurn(turn=3, text="much"))
    driver.send(
        make_reply(driver.state.turn.request_number, TextBlock(text="much")).model_copy(
            update={"usage": large_usage}
        )
    )
    driver.start_turn(TextBlock(text="more"))
    driver.start_turn(TextBlock(text="more"))

    assert driver.get_effects(LookUpLimits) == [LookUpLimits("m")]
    driver.send(ModelLimitsFound(model="m", max_context_tokens=150_000, max_output_tokens=900))
    usage = driver.events[-1]
    assert isinstance(usage, UsageChanged)
    assert usage.context_window_tokens == 150_000
