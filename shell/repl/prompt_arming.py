"""The approval prompt on screen: follows the state, and keeps the arming state and its timers."""

from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable

from shell.repl.notify import NOTIFY_AFTER_S
from shell.view import arming
from shell.view.arming import Arming, DrawnRequest
from shell.view.screen_state import ScreenState


class PromptArming:
    """At most one prompt at a time: the state chooses which, this class when it accepts keys."""

    def __init__(
        self, on_change: Callable[[], None], is_busy: Callable[[], bool], notify: Callable[[], None]
    ) -> None:
        """`on_change` is called when a redraw is needed, `notify` to get the user's attention.

        While `is_busy` returns True, for example during a draft, no prompt arms on its own.
        """
        self._on_change = on_change
        self._is_busy = is_busy
        self.notify = notify
        self._timer: TimerHandle | None = None
        self._last_arming: Arming | None = None
        self.on_ready: Callable[[], None] = lambda: None
        """Called when the user may start to answer."""
        self.arming: Arming | None = None
        """None: no request is on screen."""
        self.is_entering_text = False
        """The user is typing a rejection reason or a reply."""

    def update(self, state: ScreenState, now_s: float) -> bool:
        """Follow the state; return whether another prompt is on screen now."""
        prompt_id = state.approvals.prompt_id
        if prompt_id == (self.arming.prompt_id if self.arming else ""):
            return False
        self._last_arming = self.arming or self._last_arming
        self.is_entering_text = False
        self.arming = (
            arming.start_next_arming(self._last_arming, prompt_id, now_s) if prompt_id else None
        )
        return True

    def schedule_notification(self, loop: AbstractEventLoop) -> None:
        """Notify the user once, if no key is pressed for a while."""
        if self.arming:
            loop.call_later(NOTIFY_AFTER_S, self._notify_if_unseen, self.arming)

    def record_frame(self, drawn_request: DrawnRequest) -> bool:
        """Record a frame; return whether to request an acknowledgment from the terminal."""
        if not self.arming:
            return False
        self.arming, needs_acknowledgment = arming.record_frame(self.arming, drawn_request)
        return needs_acknowledgment

    def on_acknowledged(self, loop: AbstractEventLoop) -> None:
        """Handle the acknowledgment of the oldest waiting frame, which arrives as a key."""
        if self.arming:
            # It arrives as a key, but must not restart the quiet period.
            self.arming = arming.record_acknowledgment(arming.undo_key(self.arming), loop.time())
            self._schedule_arming(loop)
            self._on_change()
        elif self._last_arming:
            self._last_arming = arming.record_acknowledgment(self._last_arming, loop.time())

    def on_key_press(self, loop: AbstractEventLoop) -> None:
        """Restart the quiet period after any key."""
        if self.arming:
            self.arming = arming.record_key(self.arming, loop.time())
            self._schedule_arming(loop)

    def undo_key(self) -> None:
        """Forget the last key, so that the next one may be an answer."""
        if self.arming:
            self.arming = arming.undo_key(self.arming)

    def reset(self, now_s: float) -> None:
        """Start over: the prompt may no longer be visible, and acknowledgments may be lost."""
        self._last_arming = None
        if self.arming:
            self.arming = arming.start_arming(self.arming.prompt_id, now_s)

    def on_draft_edit(self) -> None:
        """Disarm: text was typed or pasted into the draft."""
        if self.arming and not self.is_entering_text:
            self.arming = arming.disarm(self.arming)

    def focus(self) -> None:
        """Arm even over a draft: the user wants to answer now."""
        if self.arming:
            self._replace(arming.focus(self.arming))

    @property
    def is_isolated_key(self) -> bool:
        """Whether the last key may be an answer: no other key came right before it."""
        return self.arming is not None and arming.is_isolated_key(self.arming)

    @property
    def hidden_keys(self) -> str:
        """Keys of answers that the last frame left out."""
        drawn = self.arming.last_drawn if self.arming else None
        return drawn.hidden_keys if drawn else ""

    @property
    def can_reject(self) -> bool:
        """Whether `n` and Tab work."""
        return self.arming is not None and arming.can_reject(self.arming)

    @property
    def can_allow(self) -> bool:
        """Whether `y`, `a` and `p` work."""
        return self.arming is not None and arming.can_allow(self.arming)

    def _notify_if_unseen(self, scheduled: Arming) -> None:
        current = self.arming
        if (
            current
            and current.prompt_id == scheduled.prompt_id
            and current.last_key_s == scheduled.last_key_s
        ):
            self.notify()

    def _schedule_arming(self, loop: AbstractEventLoop) -> None:
        if self._timer:
            self._timer.cancel()
        ready_s = arming.get_ready_time_s(self.arming) if self.arming else None
        self._timer = loop.call_at(ready_s, self._on_timer, loop) if ready_s is not None else None

    def _on_timer(self, loop: AbstractEventLoop) -> None:
        if self.arming and not self.arming.is_armed:
            # A loop's timer may fire a clock tick early; that must not prevent arming.
            now_s = max(loop.time(), arming.get_ready_time_s(self.arming) or 0.0)
            self._replace(arming.arm_if_ready(self.arming, now_s, has_draft=self._is_busy()))
            self._on_change()

    def _replace(self, new: Arming) -> None:
        was_armed, self.arming = self.can_reject, new
        if new.is_armed and not was_armed:
            self.on_ready()
