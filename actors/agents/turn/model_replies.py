"""What a turn makes of the model: a reply that acts, one that ends it, a request that failed."""

from dataclasses import replace

from actors.agents.turn import call_lifecycle, slots
from actors.agents.turn.agent_state import AgentState, CallStage, ToolCall, TurnStage
from actors.agents.turn.call_completion import continue_turn, record_result, start_ready_calls
from actors.agents.turn.effects import LookUpLimits, ScheduleRetry, SendModelRequest
from actors.agents.turn.limits import count_tokens, find_reached_limit
from actors.agents.turn.retry import RetryState, get_backoff, get_retry_delay_s
from actors.agents.turn.self_messages import ModelFailed, ModelReplied, RetryDelayElapsed
from actors.agents.turn.transition import Transition
from actors.models.model_names import get_default_limits
from messages.content import ToolUseBlock, Usage, join_text
from messages.model_events import ModelLimitsFound
from messages.turns import (
    ModelRetrying,
    ReplyCompleted,
    TurnCompleted,
    TurnFailureReason,
    UsageChanged,
)

MAX_CALLS_PER_REPLY = 128
"""Tool calls of one reply."""
MAX_MALFORMED_REPLIES = 2
"""So many replies in a row may have calls whose arguments are not JSON."""
INCOMPLETE_CALL = "Not run: the reply ended ({reason}) before this call was known to be complete."
MALFORMED_CALLS = (
    "the model's tool calls are not JSON, {count} replies in a row; send the prompt again"
)
STOP_REASON_FAILURES: dict[str, tuple[TurnFailureReason, str]] = {
    "max_tokens": ("max_tokens", "the reply reached the output limit; say 'go on' to continue"),
    "model_context_window_exceeded": (
        "too_long",
        "the conversation has filled the model's context window; start a new session (/clear)",
    ),
    "refusal": ("refusal", "the model declined to answer; word the prompt in another way"),
    "pause_turn": ("stop_reason", "the model paused in its turn; say 'go on' to continue"),
    "tool_use": ("protocol", "the model announced a tool call and sent none"),
    "end_turn": ("protocol", "the model ended its turn and called tools all the same"),
}


def request_reply(step: Transition) -> None:
    """Send the whole conversation, unless a limit is reached; all of it is on disk."""
    turn = step.state
    if turn.budget_exhausted:
        step.fail_turn("token_budget", turn.budget_exhausted, turn.retry.partial_text)
        return
    if not slots.ensure_slot(step):
        return
    limit = find_reached_limit(turn.totals)
    if limit is not None:
        step.fail_turn(limit.reason, limit.detail, turn.retry.partial_text)
        return
    step.update(stage=TurnStage.THINKING, request_number=turn.request_number + 1, calls=())
    step.emit(SendModelRequest(step.state.request_number))
    _measure(step)


def on_model_replied(step: Transition, reply: ModelReplied) -> None:
    """Take a whole reply: record it, then act or end."""
    turn = step.state
    if turn.stage is not TurnStage.THINKING or reply.request_number != turn.request_number:
        return
    _count(step, reply.usage)
    account = replace(
        step.state.totals,
        reply_count=turn.totals.reply_count + 1,
        context_tokens=count_tokens(reply.usage),
    )
    step.update(totals=account, retry=RetryState())
    uses = [block for block in reply.content if isinstance(block, ToolUseBlock)]
    problem = _problem(uses)
    if problem:
        step.fail_turn("protocol", problem, join_text(reply.content))
        return
    completed = ReplyCompleted(
        turn=turn.turn_number,
        content=reply.content,
        stop_reason=reply.stop_reason,
        usage=reply.usage,
        model=reply.model,
    )
    step.write(completed)
    step.publish(completed)
    step.publish(build_usage_changed(step.state))
    if uses:
        _act(step, uses, reply.stop_reason)
    else:
        complete_turn(step, reply)


def complete_turn(step: Transition, reply: ModelReplied | ReplyCompleted) -> None:
    """End with a reply that calls nothing."""
    turn = step.state
    if turn.is_stopping:
        step.interrupt_turn()
    elif reply.stop_reason in ("end_turn", "stop_sequence"):
        completed = TurnCompleted(
            turn=turn.turn_number,
            text=join_text(reply.content),
            stop_reason=reply.stop_reason,
            usage=turn.usage,
        )
        step.end_turn(completed)
    else:
        step.fail_turn(*_stopped(reply.stop_reason))


def close_incomplete_calls(step: Transition, stop_reason: str) -> None:
    """Answer calls that are not known to be complete; whole JSON is no proof that all was said."""
    for call in step.state.calls:
        if call.stage is not CallStage.DONE:
            record_result(step, call, "error", INCOMPLETE_CALL.format(reason=stop_reason))
    if stop_reason == "max_tokens":
        continue_turn(step)
    else:
        step.fail_turn(*_stopped(stop_reason))


