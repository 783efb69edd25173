"""Delays between attempts that double each time."""

from dataclasses import dataclass

from messages.failure_reasons import ModelFailureReason

JITTER_SHARE = 0.25
"""Up to this share of a delay is dropped, so that many clients do not retry at the same time."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Exponential backoff: each delay is twice the one before, up to a maximum."""

    max_retries: int
    first_delay_s: float
    max_delay_s: float = 60.0

    def get_delay_s(self, failed_attempts: int, jitter: float) -> float:
        """Return the delay after this many earlier failures; `jitter` is at least 0, below 1."""
        delay_s = min(self.first_delay_s * float(2**failed_attempts), self.max_delay_s)
        return round(delay_s * (1 - JITTER_SHARE * jitter), 3)


LIMIT_BACKOFF = Backoff(max_retries=15, first_delay_s=1.0)
"""For a server that is overloaded or limits its use: about 10 minutes in total."""
TEMPORARY_LIMITS: frozenset[ModelFailureReason] = frozenset(
    ("overloaded", "rate_limited", "unavailable")
)
"""Failures that apply to every request to the same model for a while."""
