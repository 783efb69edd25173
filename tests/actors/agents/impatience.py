"""Turn machines with one fault each in how they wait, try again and stop at limits."""

from dataclasses import replace

from actors.agents.effects import Effect, PauseTimer, ScheduleRetry, StartTimer, WriteRecord
from actors.agents.limits import Limits
from actors.agents.retry import RetryState
from actors.agents.state import AgentState, TurnStage
from actors.agents.turn import TurnMessage, advance
from messages.models import ModelFailed, RetryDelayElapsed, TurnTimerStopped
from messages.turns import CancelTurn, TurnFailed
from tests.actors.agents.world import Advance

Stepped = tuple[AgentState, tuple[Effect, ...]]


def asks_again_at_once(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    for wait in [each for each in effects if isinstance(each, ScheduleRetry)]:
        new, more = advance(new, RetryDelayElapsed(request=wait.request))
        effects += more
    return new, effects


def loses_its_wait(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    return new, tuple(each for each in effects if not isinstance(each, ScheduleRetry))


def tries_for_ever(turn: AgentState, message: TurnMessage) -> Stepped:
    return advance(replace(turn, tries=RetryState()), message)


def never_tries_again(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, ModelFailed):
        message = message.model_copy(update={"retry": False})
    return advance(turn, message)


def tries_again_whatever_happened(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, ModelFailed):
        message = message.model_copy(update={"retry": True})
    return advance(turn, message)


def does_not_heed_the_server(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, ModelFailed):
        message = message.model_copy(update={"retry_after_s": 0.0})
    return advance(turn, message)


def waits_for_as_long_as_it_is_told(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    wish_s = message.retry_after_s if isinstance(message, ModelFailed) else 0.0
    return new, tuple(
        replace(each, wait_s=max(each.wait_s, wish_s)) if isinstance(each, ScheduleRetry) else each
        for each in effects
    )


def takes_any_wait_for_the_last(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, RetryDelayElapsed):
        message = RetryDelayElapsed(request=turn.request)
    return advance(turn, message)


def asks_again_after_a_cancel(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, RetryDelayElapsed) and turn.stage is TurnStage.WAITING:
        turn = replace(turn, stopping=False)
    return advance(turn, message)


def does_not_hear_a_cancel_while_it_waits(turn: AgentState, message: TurnMessage) -> Stepped:
    ignored = isinstance(message, CancelTurn) and turn.stage is TurnStage.WAITING
    return (turn, ()) if ignored else advance(turn, message)


def loses_what_had_arrived(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    return new, tuple(_without_partial(each) for each in effects)


def _without_partial(effect: Effect) -> Effect:
    if isinstance(effect, WriteRecord) and isinstance(effect.record, TurnFailed):
        return replace(effect, record=effect.record.model_copy(update={"partial": ""}))
    return effect


def knows_no_limit_of_turns(turn: AgentState, message: TurnMessage) -> Stepped:
    limits = Limits(seconds=turn.account.limits.seconds)
    return advance(replace(turn, account=replace(turn.account, limits=limits)), message)


def stops_one_turn_early(turn: AgentState, message: TurnMessage) -> Stepped:
    account = replace(turn.account, reply_count=turn.account.reply_count + 1)
    new, effects = advance(replace(turn, account=account), message)
    replies = max(new.account.reply_count - 1, 0)
    return replace(new, account=replace(new.account, reply_count=replies)), effects


def goes_on_when_the_time_is_up(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, TurnTimerStopped):
        message = TurnTimerStopped(turn=message.turn, left_s=9)
    return advance(turn, message)


def takes_another_turns_clock_for_its_own(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, TurnTimerStopped):
        message = TurnTimerStopped(turn=turn.number, left_s=message.left_s)
    return advance(turn, message)


def counts_the_time_of_a_person(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    kept = tuple(each for each in effects if not isinstance(each, PauseTimer))
    return (replace(new, clock=replace(new.clock, held=False)), kept) if kept else (new, effects)


def starts_its_clock_once(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    again = [each for each in effects if isinstance(each, StartTimer) and each.left_s < 100]
    return new, tuple(each for each in effects if each not in again)


IMPATIENCE: tuple[Advance, ...] = (
    asks_again_at_once,
    loses_its_wait,
    tries_for_ever,
    never_tries_again,
    tries_again_whatever_happened,
    does_not_heed_the_server,
    waits_for_as_long_as_it_is_told,
    takes_any_wait_for_the_last,
    asks_again_after_a_cancel,
    does_not_hear_a_cancel_while_it_waits,
    loses_what_had_arrived,
    knows_no_limit_of_turns,
    stops_one_turn_early,
    goes_on_when_the_time_is_up,
    takes_another_turns_clock_for_its_own,
    counts_the_time_of_a_person,
    starts_its_clock_once,
)
