"""When reports are taken: the first at once, then at most one batch a frame."""

from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextlib import suppress

from shell.inbox import Inbox

FRAME_S = 0.033
"""Reports that come closer together than this are drawn together."""


class Frames:
    """Calls `take` on the screen's loop whenever the inbox has something."""

    def __init__(self, inbox: Inbox, take: Callable[[], None]) -> None:
        self._inbox = inbox
        self._take = take
        self._last_s = float("-inf")

    def start(self, loop: AbstractEventLoop) -> None:
        """Listen to the inbox from now on."""

        def wake() -> None:
            with suppress(RuntimeError):  # the loop has ended: nobody reads any more
                loop.call_soon_threadsafe(self._arrived, loop)

        self._inbox.listen(wake)

    def stop(self) -> None:
        """Leave the rest unread."""
        self._inbox.listen(None)

    def _arrived(self, loop: AbstractEventLoop) -> None:
        due_s = self._last_s + FRAME_S
        if loop.time() < due_s:
            loop.call_at(due_s, self._frame, loop)
        else:
            self._frame(loop)

    def _frame(self, loop: AbstractEventLoop) -> None:
        self._last_s = loop.time()
        self._take()
