"""Restart policies, and the pure bookkeeping of restarts and crashes."""

from collections import deque
from dataclasses import dataclass

from messages.base import Message

MAX_RESTART_DELAY_S = 0.1
"""A longer delay does not help within one process, and messages wait during it."""
MAX_CRASHES_PER_MESSAGE = 3
"""Crashes on equal messages, without a success in between, before the next one is quarantined."""
MAX_REMEMBERED_MESSAGES = 16
"""Different crash messages that are remembered per actor; the oldest are forgotten."""


@dataclass(frozen=True, slots=True)
class Restart:
    """A child is restarted at most `limit` times in any `window_s` seconds."""

    limit: int
    window_s: float
    backoff_s: float = 0.01
    """Delay before the first restart in a window; it doubles for each further one, up to 100 ms."""


NO_RESTART = Restart(limit=0, window_s=0.0)


class RestartBudget:
    """The restarts that one actor has left.

    Source: Erlang/OTP `supervisor`, restart intensity and period.
    """

    def __init__(self, restart: Restart) -> None:
        """Start with the full budget."""
        self._restart = restart
        self._restart_times_s: deque[float] = deque()

    def spend(self, now_s: float) -> bool:
        """Take one restart; False: none is left in this window."""
        times_s = self._restart_times_s
        while times_s and now_s - times_s[0] >= self._restart.window_s:
            times_s.popleft()
        if len(times_s) >= self._restart.limit:
            return False
        times_s.append(now_s)
        return True

    @property
    def delay_s(self) -> float:
        """The delay before the restart that was taken last."""
        earlier_count = len(self._restart_times_s) - 1
        return min(MAX_RESTART_DELAY_S, self._restart.backoff_s * float(2**earlier_count))


class CrashHistory:
    """The messages that crashed one actor, and how often each did."""

    def __init__(self) -> None:
        """Start empty."""
        self._counts: deque[tuple[Message, int]] = deque(maxlen=MAX_REMEMBERED_MESSAGES)

    def record(self, message: Message) -> None:
        """Count a crash on a message."""
        count = self.count(message)
        self.forget(message)
        self._counts.append((message, count + 1))

    def forget(self, message: Message) -> None:
        """Reset the count: an equal message was handled without a crash."""
        count = self.count(message)
        if count:
            self._counts.remove((message, count))

    def count(self, message: Message) -> int:
        """Return how often an equal message has crashed the actor."""
        return next((count for known, count in self._counts if known == message), 0)

    def is_poison(self, message: Message) -> bool:
        """Return whether an equal message has crashed the actor too often to try again."""
        return self.count(message) >= MAX_CRASHES_PER_MESSAGE
