"""Window resizing: drawing pauses until the window keeps its size."""

from asyncio import TimerHandle
from collections.abc import Callable

from shell.repl.screen import Screen

RESIZE_SETTLE_S = 0.26
"""Time after a change of size during which nothing is drawn.

While a window is dragged, tmux wraps the rows at once but reports the size up to 0.25 s later.
Anything drawn in between ends up in rows that can no longer be erased.
"""


class Resize:
    """Pauses drawing while the window changes its size."""

    def __init__(
        self,
        screen: Screen,
        call_later: Callable[[float, Callable[[], None]], TimerHandle | None],
        on_settled: Callable[[], None],
    ) -> None:
        """`on_settled` is called after the screen was drawn in its new size."""
        self._screen = screen
        self._call_later = call_later
        self._on_settled = on_settled
        self._timer: TimerHandle | None = None

    @property
    def is_settling(self) -> bool:
        """Whether the window may still change."""
        return self._timer is not None

    def on_resize(self) -> None:
        """Pause drawing, because the size has changed."""
        if self._timer:
            self._timer.cancel()
        self._timer = self._call_later(RESIZE_SETTLE_S, self.finish)
        self._screen.is_frozen = True

    def finish(self) -> None:
        """Resume drawing and redraw everything."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
            self._screen.is_frozen = False
            self._screen.draw()
            self._on_settled()