def on_model_failed(step: Transition, failed: ModelFailed) -> None:
    """Wait and try again, or end; no part of the reply has acted."""
    turn = step.state
    if turn.stage is not TurnStage.THINKING or failed.request_number != turn.request_number:
        return
    _count(step, failed.usage)
    tries = RetryState(
        turn.retry.failed_attempts + 1, failed.partial_text or turn.retry.partial_text
    )
    wait_s = (
        None
        if turn.is_stopping
        else get_retry_delay_s(failed, turn.retry.failed_attempts, turn.jitter_seed)
    )
    if wait_s is not None:
        _wait(step, failed, tries, wait_s)
        return
    tried = f" (tried {tries.failed_attempts} times)" if tries.failed_attempts > 1 else ""
    step.fail_turn(failed.reason, failed.detail + tried, tries.partial_text)


def on_retry_delay_elapsed(step: Transition, message: RetryDelayElapsed) -> None:
    """Ask again, once all is on disk."""
    turn = step.state
    if turn.stage is not TurnStage.RETRYING or message.request_number != turn.request_number:
        return
    if turn.is_stopping:
        step.interrupt_turn(turn.retry.partial_text)
    else:
        step.update(stage=TurnStage.RECORDING_RESULTS)


def on_limits_found(step: Transition, message: ModelLimitsFound) -> None:
    """Go by what the server says of its model."""
    step.update(model_limits=message)
    if step.state.totals.context_tokens:
        step.publish(build_usage_changed(step.state))


def build_usage_changed(turn: AgentState) -> UsageChanged:
    """Tell how full the conversation is, and what was used."""
    return UsageChanged(
        context_tokens=turn.totals.context_tokens,
        context_window_tokens=get_model_limits(turn).max_context_tokens,
        total_usage=turn.totals.total,
    )


def get_model_limits(turn: AgentState) -> ModelLimitsFound:
    """What the model takes and gives, as far as it is known."""
    known = turn.model_limits
    return known if known and known.model == turn.model else get_default_limits(turn.model)


def _measure(step: Transition) -> None:
    """Ask the server what the model takes once it matters, beside the request and only once.

    Until half of what we believe is full, our own figures do; not every server has an answer.
    """
    turn = step.state
    half_full = 2 * turn.totals.context_tokens >= get_model_limits(turn).max_context_tokens
    if half_full and turn.limits_requested_for != turn.model:
        step.update(limits_requested_for=turn.model)
        step.emit(LookUpLimits(turn.model))


def _count(step: Transition, usage: Usage) -> None:
    turn = step.state
    account = replace(turn.totals, this_run=turn.totals.this_run + usage)
    step.update(usage=turn.usage + usage, totals=account)


def _wait(step: Transition, failed: ModelFailed, tries: RetryState, wait_s: float) -> None:
    step.update(stage=TurnStage.RETRYING, retry=tries)
    retrying = ModelRetrying(
        turn=step.state.turn_number,
        attempt=tries.failed_attempts,
        max_attempts=get_backoff(failed.reason).max_retries,
        wait_s=wait_s,
        reason=failed.reason,
        detail=failed.detail,
        partial_text=failed.partial_text,
        usage=failed.usage,
    )
    step.write(retrying)
    step.publish(retrying)
    step.emit(ScheduleRetry(failed.request_number, wait_s))


def _problem(uses: list[ToolUseBlock]) -> str:
    if len({use.id for use in uses}) < len(uses):
        return "two tool calls of one reply have the same id; none was run"
    if len(uses) > MAX_CALLS_PER_REPLY:
        return (
            f"one reply has {len(uses)} tool calls, more than {MAX_CALLS_PER_REPLY}; none was run"
        )
    return ""


def _act(step: Transition, uses: list[ToolUseBlock], stop_reason: str) -> None:
    new = tuple(
        ToolCall(use, is_changing=use.name not in step.state.read_only_tools) for use in uses
    )
    malformed = step.state.malformed_replies + 1 if any(use.input_error for use in uses) else 0
    step.update(stage=TurnStage.ACTING, calls=new, malformed_replies=malformed)
    if step.state.is_stopping:
        call_lifecycle.cancel_calls(step)
    elif stop_reason != "tool_use":
        close_incomplete_calls(step, stop_reason)
    elif malformed > MAX_MALFORMED_REPLIES:
        _give_up(step, malformed)
    else:
        start_ready_calls(step)


def _give_up(step: Transition, malformed: int) -> None:
    """End with a model that cannot say what it wants; nothing of its reply runs."""
    said = MALFORMED_CALLS.format(count=malformed)
    for call in step.state.calls:
        record_result(step, call, "error", f"Not run: {said}.")
    step.fail_turn("protocol", said)


def _stopped(stop_reason: str) -> tuple[TurnFailureReason, str]:
    unknown = f"the model stopped for a reason we do not know: {stop_reason}"
    return STOP_REASON_FAILURES.get(stop_reason, ("stop_reason", unknown))
