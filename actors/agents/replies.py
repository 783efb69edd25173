"""What a turn makes of the model: a reply that acts, one that ends it, a request that failed."""

from dataclasses import replace

from actors.agents import calls, places
from actors.agents.effects import LookUpLimits, ScheduleRetry, SendModelRequest
from actors.agents.limits import reached, tokens_of
from actors.agents.retry import RetryState, backoff_for, wait_before_s
from actors.agents.settling import close, proceed, start_ready
from actors.agents.state import AgentState, CallStage, ToolCall, TurnStage
from actors.agents.step import Transition
from actors.models.names import limits_of
from messages.content import ToolUseBlock, Usage, text_of
from messages.models import ModelFailed, ModelLimitsFound, ModelReplied, RetryDelayElapsed
from messages.turns import (
    ModelRetrying,
    ReplyCompleted,
    TurnCompleted,
    TurnFailureReason,
    UsageChanged,
)

MAX_CALLS = 128
"""Tool calls of one reply."""
MAX_MALFORMED = 2
"""So many replies in a row may have calls whose arguments are not JSON."""
CUT_OFF = "Not run: the reply ended ({reason}) before this call was known to be complete."
MALFORMED = "the model's tool calls are not JSON, {count} replies in a row; send the prompt again"
STOPPED: dict[str, tuple[TurnFailureReason, str]] = {
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


def ask(step: Transition) -> None:
    """Send the whole conversation, unless a limit is reached; all of it is on disk."""
    turn = step.turn
    if turn.over:
        step.fail("token_budget", turn.over, turn.tries.partial)
        return
    if not places.has(step):
        return
    limit = reached(turn.account)
    if limit is not None:
        step.fail(limit.reason, limit.detail, turn.tries.partial)
        return
    step.set(stage=TurnStage.THINKING, request=turn.request + 1, calls=())
    step.do(SendModelRequest(step.turn.request))
    _measure(step)


def replied(step: Transition, reply: ModelReplied) -> None:
    """Take a whole reply: record it, then act or end."""
    turn = step.turn
    if turn.stage is not TurnStage.THINKING or reply.request != turn.request:
        return
    _count(step, reply.usage)
    account = replace(
        step.turn.account,
        reply_count=turn.account.reply_count + 1,
        context_tokens=tokens_of(reply.usage),
    )
    step.set(account=account, tries=RetryState())
    uses = [block for block in reply.content if isinstance(block, ToolUseBlock)]
    problem = _problem(uses)
    if problem:
        step.fail("protocol", problem, text_of(reply.content))
        return
    completed = ReplyCompleted(
        turn=turn.number,
        content=reply.content,
        stop_reason=reply.stop_reason,
        usage=reply.usage,
        model=reply.model,
    )
    step.write(completed)
    step.report(completed)
    step.report(usage_of(step.turn))
    if uses:
        _act(step, uses, reply.stop_reason)
    else:
        conclude(step, reply)


def conclude(step: Transition, reply: ModelReplied | ReplyCompleted) -> None:
    """End with a reply that calls nothing."""
    turn = step.turn
    if turn.stopping:
        step.interrupt()
    elif reply.stop_reason in ("end_turn", "stop_sequence"):
        completed = TurnCompleted(
            turn=turn.number,
            text=text_of(reply.content),
            stop_reason=reply.stop_reason,
            usage=turn.usage,
        )
        step.close(completed)
    else:
        step.fail(*_stopped(reply.stop_reason))


def cut_off(step: Transition, stop_reason: str) -> None:
    """Answer calls that are not known to be complete; whole JSON is no proof that all was said."""
    for call in step.turn.calls:
        if call.stage is not CallStage.DONE:
            close(step, call, "error", CUT_OFF.format(reason=stop_reason))
    if stop_reason == "max_tokens":
        proceed(step)
    else:
        step.fail(*_stopped(stop_reason))


def model_failed(step: Transition, failed: ModelFailed) -> None:
    """Wait and try again, or end; no part of the reply has acted."""
    turn = step.turn
    if turn.stage is not TurnStage.THINKING or failed.request != turn.request:
        return
    _count(step, failed.usage)
    tries = RetryState(turn.tries.failed + 1, failed.partial or turn.tries.partial)
    wait_s = None if turn.stopping else wait_before_s(failed, turn.tries.failed, turn.seed)
    if wait_s is not None:
        _wait(step, failed, tries, wait_s)
        return
    tried = f" (tried {tries.failed} times)" if tries.failed > 1 else ""
    step.fail(failed.reason, failed.detail + tried, tries.partial)


def waited(step: Transition, message: RetryDelayElapsed) -> None:
    """Ask again, once all is on disk."""
    turn = step.turn
    if turn.stage is not TurnStage.WAITING or message.request != turn.request:
        return
    if turn.stopping:
        step.interrupt(turn.tries.partial)
    else:
        step.set(stage=TurnStage.SETTLING)


def measured(step: Transition, message: ModelLimitsFound) -> None:
    """Go by what the server says of its model."""
    step.set(measured=message)
    if step.turn.account.context_tokens:
        step.report(usage_of(step.turn))


def usage_of(turn: AgentState) -> UsageChanged:
    """Tell how full the conversation is, and what was used."""
    return UsageChanged(
        context_tokens=turn.account.context_tokens,
        window_tokens=measure_of(turn).context_tokens,
        total=turn.account.total,
    )


def measure_of(turn: AgentState) -> ModelLimitsFound:
    """What the model takes and gives, as far as it is known."""
    known = turn.measured
    return known if known and known.model == turn.model else limits_of(turn.model)


def _measure(step: Transition) -> None:
    """Ask the server what the model takes once it matters, beside the request and only once.

    Until half of what we believe is full, our own figures do; not every server has an answer.
    """
    turn = step.turn
    half_full = 2 * turn.account.context_tokens >= measure_of(turn).context_tokens
    if half_full and turn.asked_about != turn.model:
        step.set(asked_about=turn.model)
        step.do(LookUpLimits(turn.model))


def _count(step: Transition, usage: Usage) -> None:
    turn = step.turn
    account = replace(turn.account, spent=turn.account.spent + usage)
    step.set(usage=turn.usage + usage, account=account)


def _wait(step: Transition, failed: ModelFailed, tries: RetryState, wait_s: float) -> None:
    step.set(stage=TurnStage.WAITING, tries=tries)
    retrying = ModelRetrying(
        turn=step.turn.number,
        attempt=tries.failed,
        of=backoff_for(failed.reason).retries,
        wait_s=wait_s,
        reason=failed.reason,
        detail=failed.detail,
        partial=failed.partial,
        usage=failed.usage,
    )
    step.write(retrying)
    step.report(retrying)
    step.do(ScheduleRetry(failed.request, wait_s))


def _problem(uses: list[ToolUseBlock]) -> str:
    if len({use.id for use in uses}) < len(uses):
        return "two tool calls of one reply have the same id; none was run"
    if len(uses) > MAX_CALLS:
        return f"one reply has {len(uses)} tool calls, more than {MAX_CALLS}; none was run"
    return ""


def _act(step: Transition, uses: list[ToolUseBlock], stop_reason: str) -> None:
    new = tuple(ToolCall(use, changes=use.name not in step.turn.reading) for use in uses)
    malformed = step.turn.malformed + 1 if any(use.malformed for use in uses) else 0
    step.set(stage=TurnStage.ACTING, calls=new, malformed=malformed)
    if step.turn.stopping:
        calls.cancel(step)
    elif stop_reason != "tool_use":
        cut_off(step, stop_reason)
    elif malformed > MAX_MALFORMED:
        _give_up(step, malformed)
    else:
        start_ready(step)


def _give_up(step: Transition, malformed: int) -> None:
    """End with a model that cannot say what it wants; nothing of its reply runs."""
    said = MALFORMED.format(count=malformed)
    for call in step.turn.calls:
        close(step, call, "error", f"Not run: {said}.")
    step.fail("protocol", said)


def _stopped(stop_reason: str) -> tuple[TurnFailureReason, str]:
    unknown = f"the model stopped for a reason we do not know: {stop_reason}"
    return STOPPED.get(stop_reason, ("stop_reason", unknown))
