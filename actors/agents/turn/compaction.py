"""When a conversation is compacted, and what the turn does meanwhile.

A subagent writes the summary while the agent continues. Its replacement is recorded as soon as no
model request is running, so that each reply fits the conversation that its request contained. The
turn waits only if the conversation has no room left.
"""

from dataclasses import replace
from typing import assert_never

from actors.agents.turn.compaction_state import (
    MAX_LOW_GAINS,
    RunningCompaction,
    count_chars,
)
from actors.agents.turn.context_window import CHARS_PER_TOKEN, get_usable_tokens
from actors.agents.turn.effects import StartCompactor, StopChild, WriteRecord
from actors.agents.turn.limits import UsageTotals, find_token_limit
from actors.agents.turn.model_state import ModelState
from actors.agents.turn.retry import RetryState
from actors.agents.turn.self_messages import ModelFailed
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import TurnStage
from actors.agents.turn.with_changes import with_changes
from messages.address import Address
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.compaction import (
    Compacted,
    CompactionFailed,
    CompactionTrigger,
    StartCompaction,
    SummaryFailed,
    SummaryWritten,
)
from messages.subagents import SubagentEnded, SubagentStarted, SubagentStatus
from messages.turns import ModelRetrying, UsageChanged

COMPACT_AGENT = "compact"
MAX_OVERFLOWS = 4
"""Requests in a row that may be refused as too long, each after a compaction."""
TASK_NUMBER = 1
"""A compacting subagent has one task."""
DESCRIPTION = "Summarize the conversation"
ALREADY_RUNNING = "The conversation is already being compacted; /tasks shows it."
FAILED = "The conversation was not compacted: {detail}."
STOPPED = (
    f"Automatic compaction stops: the last {MAX_LOW_GAINS} compactions gained too little, because "
    "most of the context is needed again and again. /context shows what fills it. Use /compact to "
    "try again, /clear to start over, or /export to keep a copy."
)
PARENT_ENDED = "the agent ended"

CompactionInput = StartCompaction | SummaryWritten | SummaryFailed
"""What the user and the compacting subagent send."""


def handle(step: Transition, message: CompactionInput) -> None:
    """Handle one message about compaction."""
    match message:
        case StartCompaction():
            _on_start_requested(step, message)
        case SummaryWritten():
            _on_summary_written(step, message.compacted)
        case SummaryFailed():
            _on_summary_failed(step, message)
        case _:
            assert_never(message)


# Starting


def start_if_due(step: Transition) -> None:
    """Start a compaction in the background if the conversation fills most of the window."""
    state = step.state
    if estimate_tokens(step) >= state.compaction.settings.threshold * _get_usable(step):
        _start_automatic(step)


def must_wait(step: Transition) -> bool:
    """Return whether the next request must wait because the conversation has no room left.

    Without a compaction, it is sent anyway: the model may still accept it.
    """
    if estimate_tokens(step) < _get_usable(step):
        return False
    _start_automatic(step, must_succeed=True)
    return step.state.compaction.running is not None


def start_after_overflow(step: Transition, failed: ModelFailed) -> bool:
    """Compact, then send again a request that was too long; return whether that may help."""
    state = step.state.compaction
    if failed.reason != "context_too_long" or state.has_stopped:
        return False
    if state.overflow_count >= MAX_OVERFLOWS or not _may_send(step):
        return False
    retrying = ModelRetrying(
        turn=step.state.turn.number,
        attempt=state.overflow_count + 1,
        max_attempts=MAX_OVERFLOWS,
        wait_s=0,
        reason=failed.reason,
        detail=failed.detail,
        partial_text=failed.partial_text,
        usage=failed.usage,
        request=failed.request,
    )
    step.update(compaction=with_changes(state, overflow_count=state.overflow_count + 1))
    retry = step.state.turn.retry.with_failure(failed)
    step.update_turn(stage=TurnStage.COMPACTING, retry=RetryState(partial_text=retry.partial_text))
    step.write(retrying)
    step.publish(retrying)
    if state.running is None and state.ready is None:  # otherwise, that one may be enough
        _start(step, "overflow", must_succeed=True)
    return True


