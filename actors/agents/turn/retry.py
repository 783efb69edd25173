"""Whether a failed model request is retried, and after which delay."""

from dataclasses import dataclass
from random import Random
from typing import get_args

from actors.agents.turn.self_messages import ModelFailed
from actors.models.backoff import LIMIT_BACKOFF, TEMPORARY_LIMITS, Backoff
from actors.models.optional_settings import OptionalSetting
from messages.failure_reasons import MAX_RETRY_WAIT_S, ModelFailureReason

SERVER_BACKOFF = Backoff(max_retries=5, first_delay_s=1.0)
"""For a server that failed: up to 31 s in total."""
CONNECTION_BACKOFF = Backoff(max_retries=4, first_delay_s=0.5)
"""For a failed connection to the server or behind a gateway: up to 7.5 s in total."""
REJECTION_BACKOFFS: dict[ModelFailureReason, Backoff] = {
    "thinking_rejected": Backoff(max_retries=1, first_delay_s=0.1),
    "compaction_rejected": Backoff(max_retries=1, first_delay_s=0.1),
    "setting_rejected": Backoff(max_retries=len(get_args(OptionalSetting)), first_delay_s=0.1),
}
"""For a server that rejects a part of the request, which the retry leaves out."""


@dataclass(frozen=True, slots=True)
class RetryState:
    """Failed attempts of the current request."""

    failed_attempts: int = 0
    """Without those of which a part was rejected."""
    rejections: tuple[ModelFailureReason, ...] = ()
    """Reasons of the attempts of which a part was rejected."""
    partial_text: str = ""
    """Text of the last attempt that streamed any, kept in case no attempt succeeds."""

    def count_attempts(self, reason: ModelFailureReason) -> int:
        """Return the failed attempts that limit the retries after a failure."""
        is_rejection = reason in REJECTION_BACKOFFS
        return self.rejections.count(reason) if is_rejection else self.failed_attempts

    def with_failure(self, failed: ModelFailed) -> "RetryState":
        """Return the state after one more failed attempt."""
        is_rejection = failed.reason in REJECTION_BACKOFFS
        return RetryState(
            failed_attempts=self.failed_attempts + (not is_rejection),
            rejections=(*self.rejections, failed.reason) if is_rejection else self.rejections,
            partial_text=failed.partial_text or self.partial_text,
        )


def get_backoff(reason: ModelFailureReason) -> Backoff:
    """Return the backoff for a failure reason."""
    if reason in REJECTION_BACKOFFS:
        return REJECTION_BACKOFFS[reason]
    if reason in TEMPORARY_LIMITS:
        return LIMIT_BACKOFF
    return SERVER_BACKOFF if reason == "server_error" else CONNECTION_BACKOFF


def get_retry_delay_s(failure: ModelFailed, retry: RetryState, seed: str) -> float | None:
    """Return the delay before the next attempt, or None to give up.

    `retry` excludes `failure` itself. The same `seed` gives the same jitter.
    """
    backoff = get_backoff(failure.reason)
    failed_attempts = retry.count_attempts(failure.reason)
    may_succeed = failure.retry or failure.reason in REJECTION_BACKOFFS
    if not may_succeed or failed_attempts >= backoff.max_retries:
        return None
    if failure.retry_after_s:
        return min(failure.retry_after_s, MAX_RETRY_WAIT_S)
    jitter = Random(f"{seed}/{failure.request_number}").random()  # noqa: S311  (must be repeatable)
    return backoff.get_delay_s(failed_attempts, jitter)
