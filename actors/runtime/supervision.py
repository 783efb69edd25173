"""When a crashed actor lives on, as values and pure accounts of them."""

from collections import deque
from dataclasses import dataclass

from messages.base import Message

MAX_RESTART_DELAY_S = 0.1
"""Inside one process, waiting longer helps nobody: the mail waits as well."""
MAX_CRASHES_PER_MESSAGE = 3
"""Crashes over equal messages, none handled well between, after which the next is set aside."""
MAX_REMEMBERED_MESSAGES = 16
"""Different messages that an actor crashed over; the oldest are forgotten."""


@dataclass(frozen=True, slots=True)
class Restart:
    """How often a child may crash and live on: at most `limit` times in any `window_s` seconds."""

    limit: int
    window_s: float
    backoff_s: float = 0.01
    """Rest before the first restart of a window; doubled for each further one, up to 100 ms."""


NO_RESTART = Restart(limit=0, window_s=0.0)


class RestartBudget:
    """The restarts that one actor has left.

    Source: Erlang/OTP `supervisor`, restart intensity and period.
    """

    def __init__(self, restart: Restart) -> None:
        """Begin with all of them."""
        self._restart = restart
        self._spent: deque[float] = deque()

    def spend(self, now_s: float) -> bool:
        """Take one restart; False when the window has none left."""
        while self._spent and now_s - self._spent[0] >= self._restart.window_s:
            self._spent.popleft()
        if len(self._spent) >= self._restart.limit:
            return False
        self._spent.append(now_s)
        return True

    @property
    def delay_s(self) -> float:
        """How long to rest before the restart that was taken last."""
        earlier = len(self._spent) - 1
        return min(MAX_RESTART_DELAY_S, self._restart.backoff_s * float(2**earlier))


class CrashHistory:
    """The messages that one actor crashed over, and how often."""

    def __init__(self) -> None:
        """Begin without any."""
        self._counts: deque[tuple[Message, int]] = deque(maxlen=MAX_REMEMBERED_MESSAGES)

    def record(self, message: Message) -> None:
        """Count one more crash."""
        count = self.count(message)
        if count:
            self._counts.remove((message, count))
        self._counts.append((message, count + 1))

    def forget(self, message: Message) -> None:
        """Begin to count anew: an equal message was handled well."""
        count = self.count(message)
        if count:
            self._counts.remove((message, count))

    def count(self, message: Message) -> int:
        """Say how often an equal message was crashed over."""
        return next((count for known, count in self._counts if known == message), 0)

    def is_poison(self, message: Message) -> bool:
        """Whether trying once more is hopeless."""
        return self.count(message) >= MAX_CRASHES_PER_MESSAGE
