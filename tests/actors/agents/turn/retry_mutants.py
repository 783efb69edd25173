"""State machines with one bug each in retries, delays and limits."""

from dataclasses import replace

from actors.agents.turn.agent_state import AgentState, TurnStage
from actors.agents.turn.effects import Effect, PauseTimer, ScheduleRetry, StartTimer, WriteRecord
from actors.agents.turn.limits import Limits
from actors.agents.turn.retry import RetryState
from actors.agents.turn.self_messages import ModelFailed, RetryDelayElapsed, TurnTimerStopped
from actors.agents.turn.state_machine import TurnMessage, advance
from messages.turns import CancelTurn, TurnFailed
from tests.actors.agents.turn.random_environment import Advance
from tests.actors.agents.turn.turn_mutants import TurnResult


def retry_immediately(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    for retry in [each for each in effects if isinstance(each, ScheduleRetry)]:
        new, more = advance(new, RetryDelayElapsed(request_number=retry.request_number))
        effects += more
    return new, effects


def drop_retry(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    return new, tuple(each for each in effects if not isinstance(each, ScheduleRetry))


def retry_forever(turn: AgentState, message: TurnMessage) -> TurnResult:
    return advance(replace(turn, retry=RetryState()), message)


def never_retry(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ModelFailed):
        message = message.model_copy(update={"retry": False})
    return advance(turn, message)


def always_retry(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ModelFailed):
        message = message.model_copy(update={"retry": True})
    return advance(turn, message)


def ignore_retry_after(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ModelFailed):
        message = message.model_copy(update={"retry_after_s": 0.0})
    return advance(turn, message)


def obey_any_retry_after(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    retry_after_s = message.retry_after_s if isinstance(message, ModelFailed) else 0.0
    return new, tuple(
        replace(each, delay_s=max(each.delay_s, retry_after_s))
        if isinstance(each, ScheduleRetry)
        else each
        for each in effects
    )


def accept_stale_retry_delay(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, RetryDelayElapsed):
        message = RetryDelayElapsed(request_number=turn.request_number)
    return advance(turn, message)


def retry_after_cancel(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, RetryDelayElapsed) and turn.stage is TurnStage.RETRYING:
        turn = replace(turn, is_stopping=False)
    return advance(turn, message)


def ignore_cancel_while_retrying(turn: AgentState, message: TurnMessage) -> TurnResult:
    is_ignored = isinstance(message, CancelTurn) and turn.stage is TurnStage.RETRYING
    return (turn, ()) if is_ignored else advance(turn, message)


def drop_partial_text(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    return new, tuple(_without_partial_text(each) for each in effects)


def _without_partial_text(effect: Effect) -> Effect:
    if isinstance(effect, WriteRecord) and isinstance(effect.record, TurnFailed):
        return replace(effect, record=effect.record.model_copy(update={"partial_text": ""}))
    return effect


def ignore_turn_limit(turn: AgentState, message: TurnMessage) -> TurnResult:
    limits = Limits(seconds=turn.totals.limits.seconds)
    return advance(replace(turn, totals=replace(turn.totals, limits=limits)), message)


def stop_one_turn_early(turn: AgentState, message: TurnMessage) -> TurnResult:
    totals = replace(turn.totals, reply_count=turn.totals.reply_count + 1)
    new, effects = advance(replace(turn, totals=totals), message)
    replies = max(new.totals.reply_count - 1, 0)
    return replace(new, totals=replace(new.totals, reply_count=replies)), effects


def ignore_time_limit(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, TurnTimerStopped):
        message = TurnTimerStopped(turn=message.turn, remaining_s=9)
    return advance(turn, message)


def accept_stale_timer(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, TurnTimerStopped):
        message = TurnTimerStopped(turn=turn.turn_number, remaining_s=message.remaining_s)
    return advance(turn, message)


def count_approval_time(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    remaining = tuple(each for each in effects if not isinstance(each, PauseTimer))
    return (
        (replace(new, timer=replace(new.timer, is_pausing=False)), remaining)
        if remaining
        else (new, effects)
    )


def never_restart_timer(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    restarts = [each for each in effects if isinstance(each, StartTimer) and each.remaining_s < 100]
    return new, tuple(each for each in effects if each not in restarts)


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
    accept_stale_timer,
    count_approval_time,
    never_restart_timer,
)
