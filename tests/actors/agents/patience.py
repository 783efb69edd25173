"""Watches what a turn makes of faults of the model and of its limits, from outside."""

from dataclasses import dataclass

from actors.agents.effects import (
    Effect,
    PauseTimer,
    PublishEvent,
    RunCall,
    ScheduleRetry,
    SendModelRequest,
    StartTimer,
)
from actors.agents.limits import Limits
from actors.agents.retry import LONGEST_WAIT_S, backoff_for
from actors.agents.turn import TurnMessage
from messages.models import ModelFailed, ModelReplied, RetryDelayElapsed, TurnTimerStopped
from messages.turns import (
    ModelRetrying,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.scripts import NO_LIMITS


@dataclass
class Patience:
    """Its own account of tries, waits and the clock; it knows nothing of the turn's state."""

    waiting: int = 0
    """The failed request that is to be sent again; 0: none."""
    last_request: int = 0
    tries: int = 0
    """Requests in a row that failed."""
    fault: ModelFailed | None = None
    partial: str = ""
    replies: int = 0
    turn: int = 0
    counting: StartTimer | None = None
    held: bool = False
    out_of_time: bool = False
    limits: Limits = NO_LIMITS

    def hears(self, message: TurnMessage, asked: int) -> None:
        """Take note of a message; `asked`: the request that the model answers, 0: none."""
        match message:
            case ModelFailed() if message.request == asked:
                self.tries += 1
                self.fault, self.partial = message, message.partial or self.partial
            case ModelReplied() if message.request == asked:
                self.tries, self.fault, self.partial = 0, None, ""
                self.replies += 1
            case RetryDelayElapsed() if message.request == self.waiting:
                self.waiting = 0
            case TurnTimerStopped():
                up = message.left_s == 0 and message.turn == self.turn
                self.counting, self.out_of_time = None, self.out_of_time or up
            case _:
                pass

    def sees(self, effect: Effect) -> None:
        """Check an effect."""
        match effect:
            case ScheduleRetry():
                self._waits(effect)
            case SendModelRequest():
                self._asks(effect)
            case StartTimer():
                assert self.counting is None, "two clocks run"
                assert not self.out_of_time, "the clock was wound up again"
                self.counting, self.held = effect, False
            case PauseTimer():
                assert self.counting, "held a clock that had stopped"
                assert not self.held, "held a clock twice"
                self.held = True
            case RunCall():
                assert not self.out_of_time, "began when the time was up"
            case PublishEvent(event=TurnStarted() as started):
                self.turn, self.replies, self.tries, self.partial = started.turn, 0, 0, ""
                self.fault, self.out_of_time = None, False
            case PublishEvent(event=ModelRetrying() as told):
                assert self.fault, "told of a fault that did not happen"
                assert told.reason == self.fault.reason, "told another fault"
                assert (told.attempt, told.of) == (self.tries, self._retries()), "counts wrongly"
            case _:
                pass

    def settles(self, effects: tuple[Effect, ...], *, asking: bool) -> None:
        """Check the clock after a step; `asking`: a person is asked."""
        if asking:
            assert not self.counting or self.held, "the clock runs while a person is asked"
        if self.limits.seconds is not None and any(
            isinstance(e, SendModelRequest) for e in effects
        ):
            assert self.counting, "no clock runs"

    def ends(self, end: TurnCompleted | TurnInterrupted | TurnFailed) -> None:
        """Check how a turn ends."""
        assert not self.waiting, "ended while a wait ran"
        assert not isinstance(end, TurnCompleted) or not self.out_of_time, "went on without time"
        if not isinstance(end, TurnFailed):
            return
        if self.fault and end.reason == self.fault.reason:
            spent = self.tries > self._retries()
            assert spent or not self.fault.retry, "gave up too early"
            assert end.partial == self.partial, "lost what had arrived"
        assert end.reason != "max_turns" or self._over(), "stopped before the limit"
        assert end.reason != "time_limit" or self.out_of_time, "stopped before the time was up"

    def _over(self) -> bool:
        return self.limits.turns is not None and self.replies >= self.limits.turns

    def _retries(self) -> int:
        return backoff_for(self.fault.reason).retries if self.fault else 0

    def _waits(self, effect: ScheduleRetry) -> None:
        assert self.fault, "waits without a fault"
        assert self.fault.retry, "tries again what cannot succeed"
        assert self.tries <= self._retries(), "tries again for ever"
        assert not self.waiting, "waits twice"
        assert 0 < effect.wait_s <= LONGEST_WAIT_S, "waits too long"
        wish_s = min(self.fault.retry_after_s, LONGEST_WAIT_S)
        assert effect.wait_s >= wish_s, "comes back before the server wishes"
        self.waiting = effect.request

    def _asks(self, effect: SendModelRequest) -> None:
        assert effect.request > self.last_request, "a request's number came twice"
        assert not self.waiting, "asked again before the wait was over"
        assert not self.out_of_time, "asked when the time was up"
        assert not self._over(), "asked more often than it may"
        self.last_request = effect.request
