"""The window gets another size, and often more of them in a row."""

from asyncio import TimerHandle
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shell.repl.screen_controller import ScreenController

RESIZE_SETTLE_S = 0.26
"""So long after a change nothing is drawn.

While a window is dragged, tmux wraps the rows at once and tells of it up to 0.25 s later; what is
drawn in between goes where nobody finds it again.
"""


class Resize:
    """Waits until the window keeps its size."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk
        self._timer: TimerHandle | None = None

    @property
    def is_settling(self) -> bool:
        """Whether the window may still change."""
        return self._timer is not None

    def on_resize(self) -> None:
        """Draw nothing for a while: the window has another size."""
        if self._timer:
            self._timer.cancel()
        self._timer = self._desk.call_later(RESIZE_SETTLE_S, self.finish)
        self._desk.screen.is_frozen = True

    def finish(self) -> None:
        """Draw again, all of it."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
            self._desk.screen.is_frozen = False
            self._desk.screen.draw()
            self._desk.event_pump.print_pending()
