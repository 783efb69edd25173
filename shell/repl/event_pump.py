"""What happens: taken in one batch a frame, drawn, and what lasts of it printed above.

A frame takes in and lays out as much as it has time for; the rest waits for the next ones.
"""

from asyncio import AbstractEventLoop
from collections.abc import Callable
from dataclasses import dataclass

from messages.base import Message
from shell.console.screen_events import ScreenEventQueue
from shell.repl.frame_timer import FINAL_FRAME_BUDGET_S, FRAME_BUDGET_S, FrameTimer
from shell.repl.print_queue import PrintQueue
from shell.view import event_reducer, screen_state
from shell.view.screen_state import RestoreDraft, ScreenState, ScreenUpdate, SendCommand
from shell.view.scrollback_renderer import render_item


@dataclass(frozen=True, slots=True)
class Printer:
    """What is printed on."""

    draw: Callable[[str], None]
    """Print lines above a fresh drawing; without any, draw what has changed."""
    get_width: Callable[[], int]
    color: bool
    can_print: Callable[[], bool] = lambda: True
    """Whether lines can be printed now; else they wait."""


class EventPump:
    """Owns the state, and what of it is still to be printed."""

    def __init__(
        self,
        screen_events: ScreenEventQueue,
        printer: Printer,
        post: Callable[[Message], None],
        restore_draft: Callable[[str], None],
        on_change: Callable[[], None],
    ) -> None:
        """`post` carries intents away, `refill` puts text into the input.

        `changed` is called after each new state, before it is drawn.
        """
        self._inbox, self._paper = screen_events, printer
        self._post, self._refill, self._changed = post, restore_draft, on_change
        self._frames = FrameTimer(screen_events, self._take_in)
        self._backlog = PrintQueue()
        self._loop: AbstractEventLoop | None = None
        self.state = ScreenState()

    @property
    def now_s(self) -> float:
        """The loop's clock."""
        return self._loop.time() if self._loop else 0.0

    def start(self, loop: AbstractEventLoop) -> None:
        """Take reports from now on."""
        self._frames.start(loop)

    def set_loop(self, loop: AbstractEventLoop) -> None:
        """Go by this loop's clock."""
        self._loop = loop

    def stop(self) -> None:
        """Leave the rest unread."""
        self._frames.stop()

    def apply(self, update: ScreenUpdate) -> None:
        """Take a new state and carry out what comes with it."""
        self._apply(update)
        self._show(self.now_s + FRAME_BUDGET_S)

    def drop_pending_text(self) -> None:
        """Leave out what of the turn's text has come but is not printed yet."""
        self._backlog.start_dropping()

    def print_pending(self) -> None:
        """Print what could not be printed."""
        self._show(self.now_s + FRAME_BUDGET_S)

    def finish(self) -> None:
        """Draw what there is to say, before the end."""
        for event in self._inbox.take_all():
            self._apply(event_reducer.apply_event(self.state, event, self.now_s))
        if self.state.turn:
            _, prose = screen_state.flush_tail(self.state.turn)
            self._apply((self.state, prose))
        self._show(self.now_s + FINAL_FRAME_BUDGET_S)
        self._backlog.start_dropping()
        self._backlog.stop_dropping()
        self._show(float("inf"))

    def _take_in(self) -> None:
        """Take in what has been reported, and draw it as one frame; the rest in the next ones."""
        until_s = self.now_s + FRAME_BUDGET_S
        while self.now_s < until_s and (event := self._inbox.take_next()):
            self._apply(event_reducer.apply_event(self.state, event, self.now_s))
        if not (self.state.turn and self.state.turn.is_interrupting):
            self._backlog.stop_dropping()
        self._show(until_s)

    def _apply(self, done: ScreenUpdate) -> None:
        """Take a new state; what is to be printed waits for its frame."""
        self.state, effects = done
        for effect in effects:
            match effect:
                case SendCommand():
                    self._post(effect.command)
                case RestoreDraft():
                    self._refill(effect.text)
                case _:
                    self._backlog.add(effect)

    def _show(self, until_s: float) -> None:
        """Draw what has changed, with as much above it as there is time to lay out."""
        prints = self._paper.can_print()
        above = self._laid_out(until_s) if prints else ""
        self._changed()
        self._paper.draw(above)
        if self._loop and (self._inbox or (self._backlog and prints)):
            self._frames.schedule_next(self._loop)

    def _laid_out(self, until_s: float) -> str:
        width = self._paper.get_width()
        lines: list[str] = []
        while self._backlog and (not lines or self.now_s < until_s):
            lines.append(render_item(self._backlog.pop(), width, color=self._paper.color))
        return "".join(lines)
