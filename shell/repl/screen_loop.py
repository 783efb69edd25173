"""The event loop of the screen, once it runs."""

from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable


class ScreenLoop:
    """Holds the event loop; the parts of the screen are created before it runs."""

    def __init__(self) -> None:
        self.running: AbstractEventLoop | None = None
        """None: the screen has not started."""

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> TimerHandle | None:
        """Call `callback` after a delay; None: the loop does not run yet."""
        return self.running.call_later(delay_s, callback) if self.running else None
