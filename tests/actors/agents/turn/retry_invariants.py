"""Invariants of retries and limits, checked on a turn's messages and effects."""

from dataclasses import dataclass, field

from actors.agents.turn.effects import (
    AskAboutLimit,
    Effect,
    PauseTimer,
    PlanCall,
    PublishEvent,
    RunCall,
    ScheduleRetry,
    SendModelRequest,
    StartTimer,
    WithdrawSubtree,
)
from actors.agents.turn.limits import Limits
from actors.agents.turn.retry import get_backoff
from actors.agents.turn.self_messages import (
    ModelFailed,
    ModelReplied,
    RetryDelayElapsed,
    TurnTimerStopped,
)
from actors.agents.turn.state_machine import TurnMessage
from messages.approvals import ApprovalDecided, ApprovalUnavailable, QuestionRequest
from messages.failure_reasons import MAX_RETRY_WAIT_S
from messages.journal import Record
from messages.turns import (
    ModelRetrying,
    ReplyCompleted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.turn.message_builders import NO_LIMITS, is_extension


@dataclass
class RetryInvariants:
    """Tracks attempts, delays and the timer itself; it does not know the turn's state."""

    pending_retry: int = 0
    """The failed request that will be retried; 0: none."""
    last_request: int = 0
    failed_attempts: int = 0
    """Consecutive failed requests, without those whose thinking was rejected."""
    thinking_rejections: int = 0
    last_failure: ModelFailed | None = None
    partial_text: str = ""
    reply_count: int = 0
    turn_number: int = 0
    running_timer: StartTimer | None = None
    is_pausing: bool = False
    is_time_up: bool = False
    """The time is up, and the user has not extended it."""
    planned_calls: set[str] = field(default_factory=set[str])
    time_limit_reached: bool = False
    """The user was asked and did not extend the time."""
    limit_question: AskAboutLimit | None = None
    """The open question about a limit."""
    stopped_at: str = ""
    """The limit that the user did not extend."""
    extra_turns: int = 0
    asked_questions: dict[str, QuestionRequest] = field(default_factory=dict[str, QuestionRequest])
    """In earlier runs."""
    limits: Limits = NO_LIMITS

    def load_record(self, record: Record) -> None:
        """Track a record of an earlier run: only the requests of its open turn count now."""
        match record:
            case TurnStarted():
                self.reply_count = self.extra_turns = 0
            case ReplyCompleted():
                self.reply_count += 1
            case QuestionRequest():
                self.asked_questions[record.id] = record
            case ApprovalDecided() if record.id in self.asked_questions:
                question = self.asked_questions[record.id]
                if record.answers == (question.questions[0].choices[0].label,):
                    self.extra_turns += self.limits.turns or 0
                else:
                    self.stopped_at = str(question.limit)
            case _:
                pass

    def on_message(self, message: TurnMessage, request_number: int) -> None:
        """Track a message; `request_number` is the open request, 0 if there is none."""
        match message:
            case ModelFailed() if message.request_number == request_number:
                if message.reason == "thinking_rejected":
                    self.thinking_rejections += 1
                else:
                    self.failed_attempts += 1
                self.last_failure, self.partial_text = (
                    message,
                    message.partial_text or self.partial_text,
                )
            case ModelReplied() if message.request_number == request_number:
                self.failed_attempts, self.last_failure, self.partial_text = 0, None, ""
                self.thinking_rejections = 0
                self.reply_count += 1
            case RetryDelayElapsed() if message.request_number == self.pending_retry:
                self.pending_retry = 0
            case TurnTimerStopped():
                is_time_up = message.remaining_s == 0 and message.turn == self.turn_number
                self.running_timer = None
                self.is_time_up = self.is_time_up or is_time_up
            case ApprovalDecided() | ApprovalUnavailable():
                self._on_answer(message)
            case _:
                pass

    def _on_answer(self, message: ApprovalDecided | ApprovalUnavailable) -> None:
        question, self.limit_question = self.limit_question, None
        if question is None or question.id != message.id:
            self.limit_question = question
        elif isinstance(message, ApprovalUnavailable) or not is_extension(message, question):
            self.stopped_at = question.limit
            self.time_limit_reached = question.limit == "time_limit"
        elif question.limit == "max_turns":
            self.extra_turns += self.limits.turns or 0
        else:
            self.is_time_up = False

    def check_effect(self, effect: Effect) -> None:
        """Check an effect."""
        match effect:
            case ScheduleRetry():
                self._check_retry(effect)
            case SendModelRequest():
                self._check_request(effect)
            case StartTimer():
                assert self.running_timer is None, "two timers run"
                assert not self.time_limit_reached, "the timer was started after the time limit"
                assert not self.limit_question, "the timer was started while the user is asked"
                self.running_timer, self.is_pausing = effect, False
            case PauseTimer():
                assert self.running_timer, "paused a stopped timer"
                assert not self.is_pausing, "paused a timer twice"
                self.is_pausing = True
            case RunCall():
                assert not self.time_limit_reached, "a call started after the time limit"
            case PlanCall() | AskAboutLimit() | WithdrawSubtree():
                self._check_pause(effect)
            case PublishEvent(event=TurnStarted() as started):
                self.turn_number, self.reply_count, self.failed_attempts, self.partial_text = (
                    started.turn,
                    0,
                    0,
                    "",
                )
                self.thinking_rejections = 0
                self.last_failure, self.time_limit_reached, self.is_time_up = None, False, False
                self.stopped_at, self.extra_turns = "", 0
            case PublishEvent(event=ModelRetrying() as retrying):
                assert self.last_failure, "reported a failure that did not happen"
                assert retrying.reason == self.last_failure.reason, "reported another failure"
                assert (retrying.attempt, retrying.max_attempts) == (
                    self._count_attempts(),
                    self._get_max_retries(),
                ), "reported wrong attempts"
            case _:
                pass

    def _check_pause(self, effect: PlanCall | AskAboutLimit | WithdrawSubtree) -> None:
        match effect:
            case PlanCall():
                may_start = effect.call_id in self.planned_calls or not self.limit_question
                assert may_start, "a call was started while the user is asked"
                self.planned_calls.add(effect.call_id)
            case AskAboutLimit():
                assert not self.limit_question, "asked about two limits at once"
                is_reached = self._is_turn_limit_reached() or effect.limit != "max_turns"
                assert is_reached, "asked before the limit"
                assert self.is_time_up or effect.limit != "time_limit", "asked before its time"
                self.limit_question = effect
            case WithdrawSubtree():
                self.limit_question = None

    def check_timer(self, effects: tuple[Effect, ...], *, is_user_asked: bool) -> None:
        """Check the timer after a transition."""
        if is_user_asked or self.limit_question:
            assert not self.running_timer or self.is_pausing, (
                "the timer runs while the user is asked"
            )
        if self.limits.seconds is not None and any(
            isinstance(effect, SendModelRequest) for effect in effects
        ):
            assert self.running_timer, "no timer runs"

    def check_end(self, end: TurnCompleted | TurnInterrupted | TurnFailed) -> None:
        """Check how a turn ends."""
        assert not self.pending_retry, "ended during a retry delay"
        assert not isinstance(end, TurnCompleted) or not self.time_limit_reached, (
            "completed after the time limit"
        )
        if not isinstance(end, TurnFailed):
            return
        if self.last_failure and end.reason == self.last_failure.reason:
            is_exhausted = self._count_attempts() > self._get_max_retries()
            assert is_exhausted or not self._may_retry(), "gave up too early"
            assert end.partial_text == self.partial_text, "lost the partial text"
        if end.reason in ("max_turns", "time_limit"):
            assert end.reason == self.stopped_at, "ended at a limit without asking"
        assert end.reason != "max_turns" or self._is_turn_limit_reached(), (
            "stopped before the limit"
        )
        assert end.reason != "time_limit" or self.time_limit_reached, (
            "stopped before the time was up"
        )

    def _is_turn_limit_reached(self) -> bool:
        turns = self.limits.turns
        return turns is not None and self.reply_count >= turns + self.extra_turns

    def _is_thinking_rejected(self) -> bool:
        return self.last_failure is not None and self.last_failure.reason == "thinking_rejected"

    def _may_retry(self) -> bool:
        """Return whether a retry may succeed; one without the rejected thinking always may."""
        return self.last_failure is not None and (
            self.last_failure.retry or self._is_thinking_rejected()
        )

    def _count_attempts(self) -> int:
        return self.thinking_rejections if self._is_thinking_rejected() else self.failed_attempts

    def _get_max_retries(self) -> int:
        return get_backoff(self.last_failure.reason).max_retries if self.last_failure else 0

    def _check_retry(self, effect: ScheduleRetry) -> None:
        assert self.last_failure, "retries without a failure"
        assert self._may_retry(), "retries a permanent failure"
        assert self._count_attempts() <= self._get_max_retries(), "retries forever"
        assert not self.pending_retry, "schedules two retries"
        assert 0 < effect.delay_s <= MAX_RETRY_WAIT_S, "delay is out of range"
        min_delay_s = min(self.last_failure.retry_after_s, MAX_RETRY_WAIT_S)
        assert effect.delay_s >= min_delay_s, "retries earlier than the server asks"
        self.pending_retry = effect.request_number

    def _check_request(self, effect: SendModelRequest) -> None:
        assert effect.request_number > self.last_request, "a request number is used twice"
        assert not self.pending_retry, "sent a request during a retry delay"
        assert not self.is_time_up, "sent a request after the time limit"
        assert not self.limit_question, "sent a request while the user is asked"
        assert not self._is_turn_limit_reached(), "sent a request beyond the turn limit"
        self.last_request = effect.request_number
