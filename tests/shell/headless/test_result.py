"""The result of a headless run: its text, exit status and usage."""

import pytest

from messages.base import Message
from messages.content import Usage
from messages.turns import (
    ModelRetrying,
    PersistenceChanged,
    TextDelta,
    ToolEnded,
    TurnFailed,
    TurnFailureReason,
    TurnInterrupted,
)
from shell.headless.event_queue import RunEnded
from shell.headless.result import UNSAVED_ERROR, ResultBuilder, affects_result
from tests.shell import sample_events

pytestmark = pytest.mark.quick

ONE_REQUEST = Usage(input_tokens=5, output_tokens=1, requests=1)
RETRYING = ModelRetrying(
    turn=1,
    attempt=1,
    max_attempts=5,
    wait_s=1,
    reason="overloaded",
    detail="busy",
    usage=ONE_REQUEST,
)


def turn_failed(reason: TurnFailureReason, partial: str = "") -> TurnFailed:
    usage = ONE_REQUEST + ONE_REQUEST + sample_events.reply_completed("x").usage
    return TurnFailed(turn=1, reason=reason, detail="why", partial_text=partial, usage=usage)


def test_the_usage_of_a_turn_includes_its_failed_requests() -> None:
    builder = (
        ResultBuilder()
        .with_event(RETRYING, "/primary")
        .with_event(sample_events.reply_completed("So."), "/primary")
    )
    assert builder.build(1.0).usage == ONE_REQUEST + sample_events.reply_completed("So.").usage
    assert (
        builder.with_event(turn_failed("stream_interrupted"), "/primary").build(1.0).usage.requests
        == 3
    )


@pytest.mark.parametrize(
    ("reason", "status", "stop_reason"),
    [
        ("max_turns", 3, "max_turns"),
        ("time_limit", 3, "time_limit"),
        ("token_budget", 3, "token_budget"),
        ("stream_interrupted", 1, None),
    ],
)
def test_a_limit_has_its_own_exit_status_and_stop_reason(
    reason: TurnFailureReason, status: int, stop_reason: str | None
) -> None:
    builder = (
        ResultBuilder()
        .with_event(sample_events.reply_completed("Said."), "/primary")
        .with_event(turn_failed(reason), "/primary")
    )
    result = builder.build(1.0)
    assert (result.status, result.stop_reason, result.result) == (status, stop_reason, "Said.")
    assert result.error == "why"


def test_partial_text_is_preferred_to_an_earlier_reply() -> None:
    builder = (
        ResultBuilder()
        .with_event(sample_events.reply_completed("Said."), "/primary")
        .with_event(turn_failed("stream_interrupted", "I wi"), "/p")
    )
    assert builder.build(1.0).result == "I wi"


def test_an_interrupted_run_is_an_error() -> None:
    result = ResultBuilder().with_event(TurnInterrupted(turn=1), "/primary").build(1.0)
    assert (result.status, result.error) == (1, "interrupted")


def test_a_run_that_could_not_be_saved_is_an_error() -> None:
    failing = PersistenceChanged(state="failing", detail="full")
    builder = (
        ResultBuilder()
        .with_event(failing, "/primary")
        .with_event(sample_events.turn_completed(), "/primary")
    )
    assert builder.build(1.0).status == 1
    assert builder.build(1.0).error == UNSAVED_ERROR.format(detail="full")

    result = builder.with_event(PersistenceChanged(state="ok"), "/primary").build(1.0)
    assert (result.status, result.error) == (0, None)


UNASKED = ToolEnded(
    turn=1, call_id="c", tool="bash", title="x", status="denied", text="no", no_user=True
)
DENIED_BY_RULE = UNASKED.model_copy(update={"no_user": False})
COMPLETED, FAILED = sample_events.turn_completed(), turn_failed("stream_interrupted")
LIMITED, UNSAVED = turn_failed("max_turns"), PersistenceChanged(state="failing", detail="full")


@pytest.mark.parametrize(
    ("events", "status", "subtype"),
    [
        ((DENIED_BY_RULE, COMPLETED), 0, "success"),
        ((UNASKED, COMPLETED), 5, "denied"),
        ((UNASKED, LIMITED), 3, "error"),
        ((UNASKED, FAILED), 1, "error"),
        ((UNASKED, UNSAVED, COMPLETED), 1, "error"),
        ((UNSAVED, LIMITED), 1, "error"),
    ],
)
def test_the_first_exit_status_that_applies_wins(
    events: tuple[Message, ...], status: int, subtype: str
) -> None:
    builder = ResultBuilder()
    for event in events:
        builder = builder.with_event(event, "/primary")
    result = builder.build(1.0)
    assert (result.status, result.subtype) == (status, subtype)
    assert "status" not in result.model_dump()
    signaled = builder.build(1.0, RunEnded(143, "terminated"))
    assert (signaled.status, signaled.subtype, signaled.error) == (143, "error", "terminated")


@pytest.mark.parametrize("source", ["/primary", "/primary/explore-1"])
def test_denials_are_a_success_if_they_are_allowed(source: str) -> None:
    builder = ResultBuilder().with_event(UNASKED, source).with_event(COMPLETED, "/primary")
    assert (builder.build(1.0).status, builder.build(1.0).error) == (5, None)
    result = builder.build(1.0, allow_denials=True)
    assert (result.status, result.subtype, len(result.denials)) == (0, "success", 1)


@pytest.mark.parametrize("source", ["/primary", "/primary/explore-1"])
def test_only_some_events_affect_the_result(source: str) -> None:
    ended = ToolEnded(turn=1, call_id="c", tool="bash", title="bash x", status="ok", text="x")
    assert affects_result(ended.model_copy(update={"status": "denied"}), source)
    assert affects_result(sample_events.reply_completed("So."), source)
    assert affects_result(RETRYING, source)
    assert affects_result(PersistenceChanged(state="failing", detail="full"), source)
    assert not affects_result(ended, source)
    assert not affects_result(TextDelta(text="So."), source)
    assert affects_result(sample_events.turn_completed(), source) == (source == "/primary")
