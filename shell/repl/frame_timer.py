"""The frame timer: the first event is processed at once, later ones once per frame."""

from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextlib import suppress

from shell.console.screen_event_queue import ScreenEventQueue

FRAME_INTERVAL_S = 0.033
"""Events closer together than this are drawn in one frame."""
FRAME_BUDGET_S = 0.015
"""Time that one frame may take before it leaves the rest to the next; keys are read in between."""
FINAL_FRAME_BUDGET_S = 0.5
"""Time for laying out the remaining text when the program ends."""


class FrameTimer:
    """Calls `on_frame` on the screen's event loop whenever events are waiting."""

    def __init__(self, screen_events: ScreenEventQueue, on_frame: Callable[[], None]) -> None:
        self._events = screen_events
        self._on_frame = on_frame
        self._last_frame_s = float("-inf")
        self._is_scheduled = False

    def start(self, loop: AbstractEventLoop) -> None:
        """React to events from now on."""

        def wake() -> None:
            with suppress(RuntimeError):  # the loop has ended, so nothing reads events anymore
                loop.call_soon_threadsafe(self._on_event, loop)

        self._events.set_wake_callback(wake)

    def stop(self) -> None:
        """Stop reacting to events; the rest stays unread."""
        self._events.set_wake_callback(None)

    def schedule_next(self, loop: AbstractEventLoop) -> None:
        """Schedule another frame: there was more work than one frame has time for."""
        if not self._is_scheduled:
            self._is_scheduled = True
            # Keys that arrived meanwhile must be read first, however long this frame took.
            loop.call_at(
                max(self._last_frame_s + FRAME_INTERVAL_S, loop.time() + FRAME_BUDGET_S),
                self._run_frame,
                loop,
            )

    def _on_event(self, loop: AbstractEventLoop) -> None:
        due_s = self._last_frame_s + FRAME_INTERVAL_S
        if self._is_scheduled:
            return
        if loop.time() < due_s:
            self._is_scheduled = True
            loop.call_at(due_s, self._run_frame, loop)
        else:
            self._run_frame(loop)

    def _run_frame(self, loop: AbstractEventLoop) -> None:
        self._is_scheduled = False
        self._last_frame_s = loop.time()
        self._on_frame()
