"""How a turn handles the model: replies with calls, replies that end the turn, failed requests."""

from dataclasses import replace
from typing import assert_never

from actors.agents.turn import call_lifecycle, compaction, concurrency_slot, limit_pause
from actors.agents.turn.call_completion import continue_turn, record_result, start_ready_calls
from actors.agents.turn.effects import LookUpLimits, ScheduleRetry, SendModelRequest
from actors.agents.turn.limits import count_tokens
from actors.agents.turn.retry import RetryState, get_backoff, get_retry_delay_s
from actors.agents.turn.self_messages import ModelFailed, ModelReplied, RetryDelayElapsed
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import CallStage, TurnStage, build_call
from messages.content import ToolUseBlock, Usage, join_text
from messages.model_limits import ModelLimitsFound
from messages.turns import (
    ModelRetrying,
    ReplyCompleted,
    RequestInfo,
    TurnCompleted,
    TurnFailureReason,
)

MAX_CALLS_PER_REPLY = 128
MAX_MALFORMED_REPLIES = 2
"""Consecutive replies that may have too many calls, or calls whose arguments are not valid JSON."""
TOO_MANY_CALLS = (
    "Not run: the reply has {count:,} tool calls, and at most {limit} may be in one reply. Send "
    "the calls again in several replies."
)
INCOMPLETE_CALL = "Not run: the reply ended early ({reason}), so this call may be incomplete."
MALFORMED_CALLS = (
    "{count} consecutive replies of the model had too many tool calls, or arguments that were not "
    "valid JSON"
)
WINDOW_EXCEEDED = "the conversation fills the model's context window"
STOP_REASON_FAILURES: dict[str, tuple[TurnFailureReason, str]] = {
    "max_tokens": (
        "max_tokens",
        "the reply reached the output token limit; send 'continue' to continue",
    ),
    "refusal": ("refusal", "the model declined to answer; rephrase the prompt"),
    "pause_turn": (
        "unexpected_stop_reason",
        "the model paused its turn; send 'continue' to continue",
    ),
    "tool_use": ("protocol_error", "the model announced a tool call but sent none"),
    "end_turn": ("protocol_error", "the model ended its turn but also called tools"),
}


ModelInput = ModelReplied | ModelFailed | ModelLimitsFound | RetryDelayElapsed
"""What the jobs of model requests report."""


def handle(step: Transition, message: ModelInput) -> None:
    """Handle one message about the model."""
    match message:
        case ModelReplied():
            on_model_replied(step, message)
        case ModelFailed():
            on_model_failed(step, message)
        case ModelLimitsFound():
            on_limits_found(step, message)
        case RetryDelayElapsed():
            on_retry_delay_elapsed(step, message)
        case _:
            assert_never(message)


def request_reply(step: Transition) -> None:
    """Send the conversation to the model unless a limit is reached; all of it is on disk.

    A subagent's own limit of requests ends its task; the agent that started it decides.
    """
    turn = step.state.turn
    reached, stopped = limit_pause.find_reached(step.state), step.state.pause.stopped
    if reached and reached.reason == "max_turns" and not limit_pause.asks_user(step.state):
        stopped = reached
    if stopped is not None:
        step.fail_turn(stopped.reason, stopped.detail, turn.retry.partial_text)
        return
    if reached is not None or step.state.pause.is_paused:
        limit_pause.pause_turn(step, reached)
        return
    if not concurrency_slot.ensure_slot(step):
        return
    if compaction.must_wait(step):
        step.update_turn(stage=TurnStage.COMPACTING)
        return
    step.update_turn(stage=TurnStage.THINKING, request_number=turn.request_number + 1, calls=())
    step.emit(SendModelRequest(turn.request_number + 1))
    _look_up_limits(step)


