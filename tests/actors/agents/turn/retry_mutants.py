"""State machines with one bug each in retries, delays and limits."""

from dataclasses import replace

from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.effects import (
    AskAboutLimit,
    Effect,
    PauseTimer,
    ScheduleRetry,
    StartTimer,
    WriteRecord,
)
from actors.agents.turn.limits import Limits
from actors.agents.turn.retry import RetryState
from actors.agents.turn.self_messages import ModelFailed, RetryDelayElapsed, TurnTimerStopped
from actors.agents.turn.state_machine import TurnMessage, advance
from actors.agents.turn.turn_state import TurnStage
from messages.approvals import ApprovalDecided
from messages.turns import CancelTurn, TurnFailed
from tests.actors.agents.turn.message_builders import extend_limit
from tests.actors.agents.turn.random_environment import Advance
from tests.actors.agents.turn.turn_mutants import TurnResult


def retry_immediately(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    for retry in [effect for effect in effects if isinstance(effect, ScheduleRetry)]:
        new, more = advance(new, RetryDelayElapsed(request_number=retry.request_number))
        effects += more
    return new, effects


def drop_retry(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    return new, tuple(effect for effect in effects if not isinstance(effect, ScheduleRetry))


def retry_forever(state: AgentState, message: TurnMessage) -> TurnResult:
    return advance(replace(state, turn=replace(state.turn, retry=RetryState())), message)


def never_retry(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ModelFailed):
        message = message.model_copy(update={"retry": False})
    return advance(state, message)


def always_retry(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ModelFailed):
        message = message.model_copy(update={"retry": True})
    return advance(state, message)


def ignore_retry_after(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ModelFailed):
        message = message.model_copy(update={"retry_after_s": 0.0})
    return advance(state, message)


def obey_any_retry_after(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    retry_after_s = message.retry_after_s if isinstance(message, ModelFailed) else 0.0
    return new, tuple(
        replace(effect, delay_s=max(effect.delay_s, retry_after_s))
        if isinstance(effect, ScheduleRetry)
        else effect
        for effect in effects
    )


def accept_stale_retry_delay(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, RetryDelayElapsed):
        message = RetryDelayElapsed(request_number=state.turn.request_number)
    return advance(state, message)


def retry_after_cancel(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, RetryDelayElapsed) and state.turn.stage is TurnStage.RETRYING:
        state = replace(state, turn=replace(state.turn, is_stopping=False))
    return advance(state, message)


def ignore_cancel_while_retrying(state: AgentState, message: TurnMessage) -> TurnResult:
    is_ignored = isinstance(message, CancelTurn) and state.turn.stage is TurnStage.RETRYING
    return (state, ()) if is_ignored else advance(state, message)


def drop_partial_text(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    return new, tuple(_without_partial_text(effect) for effect in effects)


def _without_partial_text(effect: Effect) -> Effect:
    if isinstance(effect, WriteRecord) and isinstance(effect.record, TurnFailed):
        return replace(effect, record=effect.record.model_copy(update={"partial_text": ""}))
    return effect


def ignore_turn_limit(state: AgentState, message: TurnMessage) -> TurnResult:
    limits = Limits(seconds=state.totals.limits.seconds)
    return advance(replace(state, totals=replace(state.totals, limits=limits)), message)


def stop_one_turn_early(state: AgentState, message: TurnMessage) -> TurnResult:
    totals = replace(state.totals, reply_count=state.totals.reply_count + 1)
    new, effects = advance(replace(state, totals=totals), message)
    replies = max(new.totals.reply_count - 1, 0)
    return replace(new, totals=replace(new.totals, reply_count=replies)), effects


def ignore_time_limit(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, TurnTimerStopped):
        message = TurnTimerStopped(turn=message.turn, remaining_s=9)
    return advance(state, message)


def never_ask_about_limits(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    return new, tuple(effect for effect in effects if not isinstance(effect, AskAboutLimit))


def extend_without_answer(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    for question in [effect for effect in effects if isinstance(effect, AskAboutLimit)]:
        new, more = advance(new, extend_limit(question))
        effects += more
    return new, effects


def treat_every_answer_as_stop(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ApprovalDecided) and message.answers:
        message = message.model_copy(update={"answers": ("Stop",)})
    return advance(state, message)


def accept_stale_timer(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, TurnTimerStopped):
        message = TurnTimerStopped(turn=state.turn.number, remaining_s=message.remaining_s)
    return advance(state, message)


def count_approval_time(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    remaining = tuple(effect for effect in effects if not isinstance(effect, PauseTimer))
    timer = replace(new.turn.timer, is_pausing=False)
    return (
        (replace(new, turn=replace(new.turn, timer=timer)), remaining)
        if remaining
        else (new, effects)
    )


def never_restart_timer(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    restarts = [
        effect for effect in effects if isinstance(effect, StartTimer) and effect.remaining_s < 100
    ]
    return new, tuple(effect for effect in effects if effect not in restarts)


RETRY_MUTANTS: tuple[Advance, ...] = (
    retry_immediately,
    drop_retry,
    retry_forever,
    never_retry,
    always_retry,
    ignore_retry_after,
    obey_any_retry_after,
    accept_stale_retry_delay,
    retry_after_cancel,
    ignore_cancel_while_retrying,
    drop_partial_text,
    ignore_turn_limit,
    stop_one_turn_early,
    ignore_time_limit,
    never_ask_about_limits,
    extend_without_answer,
    treat_every_answer_as_stop,
    accept_stale_timer,
    count_approval_time,
    never_restart_timer,
)
