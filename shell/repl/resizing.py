"""The window gets another size, and often more of them in a row."""

from asyncio import TimerHandle
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shell.repl.desk import ScreenController

SETTLE_S = 0.26
"""So long after a change nothing is drawn.

While a window is dragged, tmux wraps the rows at once and tells of it up to 0.25 s later; what is
drawn in between goes where nobody finds it again.
"""


class Resizing:
    """Waits until the window keeps its size."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk
        self._timer: TimerHandle | None = None

    @property
    def settling(self) -> bool:
        """Whether the window may still change."""
        return self._timer is not None

    def begin(self) -> None:
        """Draw nothing for a while: the window has another size."""
        if self._timer:
            self._timer.cancel()
        self._timer = self._desk.later(SETTLE_S, self.end)
        self._desk.screen.still = True

    def end(self) -> None:
        """Draw again, all of it."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
            self._desk.screen.still = False
            self._desk.screen.draw()
            self._desk.updates.release()