def on_model_replied(step: Transition, reply: ModelReplied) -> None:
    """Record a complete reply, then run its calls or end the turn."""
    turn = step.state.turn
    if turn.stage is not TurnStage.THINKING or reply.request_number != turn.request_number:
        return
    if reply.stop_reason == "model_context_window_exceeded":
        on_model_failed(step, _to_overflow(reply))
        return
    _add_usage(step, reply.usage)
    step.update(
        totals=step.state.totals.with_reply(reply.usage),
        compaction=step.state.compaction.with_reply(count_tokens(reply.usage)),
    )
    step.update_turn(retry=RetryState())
    tool_uses = [block for block in reply.content if isinstance(block, ToolUseBlock)]
    problem = _find_problem(tool_uses)
    if problem:
        step.update_turn(failed_request=_with_usage(reply.request, reply.usage))
        step.fail_turn("protocol_error", problem, join_text(reply.content))
        return
    completed = ReplyCompleted(
        turn=turn.number,
        content=reply.content,
        stop_reason=reply.stop_reason,
        usage=reply.usage,
        model=reply.model,
        request=reply.request,
        task_number=turn.task_number,
    )
    step.write(completed)
    step.publish(completed)
    step.publish(compaction.build_usage_changed(step.state.totals, step.state.model))
    compaction.report_stop(step)
    if tool_uses or not step.state.prompts.one_shot:  # otherwise no request follows
        compaction.start_if_due(step)
    if tool_uses:
        _start_acting(step, tool_uses, reply.stop_reason)
    else:
        complete_turn(step, reply)


def complete_turn(step: Transition, reply: ModelReplied | ReplyCompleted) -> None:
    """End the turn with a reply that calls no tool."""
    turn = step.state.turn
    if turn.is_stopping:
        step.interrupt_turn()
    elif reply.stop_reason in ("end_turn", "stop_sequence"):
        completed = TurnCompleted(
            turn=turn.number,
            text=join_text(reply.content),
            stop_reason=reply.stop_reason,
            usage=turn.usage,
            task_number=turn.task_number,
        )
        step.end_turn(completed)
    else:
        step.fail_turn(*_get_stop_failure(reply.stop_reason))


def close_incomplete_calls(step: Transition, stop_reason: str) -> None:
    """End calls that may be incomplete: even valid JSON does not prove that nothing is missing."""
    for call in step.state.turn.calls:
        if call.stage is not CallStage.DONE:
            record_result(step, call, "error", INCOMPLETE_CALL.format(reason=stop_reason))
    if stop_reason == "max_tokens":  # the model can continue with a shorter reply
        continue_turn(step)
    else:
        step.fail_turn(*_get_stop_failure(stop_reason))


def on_model_failed(step: Transition, failed: ModelFailed) -> None:
    """Retry after a delay or end the turn; no part of the reply has acted."""
    turn = step.state.turn
    if turn.stage is not TurnStage.THINKING or failed.request_number != turn.request_number:
        return
    _add_usage(step, failed.usage)
    if not turn.is_stopping and compaction.start_after_overflow(step, failed):
        return
    retry = turn.retry.with_failure(failed)
    delay_s = (
        None
        if turn.is_stopping
        else get_retry_delay_s(failed, turn.retry, step.state.identity.jitter_seed)
    )
    if delay_s is not None:
        _schedule_retry(step, failed, retry, delay_s)
        return
    step.update_turn(failed_request=_with_usage(failed.request, failed.usage))
    attempts = f" (tried {retry.failed_attempts} times)" if retry.failed_attempts > 1 else ""
    step.fail_turn(failed.reason, failed.detail + attempts, retry.partial_text)


def on_retry_delay_elapsed(step: Transition, message: RetryDelayElapsed) -> None:
    """Send the request again once all records are on disk."""
    turn = step.state.turn
    if turn.stage is not TurnStage.RETRYING or message.request_number != turn.request_number:
        return
    if turn.is_stopping:
        step.interrupt_turn(turn.retry.partial_text)
    else:
        step.update_turn(stage=TurnStage.RECORDING_RESULTS)


def on_limits_found(step: Transition, message: ModelLimitsFound) -> None:
    """Use the limits that the server reports for its model."""
    step.update(model=replace(step.state.model, found_limits=message))
    if step.state.totals.context_tokens:
        compaction.start_if_due(step)
        step.publish(compaction.build_usage_changed(step.state.totals, step.state.model))


