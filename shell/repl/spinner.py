"""The spinner's timer: redraws while a turn or a user command runs."""

from collections.abc import Callable

from shell.repl.screen_loop import ScreenLoop
from shell.repl.screen_state_port import StateOwner
from shell.view.progress_rows import SPINNER_FRAMES_PER_S


class Spinner:
    """Calls `on_frame` for each frame of the animation."""

    def __init__(self, owner: StateOwner, loop: ScreenLoop, on_frame: Callable[[], None]) -> None:
        self._owner, self._loop, self._on_frame = owner, loop, on_frame
        self._is_spinning = False

    def update(self) -> None:
        """Start if something runs now."""
        if not self._is_spinning:
            self._animate()

    def _animate(self) -> None:
        """Draw a frame, and schedule the next one as long as something runs."""
        self._is_spinning = self._owner.state.is_working
        if self._is_spinning and self._loop.running:
            self._on_frame()
            self._loop.call_later(1 / SPINNER_FRAMES_PER_S, self._animate)
