"""The approval on the screen: follows the state, keeps its arming and the timers for it."""

from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable

from shell.repl.bell import UNSEEN_S
from shell.view import arming
from shell.view.arming import Arming, Shown
from shell.view.state import State


class Dialog:
    """At most one request at a time; which one, the state says, and this when it takes keys."""

    def __init__(
        self, changed: Callable[[], None], busy: Callable[[], bool], ring: Callable[[], None]
    ) -> None:
        """`changed` is called when something is to be drawn anew, `ring` to fetch the person.

        While the person is `busy`, with a draft for one, nothing arms by itself.
        """
        self._changed = changed
        self._busy = busy
        self._ring = ring
        self._timer: TimerHandle | None = None
        self._last: Arming | None = None
        self.arming: Arming | None = None
        """None: no request is on the screen."""
        self.reasoning = False
        """The person is writing why not."""

    def follow(self, state: State, now_s: float) -> bool:
        """Show what the state shows; True when that is another request than before."""
        shown = state.requests.prompt_id
        if shown == (self.arming.id if self.arming else ""):
            return False
        self._last = self.arming or self._last
        self.reasoning = False
        self.arming = arming.inherited(self._last, shown, now_s) if shown else None
        return True

    def watched(self, loop: AbstractEventLoop) -> None:
        """Ring for what is on the screen now, should no key come for a while; once."""
        if self.arming:
            loop.call_later(UNSEEN_S, self._ring_unless_seen, self.arming)

    def drawn(self, shown: Shown) -> bool:
        """Note a frame; True: the terminal must be asked to acknowledge it."""
        if not self.arming:
            return False
        self.arming, ask = arming.drawn(self.arming, shown)
        return ask

    def acknowledged(self, loop: AbstractEventLoop) -> None:
        """The terminal has shown the oldest frame that waits for it; its answer came as a key."""
        if self.arming:
            self.arming = arming.acknowledged(arming.unpressed(self.arming), loop.time())
            self._wait(loop)
            self._changed()
        elif self._last:
            self._last = arming.acknowledged(self._last, loop.time())

    def pressed(self, loop: AbstractEventLoop) -> None:
        """A key came, whatever it did."""
        if self.arming:
            self.arming = arming.pressed(self.arming, loop.time())
            self._wait(loop)

    def forget(self, now_s: float) -> None:
        """Begin anew: what was shown may not be seen any more, nor what was asked be answered."""
        self._last = None
        if self.arming:
            self.arming = arming.begun(self.arming.id, now_s)

    def drafted(self) -> None:
        """Text went into the draft, or was pasted."""
        if self.arming and not self.reasoning:
            self.arming = arming.drafted(self.arming)

    def summoned(self) -> None:
        """The person wants to answer now."""
        if self.arming:
            self.arming = arming.summoned(self.arming)

    @property
    def key_is_alone(self) -> bool:
        """Whether the last key may be an answer: no other came right before it."""
        return self.arming is not None and arming.is_alone(self.arming)

    @property
    def may_refuse(self) -> bool:
        """Whether `n` and Tab work."""
        return self.arming is not None and arming.may_refuse(self.arming)

    @property
    def may_allow(self) -> bool:
        """Whether `y` and `a` work."""
        return self.arming is not None and arming.may_allow(self.arming)

    def _ring_unless_seen(self, begun: Arming) -> None:
        now = self.arming
        if now and now.id == begun.id and now.last_key_s == begun.last_key_s:
            self._ring()

    def _wait(self, loop: AbstractEventLoop) -> None:
        if self._timer:
            self._timer.cancel()
        ready_s = arming.ready_s(self.arming) if self.arming else None
        self._timer = loop.call_at(ready_s, self._tick, loop) if ready_s is not None else None

    def _tick(self, loop: AbstractEventLoop) -> None:
        if self.arming and not self.arming.armed:
            # A loop's timer may fire a clock tick early; it must not count as too early.
            now_s = max(loop.time(), arming.ready_s(self.arming) or 0.0)
            self.arming = arming.tick(self.arming, now_s, draft=self._busy())
            self._changed()