def _look_up_limits(step: Transition) -> None:
    """Look up the model's limits once, in parallel with the request, when they start to matter."""
    model = step.state.model
    if model.must_look_up_limits(step.state.totals.context_tokens):
        step.update(model=replace(model, limits_requested_for=model.name))
        step.emit(LookUpLimits(model.name))


def _add_usage(step: Transition, usage: Usage) -> None:
    step.update_turn(usage=step.state.turn.usage + usage)
    step.update(totals=step.state.totals.with_own(usage))


def _with_usage(request: RequestInfo, usage: Usage) -> RequestInfo:
    return request.model_copy(update={"usage": usage})


def _schedule_retry(
    step: Transition, failed: ModelFailed, retry: RetryState, delay_s: float
) -> None:
    step.update_turn(stage=TurnStage.RETRYING, retry=retry)
    retrying = ModelRetrying(
        turn=step.state.turn.number,
        attempt=retry.count_attempts(failed.reason),
        max_attempts=get_backoff(failed.reason).max_retries,
        wait_s=delay_s,
        reason=failed.reason,
        detail=failed.detail,
        partial_text=failed.partial_text,
        usage=failed.usage,
        request=failed.request,
    )
    step.write(retrying)
    step.publish(retrying)
    step.emit(ScheduleRetry(failed.request_number, delay_s))


def _to_overflow(reply: ModelReplied) -> ModelFailed:
    """Return the failure of a request whose reply had no room left; the reply is discarded."""
    return ModelFailed(
        request=reply.request,
        reason="context_too_long",
        detail=WINDOW_EXCEEDED,
        partial_text=join_text(reply.content),
        usage=reply.usage,
    )


def _find_problem(tool_uses: list[ToolUseBlock]) -> str:
    # A result names its call only by this id.
    if len({tool_use.id for tool_use in tool_uses}) < len(tool_uses):
        return "two tool calls of one reply have the same id; none was run"
    return ""


def _start_acting(step: Transition, tool_uses: list[ToolUseBlock], stop_reason: str) -> None:
    calls = tuple(build_call(tool_use, step.state.identity) for tool_use in tool_uses)
    has_too_many = len(tool_uses) > MAX_CALLS_PER_REPLY
    is_malformed = has_too_many or any(tool_use.input_error for tool_use in tool_uses)
    malformed_replies = step.state.turn.malformed_replies + 1 if is_malformed else 0
    step.update_turn(stage=TurnStage.ACTING, calls=calls, malformed_replies=malformed_replies)
    if step.state.turn.is_stopping:
        call_lifecycle.cancel_calls(step)
    elif stop_reason != "tool_use":
        close_incomplete_calls(step, stop_reason)
    elif malformed_replies > MAX_MALFORMED_REPLIES:
        _fail_malformed(step, malformed_replies)
    elif has_too_many:
        _reject_calls(step)
    else:
        start_ready_calls(step)


def _reject_calls(step: Transition) -> None:
    """Run none of too many calls; the model can send fewer."""
    calls = step.state.turn.calls
    text = TOO_MANY_CALLS.format(count=len(calls), limit=MAX_CALLS_PER_REPLY)
    for call in calls:
        record_result(step, call, "error", text)
    continue_turn(step)


def _fail_malformed(step: Transition, malformed_replies: int) -> None:
    """End the turn of a model that keeps sending invalid arguments; none of its calls runs."""
    problem = MALFORMED_CALLS.format(count=malformed_replies)
    for call in step.state.turn.calls:
        record_result(step, call, "error", f"Not run: {problem}.")
    step.fail_turn("protocol_error", f"{problem}; send the prompt again")


def _get_stop_failure(stop_reason: str) -> tuple[TurnFailureReason, str]:
    unknown = f"the model stopped for an unknown reason: {stop_reason}"
    return STOP_REASON_FAILURES.get(stop_reason, ("unexpected_stop_reason", unknown))
