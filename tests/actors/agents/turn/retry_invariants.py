"""Watches what a turn makes of faults of the model and of its limits, from outside."""

from dataclasses import dataclass

from actors.agents.turn.effects import (
    Effect,
    PauseTimer,
    PublishEvent,
    RunCall,
    ScheduleRetry,
    SendModelRequest,
    StartTimer,
)
from actors.agents.turn.limits import Limits
from actors.agents.turn.retry import MAX_RETRY_DELAY_S, get_backoff
from actors.agents.turn.self_messages import (
    ModelFailed,
    ModelReplied,
    RetryDelayElapsed,
    TurnTimerStopped,
)
from actors.agents.turn.state_machine import TurnMessage
from messages.turns import (
    ModelRetrying,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.turn.message_builders import NO_LIMITS


@dataclass
class RetryInvariants:
    """Its own account of tries, waits and the clock; it knows nothing of the turn's state."""

    pending_retry: int = 0
    """The failed request that is to be sent again; 0: none."""
    last_request: int = 0
    failed_attempts: int = 0
    """Requests in a row that failed."""
    last_failure: ModelFailed | None = None
    partial_text: str = ""
    reply_count: int = 0
    turn_number: int = 0
    running_timer: StartTimer | None = None
    is_pausing: bool = False
    time_limit_reached: bool = False
    limits: Limits = NO_LIMITS

    def on_message(self, message: TurnMessage, request_number: int) -> None:
        """Take note of a message; `asked`: the request that the model answers, 0: none."""
        match message:
            case ModelFailed() if message.request_number == request_number:
                self.failed_attempts += 1
                self.last_failure, self.partial_text = (
                    message,
                    message.partial_text or self.partial_text,
                )
            case ModelReplied() if message.request_number == request_number:
                self.failed_attempts, self.last_failure, self.partial_text = 0, None, ""
                self.reply_count += 1
            case RetryDelayElapsed() if message.request_number == self.pending_retry:
                self.pending_retry = 0
            case TurnTimerStopped():
                up = message.remaining_s == 0 and message.turn == self.turn_number
                self.running_timer, self.time_limit_reached = None, self.time_limit_reached or up
            case _:
                pass

    def check_effect(self, effect: Effect) -> None:
        """Check an effect."""
        match effect:
            case ScheduleRetry():
                self._waits(effect)
            case SendModelRequest():
                self._asks(effect)
            case StartTimer():
                assert self.running_timer is None, "two clocks run"
                assert not self.time_limit_reached, "the clock was wound up again"
                self.running_timer, self.is_pausing = effect, False
            case PauseTimer():
                assert self.running_timer, "held a clock that had stopped"
                assert not self.is_pausing, "held a clock twice"
                self.is_pausing = True
            case RunCall():
                assert not self.time_limit_reached, "began when the time was up"
            case PublishEvent(event=TurnStarted() as started):
                self.turn_number, self.reply_count, self.failed_attempts, self.partial_text = (
                    started.turn,
                    0,
                    0,
                    "",
                )
                self.last_failure, self.time_limit_reached = None, False
            case PublishEvent(event=ModelRetrying() as told):
                assert self.last_failure, "told of a fault that did not happen"
                assert told.reason == self.last_failure.reason, "told another fault"
                assert (told.attempt, told.max_attempts) == (
                    self.failed_attempts,
                    self._retries(),
                ), "counts wrongly"
            case _:
                pass

    def check_timer(self, effects: tuple[Effect, ...], *, is_user_asked: bool) -> None:
        """Check the clock after a step; `asking`: a person is asked."""
        if is_user_asked:
            assert not self.running_timer or self.is_pausing, (
                "the clock runs while a person is asked"
            )
        if self.limits.seconds is not None and any(
            isinstance(e, SendModelRequest) for e in effects
        ):
            assert self.running_timer, "no clock runs"

    def check_end(self, end: TurnCompleted | TurnInterrupted | TurnFailed) -> None:
        """Check how a turn ends."""
        assert not self.pending_retry, "ended while a wait ran"
        assert not isinstance(end, TurnCompleted) or not self.time_limit_reached, (
            "went on without time"
        )
        if not isinstance(end, TurnFailed):
            return
        if self.last_failure and end.reason == self.last_failure.reason:
            spent = self.failed_attempts > self._retries()
            assert spent or not self.last_failure.retry, "gave up too early"
            assert end.partial_text == self.partial_text, "lost what had arrived"
        assert end.reason != "max_turns" or self._over(), "stopped before the limit"
        assert end.reason != "time_limit" or self.time_limit_reached, (
            "stopped before the time was up"
        )

    def _over(self) -> bool:
        return self.limits.turns is not None and self.reply_count >= self.limits.turns

    def _retries(self) -> int:
        return get_backoff(self.last_failure.reason).max_retries if self.last_failure else 0

    def _waits(self, effect: ScheduleRetry) -> None:
        assert self.last_failure, "waits without a fault"
        assert self.last_failure.retry, "tries again what cannot succeed"
        assert self.failed_attempts <= self._retries(), "tries again for ever"
        assert not self.pending_retry, "waits twice"
        assert 0 < effect.delay_s <= MAX_RETRY_DELAY_S, "waits too long"
        wish_s = min(self.last_failure.retry_after_s, MAX_RETRY_DELAY_S)
        assert effect.delay_s >= wish_s, "comes back before the server wishes"
        self.pending_retry = effect.request_number

    def _asks(self, effect: SendModelRequest) -> None:
        assert effect.request_number > self.last_request, "a request's number came twice"
        assert not self.pending_retry, "asked again before the wait was over"
        assert not self.time_limit_reached, "asked when the time was up"
        assert not self._over(), "asked more often than it may"
        self.last_request = effect.request_number
