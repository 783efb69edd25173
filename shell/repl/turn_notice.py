"""Gets the user's attention when a long turn has ended and no one seems to have seen it."""

from asyncio import TimerHandle
from collections.abc import Callable

from shell.repl.notify import NOTIFY_AFTER_S
from shell.repl.screen_loop import ScreenLoop
from shell.repl.screen_state_port import StateOwner

LONG_TURN_S = 30.0
"""Users look at something else during a turn that takes this long."""


class TurnNotice:
    """Calls `notify` if no key follows the end of a long turn for a while."""

    def __init__(self, owner: StateOwner, loop: ScreenLoop, notify: Callable[[], None]) -> None:
        self._owner, self._loop, self._notify = owner, loop, notify
        self._started_s: float | None = None
        """When the running turn started; None: no turn runs."""
        self._timer: TimerHandle | None = None

    def update(self) -> None:
        """Watch a turn that has started or ended."""
        turn, started_s = self._owner.state.turn, self._started_s
        self._started_s = turn.started_s if turn else None
        if turn:
            self.cancel()
        elif started_s is not None and self._owner.now_s - started_s >= LONG_TURN_S:
            self._timer = self._loop.call_later(NOTIFY_AFTER_S, self._notify)

    def cancel(self) -> None:
        """Do not notify: the user is here, or another turn runs."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
