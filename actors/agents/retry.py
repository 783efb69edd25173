"""When a failed request is worth another try, and how long to wait before it."""

from dataclasses import dataclass
from random import Random

from messages.models import ModelFailed, ModelFailureReason

LONGEST_WAIT_S = 60.0
"""No server keeps us waiting for longer at a time, whatever its `retry-after` says."""
JITTER = 0.25
"""Up to this part of a wait is left out, so that many programs do not come back at once."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that double from one try to the next."""

    retries: int
    first_s: float


BUSY = Backoff(retries=5, first_s=1.0)
"""A server that says it has too much to do, or that it failed: up to 31 s in all."""
LOST = Backoff(retries=4, first_s=0.5)
"""A connection that failed, to the server or behind a gateway: up to 7.5 s in all."""
_TOLD_BY_SERVER = {"overloaded", "rate_limited", "server_failed", "unavailable"}


@dataclass(frozen=True, slots=True)
class RetryState:
    """How often the request at hand has failed so far."""

    failed: int = 0
    partial: str = ""
    """Text of the last try of which some had arrived; kept should none succeed."""


def backoff_for(reason: ModelFailureReason) -> Backoff:
    """Choose how patiently to try again."""
    return BUSY if reason in _TOLD_BY_SERVER else LOST


def wait_before_s(fault: ModelFailed, failed: int, seed: str) -> float | None:
    """Decide how long to wait after `fault` when `failed` tries failed before; None: give up.

    The same `seed` draws the same jitter.
    """
    backoff = backoff_for(fault.reason)
    if not fault.retry or failed >= backoff.retries:
        return None
    if fault.retry_after_s:
        return min(fault.retry_after_s, LONGEST_WAIT_S)
    draw = Random(f"{seed}/{fault.request}").random()  # noqa: S311  (must be the same each time)
    return round(backoff.first_s * float(2**failed) * (1 - JITTER * draw), 3)
