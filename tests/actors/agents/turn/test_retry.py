"""Asking again: when, how often, how long after, and what is kept."""

from itertools import pairwise

import pytest

from actors.agents.turn.agent_state import TurnStage
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
    JITTER_SHARE,
    MAX_RETRY_DELAY_S,
    SERVER_BACKOFF,
    Backoff,
    get_retry_delay_s,
)
from actors.agents.turn.self_messages import ModelFailed, RetryDelayElapsed, TurnTimerStopped
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.model_events import ModelFailureReason, ModelLimitsFound
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
    leading = TurnDriver()
    leading.send(StartTurn(turn=1, text="do it"))
    return leading


def fault(
    request: int = 1, reason: ModelFailureReason = "overloaded", **more: object
) -> ModelFailed:
    fields = {"request_number": request, "reason": reason, "detail": "busy", "retry": True} | more
    return ModelFailed.model_validate(fields)


def waits(fault: ModelFailed, seed: str = "s") -> list[float]:
    found: list[float] = []
    while (wait_s := get_retry_delay_s(fault, len(found), seed)) is not None:
        found.append(wait_s)
    return found


@pytest.mark.parametrize(
    ("reason", "backoff"),
    [
        ("overloaded", SERVER_BACKOFF),
        ("rate_limited", SERVER_BACKOFF),
        ("server_failed", SERVER_BACKOFF),
        ("unavailable", SERVER_BACKOFF),
        ("gateway", CONNECTION_BACKOFF),
        ("unreachable", CONNECTION_BACKOFF),
        ("cut_off", CONNECTION_BACKOFF),
    ],
)
def test_waits_double_within_their_jitter_and_come_to_an_end(
    reason: ModelFailureReason, backoff: Backoff
) -> None:
    found = waits(fault(reason=reason))
    assert len(found) == backoff.max_retries
    for number, wait_s in enumerate(found):
        most_s = backoff.first_delay_s * 2**number
        assert most_s * (1 - JITTER_SHARE) <= wait_s <= most_s
    assert all(later > earlier for earlier, later in pairwise(found))


def test_the_same_seed_waits_the_same_and_another_does_not() -> None:
    assert waits(fault()) == waits(fault())
    assert len({tuple(waits(fault(), seed)) for seed in "abcdefgh"}) == 8


def test_the_servers_wish_is_heeded_up_to_a_minute() -> None:
    assert waits(fault(retry_after_s=7)) == [7] * SERVER_BACKOFF.max_retries
    assert waits(fault(retry_after_s=3600)) == [MAX_RETRY_DELAY_S] * SERVER_BACKOFF.max_retries


def test_what_cannot_succeed_is_not_tried_again() -> None:
    assert waits(fault(retry=False)) == []


def test_a_wait_is_told_recorded_and_ends_in_the_same_request(driver: TurnDriver) -> None:
    driver.send(fault(retry_after_s=4, usage=USAGE))

    told = ModelRetrying(
        turn=1, attempt=1, max_attempts=5, wait_s=4, reason="overloaded", detail="busy", usage=USAGE
    )
    assert told in driver.records
    assert told in driver.events
    assert driver.get_effects(ScheduleRetry) == [ScheduleRetry(1, 4)]
    driver.send(RetryDelayElapsed(request_number=1))
    assert driver.get_effects(SendModelRequest) == [SendModelRequest(1), SendModelRequest(2)]


def test_when_the_tries_are_spent_the_turn_fails_and_what_came_is_kept(
    driver: TurnDriver,
) -> None:
    driver.send(fault(1, "cut_off", partial_text="I wi"))
    driver.send(RetryDelayElapsed(request_number=1))
    for request in range(2, CONNECTION_BACKOFF.max_retries + 2):
        driver.send(fault(request, "cut_off"))
        driver.send(RetryDelayElapsed(request_number=request))

    end = driver.events[-1]
    assert isinstance(end, TurnFailed)
    assert (end.reason, end.detail, end.partial_text) == ("cut_off", "busy (tried 5 times)", "I wi")


def test_a_success_gives_all_tries_back(driver: TurnDriver) -> None:
    driver.send(fault())
    driver.send(RetryDelayElapsed(request_number=1))
    driver.reply(make_tool_use("c1", READ_TOOL))
    driver.allow("c1")
    driver.succeed("c1")
    driver.send(fault(3))

    (_, again) = [each for each in driver.events if isinstance(each, ModelRetrying)]
    assert again.attempt == 1


def test_a_cancel_ends_a_wait_and_the_turn_with_it(driver: TurnDriver) -> None:
    driver.send(fault(partial_text="I wi"))
    assert CancelModelRequest() in driver.send(CancelTurn(turn=1))
    driver.send(RetryDelayElapsed(request_number=1))

    assert driver.events[-1] == TurnInterrupted(turn=1, partial_text="I wi")
    assert driver.get_effects(SendModelRequest) == [SendModelRequest(1)]
    assert driver.send(RetryDelayElapsed(request_number=1)) == ()


