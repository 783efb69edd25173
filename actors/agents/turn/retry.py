"""When a failed request is worth another try, and how long to wait before it."""

from dataclasses import dataclass
from random import Random

from actors.agents.turn.self_messages import ModelFailed
from messages.model_events import ModelFailureReason

MAX_RETRY_DELAY_S = 60.0
"""No server keeps us waiting for longer at a time, whatever its `retry-after` says."""
JITTER_SHARE = 0.25
"""Up to this part of a wait is left out, so that many programs do not come back at once."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that double from one try to the next."""

    max_retries: int
    first_delay_s: float


SERVER_BACKOFF = Backoff(max_retries=5, first_delay_s=1.0)
"""A server that says it has too much to do, or that it failed: up to 31 s in all."""
CONNECTION_BACKOFF = Backoff(max_retries=4, first_delay_s=0.5)
"""A connection that failed, to the server or behind a gateway: up to 7.5 s in all."""
_TOLD_BY_SERVER = {"overloaded", "rate_limited", "server_failed", "unavailable"}


@dataclass(frozen=True, slots=True)
class RetryState:
    """How often the request at hand has failed so far."""

    failed_attempts: int = 0
    partial_text: str = ""
    """Text of the last try of which some had arrived; kept should none succeed."""


def get_backoff(reason: ModelFailureReason) -> Backoff:
    """Choose how patiently to try again."""
    return SERVER_BACKOFF if reason in _TOLD_BY_SERVER else CONNECTION_BACKOFF


def get_retry_delay_s(failure: ModelFailed, failed_attempts: int, seed: str) -> float | None:
    """Decide how long to wait after `fault` when `failed` tries failed before; None: give up.

    The same `seed` draws the same jitter.
    """
    backoff = get_backoff(failure.reason)
    if not failure.retry or failed_attempts >= backoff.max_retries:
        return None
    if failure.retry_after_s:
        return min(failure.retry_after_s, MAX_RETRY_DELAY_S)
    draw = Random(f"{seed}/{failure.request_number}").random()  # noqa: S311  (must be the same each time)
    return round(backoff.first_delay_s * float(2**failed_attempts) * (1 - JITTER_SHARE * draw), 3)
