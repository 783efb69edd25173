"""When reports are taken: the first at once, then at most one batch a frame."""

from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextlib import suppress

from shell.console.screen_events import ScreenEventQueue

FRAME_INTERVAL_S = 0.033
"""Reports that come closer together than this are drawn together."""
FRAME_BUDGET_S = 0.015
"""So long may one frame work before it leaves the rest to the next: keys come in between."""
FINAL_FRAME_BUDGET_S = 0.5
"""So long may text that has come be laid out when the program ends."""


class FrameTimer:
    """Calls `take` on the screen's loop whenever the inbox has something."""

    def __init__(self, screen_events: ScreenEventQueue, on_frame: Callable[[], None]) -> None:
        self._inbox = screen_events
        self._take = on_frame
        self._last_s = float("-inf")
        self._planned = False

    def start(self, loop: AbstractEventLoop) -> None:
        """Listen to the inbox from now on."""

        def wake() -> None:
            with suppress(RuntimeError):  # the loop has ended: nobody reads any more
                loop.call_soon_threadsafe(self._arrived, loop)

        self._inbox.set_wake_callback(wake)

    def stop(self) -> None:
        """Leave the rest unread."""
        self._inbox.set_wake_callback(None)

    def schedule_next(self, loop: AbstractEventLoop) -> None:
        """Take once more in the next frame: there was more than one frame has time for."""
        if not self._planned:
            self._planned = True
            # Not before the keys that came meanwhile have been read, however long this one took.
            loop.call_at(
                max(self._last_s + FRAME_INTERVAL_S, loop.time() + FRAME_BUDGET_S),
                self._frame,
                loop,
            )

    def _arrived(self, loop: AbstractEventLoop) -> None:
        due_s = self._last_s + FRAME_INTERVAL_S
        if self._planned:
            return
        if loop.time() < due_s:
            self._planned = True
            loop.call_at(due_s, self._frame, loop)
        else:
            self._frame(loop)

    def _frame(self, loop: AbstractEventLoop) -> None:
        self._planned = False
        self._last_s = loop.time()
        self._take()