def test_each_request_that_failed_counts(driver: TurnDriver) -> None:
    driver.send(fault(usage=Usage(requests=1, input_tokens=9)))
    driver.send(RetryDelayElapsed(request_number=1))
    driver.reply(TextBlock(text="done"))

    total = USAGE + Usage(requests=1, input_tokens=9)
    (usage,) = [each for each in driver.events if isinstance(each, UsageChanged)]
    assert (usage.context_tokens, usage.total_usage) == (5, total)


def test_calls_that_are_no_json_are_told_the_model_twice_then_the_turn_fails() -> None:
    driver = TurnDriver()
    driver.start_turn(broken(0))
    for number in range(1, MAX_MALFORMED_REPLIES + 1):
        driver.send(make_tool_failed(f"c{number - 1}", "rejected"))
        driver.reply(broken(number))

    end = driver.events[-1]
    assert isinstance(end, TurnFailed)
    assert end.reason == "protocol"
    assert [status for _, status, _ in driver.results] == ["error"] * (MAX_MALFORMED_REPLIES + 1)


def broken(number: int) -> ToolUseBlock:
    return make_tool_use(f"c{number}", READ_TOOL).model_copy(update={"input_error": "cut"})


# Limits.


def test_the_last_reply_that_is_allowed_may_act_and_then_the_turn_ends() -> None:
    driver = TurnDriver(make_state(limits=Limits(turns=1)))
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    driver.allow("c1")
    driver.succeed("c1")

    end = driver.events[-1]
    assert isinstance(end, TurnFailed)
    assert (end.reason, driver.run_calls) == ("max_turns", ["c1"])
    driver.start_turn(TextBlock(text="done"))
    assert driver.state.stage is TurnStage.IDLE


def test_tokens_are_counted_over_all_prompts() -> None:
    driver = TurnDriver(make_state(limits=Limits(tokens=6)))
    driver.start_turn(TextBlock(text="one"))
    driver.start_turn(TextBlock(text="two"))
    driver.send(StartTurn(turn=3, text="three"))

    end = driver.events[-1]
    assert isinstance(end, TurnFailed)
    assert (end.reason, len(driver.get_effects(SendModelRequest))) == ("token_budget", 2)


def test_the_clock_stands_still_while_a_person_is_asked() -> None:
    driver = TurnDriver(make_state(limits=Limits(seconds=10)))
    driver.start_turn(make_tool_use("c1"))
    driver.request_approval("c1")
    assert driver.state.timer.is_pausing
    driver.send(TurnTimerStopped(turn=1, remaining_s=4))

    assert (driver.state.timer.is_running, driver.state.timer.remaining_s) == (False, 4)
    assert driver.state.stage is TurnStage.ACTING


def test_when_the_time_is_up_what_runs_is_stopped_and_told_why() -> None:
    driver = TurnDriver(make_state(limits=Limits(seconds=10)))
    driver.start_turn(make_tool_use("c1"), make_tool_use("c2"))
    driver.send(TurnTimerStopped(turn=1, remaining_s=0))

    assert [text for _, _, text in driver.results] == [TIMED_OUT_BEFORE_RUN]
    driver.send(make_tool_failed("c1", "cancelled"))
    end = driver.events[-1]
    assert isinstance(end, TurnFailed)
    assert end.reason == "time_limit"
    assert [text for _, _, text in driver.results] == [TIMED_OUT_BEFORE_RUN, TIMED_OUT_BEFORE_RUN]


# The model.


def test_another_model_is_asked_from_the_next_request_on_and_recorded(driver: TurnDriver) -> None:
    driver.send(SetModel(model="big"))
    assert ModelChanged(model="big") in driver.records
    assert driver.state.model == "big"
    assert driver.send(SetModel(model="big")) == ()


def test_figures_of_another_model_do_not_count(driver: TurnDriver) -> None:
    driver.send(ModelLimitsFound(model="small", max_context_tokens=10, max_output_tokens=5))
    driver.reply(TextBlock(text="done"))

    (usage,) = [each for each in driver.events if isinstance(each, UsageChanged)]
    assert usage.context_window_tokens == 200_000


def test_what_a_model_takes_is_asked_once_and_only_when_half_of_it_is_full() -> None:
    driver = TurnDriver()
    driver.start_turn(TextBlock(text="small"))
    driver.start_turn(TextBlock(text="still small"))
    assert driver.get_effects(LookUpLimits) == []
    many = Usage(input_tokens=99_000, output_tokens=1_000, requests=1)
    driver.send(StartTurn(turn=3, text="much"))
    driver.send(
        make_reply(driver.state.request_number, TextBlock(text="much")).model_copy(
            update={"usage": many}
        )
    )
    driver.start_turn(TextBlock(text="more"))
    driver.start_turn(TextBlock(text="more"))

    assert driver.get_effects(LookUpLimits) == [LookUpLimits("m")]
    driver.send(ModelLimitsFound(model="m", max_context_tokens=150_000, max_output_tokens=900))
    usage = driver.events[-1]
    assert isinstance(usage, UsageChanged)
    assert usage.context_window_tokens == 150_000