def estimate_tokens(step: Transition) -> int:
    """Return the size of the conversation: the model's last count, and what was added since."""
    added = step.state.compaction.added_chars // CHARS_PER_TOKEN
    return step.state.totals.context_tokens + added


def count_added(step: Transition) -> None:
    """Count what this transition adds to the conversation."""
    chars = sum(
        count_chars(effect.record) for effect in step.effects if isinstance(effect, WriteRecord)
    )
    if chars:
        state = step.state.compaction
        step.update(compaction=with_changes(state, added_chars=state.added_chars + chars))


def _on_start_requested(step: Transition, message: StartCompaction) -> None:
    state = step.state.compaction
    if state.running is not None or state.ready is not None:
        step.publish(CompactionFailed(trigger="user", detail=ALREADY_RUNNING))
    elif not _may_send(step):
        detail = FAILED.format(detail="the token budget is exhausted")
        step.publish(CompactionFailed(trigger="user", detail=detail))
    else:
        _start(step, "user", message.instructions)


def _start_automatic(step: Transition, *, must_succeed: bool = False) -> None:
    """Start a compaction unless one is running, or another one would not help now."""
    state = step.state.compaction
    # Before the next reply, it is not known what the last compaction gained.
    is_busy = state.running is not None or state.ready is not None or not state.has_reply
    is_futile = state.has_stopped or state.failed_turn == step.state.turn.number
    if not is_busy and not is_futile and _may_send(step):
        _start(step, "automatic", must_succeed=must_succeed)


def _start(
    step: Transition,
    trigger: CompactionTrigger,
    instructions: str = "",
    *,
    must_succeed: bool = False,
) -> None:
    number = step.state.compaction.last_number + 1
    parent = Address(step.state.identity.address)
    child = parent.child(f"{COMPACT_AGENT}-{number}")
    running = RunningCompaction(child, number, trigger)
    started = SubagentStarted(
        child=child,
        parent=parent,
        agent_type=COMPACT_AGENT,
        depth=len(parent.segments),
        task_number=TASK_NUMBER,
        turn=step.state.turn.number,
        call_id="",
        description=DESCRIPTION,
        model=step.state.compaction.settings.model or step.state.model.name,
    )
    step.update(compaction=step.state.compaction.with_running(running))
    step.write(started)
    step.publish(started)
    effect = StartCompactor(
        child,
        number,
        trigger,
        instructions,
        estimate_tokens(step),
        _get_usable(step),
        must_succeed,
    )
    step.emit(effect)


def _may_send(step: Transition) -> bool:
    """Return whether the token budget of the tree allows one more request."""
    pause = step.state.pause
    is_stopped = pause.is_paused or pause.stopped is not None
    return not is_stopped and find_token_limit(step.state.totals) is None


def _get_usable(step: Transition) -> int:
    return get_usable_tokens(step.state.model.limits)


# Ending


def reset(step: Transition) -> None:
    """Let automatic compaction start again, because another model may have a larger window."""
    step.update(compaction=with_changes(step.state.compaction, low_gain_count=0))


def report_stop(step: Transition) -> None:
    """Report, after a reply that shows what the last compaction gained, that no more follow."""
    state = step.state.compaction
    if state.has_stopped and not state.has_reported_stop:
        step.publish(CompactionFailed(trigger="automatic", detail=STOPPED))
    if state.has_stopped != state.has_reported_stop:
        step.update(compaction=with_changes(state, has_reported_stop=state.has_stopped))


def is_compactor(step: Transition, child: Address) -> bool:
    """Return whether a child is the compacting subagent."""
    running = step.state.compaction.running
    return running is not None and running.child == child


def request_stop(step: Transition, child: Address) -> None:
    """Stop a compaction for the user; its outcome still arrives."""
    step.emit(StopChild(child, TASK_NUMBER))


