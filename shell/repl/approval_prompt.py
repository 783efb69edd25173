"""The approval on the screen: follows the state, keeps its arming and the timers for it."""

from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable

from shell.repl.notify import NOTIFY_AFTER_S
from shell.view import arming
from shell.view.arming import Arming, DrawnRequest
from shell.view.screen_state import ScreenState


class ApprovalPrompt:
    """At most one request at a time; which one, the state says, and this when it takes keys."""

    def __init__(
        self, on_change: Callable[[], None], is_busy: Callable[[], bool], notify: Callable[[], None]
    ) -> None:
        """`changed` is called when something is to be drawn anew, `ring` to fetch the person.

        While the person is `busy`, with a draft for one, nothing arms by itself.
        """
        self._changed = on_change
        self._busy = is_busy
        self._ring = notify
        self._timer: TimerHandle | None = None
        self._last: Arming | None = None
        self.arming: Arming | None = None
        """None: no request is on the screen."""
        self.is_entering_text = False
        """The person is writing why not."""

    def update(self, state: ScreenState, now_s: float) -> bool:
        """Show what the state shows; True when that is another request than before."""
        shown = state.approvals.prompt_id
        if shown == (self.arming.prompt_id if self.arming else ""):
            return False
        self._last = self.arming or self._last
        self.is_entering_text = False
        self.arming = arming.start_next_arming(self._last, shown, now_s) if shown else None
        return True

    def schedule_notification(self, loop: AbstractEventLoop) -> None:
        """Ring for what is on the screen now, should no key come for a while; once."""
        if self.arming:
            loop.call_later(NOTIFY_AFTER_S, self._ring_unless_seen, self.arming)

    def record_frame(self, drawn_request: DrawnRequest) -> bool:
        """Note a frame; True: the terminal must be asked to acknowledge it."""
        if not self.arming:
            return False
        self.arming, ask = arming.record_frame(self.arming, drawn_request)
        return ask

    def on_acknowledged(self, loop: AbstractEventLoop) -> None:
        """The terminal has shown the oldest frame that waits for it; its answer came as a key."""
        if self.arming:
            self.arming = arming.record_acknowledgment(arming.undo_key(self.arming), loop.time())
            self._wait(loop)
            self._changed()
        elif self._last:
            self._last = arming.record_acknowledgment(self._last, loop.time())

    def on_key_press(self, loop: AbstractEventLoop) -> None:
        """A key came, whatever it did."""
        if self.arming:
            self.arming = arming.record_key(self.arming, loop.time())
            self._wait(loop)

    def reset(self, now_s: float) -> None:
        """Begin anew: what was shown may not be seen any more, nor what was asked be answered."""
        self._last = None
        if self.arming:
            self.arming = arming.start_arming(self.arming.prompt_id, now_s)

    def on_draft_edit(self) -> None:
        """Text went into the draft, or was pasted."""
        if self.arming and not self.is_entering_text:
            self.arming = arming.disarm(self.arming)

    def focus(self) -> None:
        """The person wants to answer now."""
        if self.arming:
            self.arming = arming.focus(self.arming)

    @property
    def is_isolated_key(self) -> bool:
        """Whether the last key may be an answer: no other came right before it."""
        return self.arming is not None and arming.is_isolated_key(self.arming)

    @property
    def can_reject(self) -> bool:
        """Whether `n` and Tab work."""
        return self.arming is not None and arming.can_reject(self.arming)

    @property
    def can_allow(self) -> bool:
        """Whether `y` and `a` work."""
        return self.arming is not None and arming.can_allow(self.arming)

    def _ring_unless_seen(self, begun: Arming) -> None:
        now = self.arming
        if now and now.prompt_id == begun.prompt_id and now.last_key_s == begun.last_key_s:
            self._ring()

    def _wait(self, loop: AbstractEventLoop) -> None:
        if self._timer:
            self._timer.cancel()
        ready_s = arming.get_ready_time_s(self.arming) if self.arming else None
        self._timer = loop.call_at(ready_s, self._tick, loop) if ready_s is not None else None

    def _tick(self, loop: AbstractEventLoop) -> None:
        if self.arming and not self.arming.is_armed:
            # A loop's timer may fire a clock tick early; it must not count as too early.
            now_s = max(loop.time(), arming.get_ready_time_s(self.arming) or 0.0)
            self.arming = arming.arm_if_ready(self.arming, now_s, has_draft=self._busy())
            self._changed()