def on_child_ended(step: Transition, end: ChildEnded) -> None:
    """End a compaction whose subagent ended without an outcome."""
    match end:
        case ChildCompleted():
            _fail(step, "failed", "it ended without a summary")
        case ChildCancelled():
            _fail(step, "cancelled", "it was cancelled")
        case ChildFailed():
            _fail(step, "failed", end.detail or end.cause)
        case _:
            assert_never(end)


def end_lost(step: Transition) -> None:
    """Record the end of a compaction that ended with an earlier run; nothing was replaced."""
    running = step.state.compaction.running
    if running is not None and running.is_lost:
        _end(step, running, "cancelled", PARENT_ENDED)


def end_with_agent(step: Transition) -> None:
    """Record the end of a running compaction, which ends with the agent."""
    running = step.state.compaction.running
    if running is not None:
        _end(step, running, "cancelled", PARENT_ENDED)


def apply_ready(step: Transition) -> None:
    """Replace the earlier messages, unless a request with them is running or will be repeated."""
    compacted = step.state.compaction.ready
    if compacted is None or step.state.turn.stage in (TurnStage.THINKING, TurnStage.RETRYING):
        return
    tokens = estimate_tokens(step)
    added_tokens = max(tokens - compacted.tokens_before, 0)  # since the subagent started
    compacted = compacted.model_copy(
        update={
            "tokens_before": compacted.tokens_before + added_tokens,
            "tokens_after": compacted.tokens_after + added_tokens,
        }
    )
    step.update(
        compaction=step.state.compaction.with_compacted(compacted),
        totals=replace(step.state.totals, context_tokens=compacted.tokens_after),
        # The description of the environment may be gone; the next prompt repeats it.
        context=with_changes(step.state.context, known=None),
    )
    step.write(compacted)
    step.publish(compacted)
    step.publish(build_usage_changed(step.state.totals, step.state.model))
    if step.state.turn.stage is TurnStage.COMPACTING:
        step.update_turn(stage=TurnStage.RECORDING_RESULTS)


def build_usage_changed(totals: UsageTotals, model: ModelState) -> UsageChanged:
    """Return the event that reports context size and total usage."""
    return UsageChanged(
        context_tokens=totals.context_tokens,
        context_window_tokens=model.limits.max_context_tokens,
        total_usage=totals.total,
    )


def _on_summary_written(step: Transition, compacted: Compacted) -> None:
    running = step.state.compaction.running
    if running is not None and running.number == compacted.number:
        _end(step, running, "completed")
        step.update(compaction=with_changes(step.state.compaction, ready=compacted))


def _on_summary_failed(step: Transition, failed: SummaryFailed) -> None:
    running = step.state.compaction.running
    if running is not None and running.number == failed.number:
        _fail(step, "failed", failed.detail, is_final=failed.is_final)


def _fail(step: Transition, status: SubagentStatus, detail: str, *, is_final: bool = False) -> None:
    """End a compaction that replaces nothing; a turn that waits for it continues or fails."""
    running = step.state.compaction.running
    if running is None:
        return
    _end(step, running, status, detail)
    detail = FAILED.format(detail=detail)
    turn = step.state.turn
    state = step.state.compaction.with_failure(running.trigger, turn.number, is_final=is_final)
    step.update(compaction=state)
    # The model has refused this conversation, so sending it again is pointless.
    if turn.stage is TurnStage.COMPACTING and state.overflow_count:
        step.fail_turn("context_too_long", detail, turn.retry.partial_text)
        return
    step.publish(CompactionFailed(trigger=running.trigger, detail=detail))
    if turn.stage is TurnStage.COMPACTING:
        step.update_turn(stage=TurnStage.RECORDING_RESULTS)


def _end(
    step: Transition, running: RunningCompaction, status: SubagentStatus, detail: str = ""
) -> None:
    ended = SubagentEnded(
        child=running.child,
        task_number=TASK_NUMBER,
        turn=step.state.turn.number,
        status=status,
        detail=detail,
    )
    step.update(compaction=with_changes(step.state.compaction, running=None))
    step.write(ended)
    step.publish(ended)
