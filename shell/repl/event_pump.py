"""The event pump: applies incoming events in one batch per frame, draws, and prints above.

A frame applies and lays out as much as its time budget allows; the rest waits for the next frames.
"""

from asyncio import AbstractEventLoop
from collections.abc import Callable
from dataclasses import dataclass, replace

from messages.base import Message
from shell.console.screen_event_queue import ScreenEventQueue
from shell.repl.frame_timer import FINAL_FRAME_BUDGET_S, FRAME_BUDGET_S, FrameTimer
from shell.repl.print_queue import PrintQueue
from shell.view import event_reducer, screen_state
from shell.view.held_lookups import hold_lookups
from shell.view.screen_state import RestoreDraft, ScreenState, ScreenUpdate, SendCommand
from shell.view.scrollback_renderer import render_item


@dataclass(frozen=True, slots=True)
class Printer:
    """The output that the event pump draws on."""

    draw: Callable[[str], None]
    """Print lines above a fresh drawing; without lines, redraw what has changed."""
    get_width: Callable[[], int]
    color: bool
    can_print: Callable[[], bool] = lambda: True
    """Whether lines can be printed now; otherwise they wait."""


class EventPump:
    """Owns the screen state and the queue of items to print."""

    def __init__(
        self,
        screen_events: ScreenEventQueue,
        printer: Printer,
        post: Callable[[Message], None],
        restore_draft: Callable[[str], None],
        on_change: Callable[[], None],
    ) -> None:
        """`post` sends commands; `restore_draft` puts text into the input.

        `on_change` is called after each new state, before it is drawn.
        """
        self._events, self._printer = screen_events, printer
        self._post, self._restore_draft, self._on_change = post, restore_draft, on_change
        self._frames = FrameTimer(screen_events, self._on_frame)
        self._print_queue = PrintQueue()
        self._loop: AbstractEventLoop | None = None
        self.state = ScreenState()

    @property
    def now_s(self) -> float:
        """The event loop's time."""
        return self._loop.time() if self._loop else 0.0

    def start(self, loop: AbstractEventLoop) -> None:
        """Process events from now on."""
        self._frames.start(loop)

    def set_loop(self, loop: AbstractEventLoop) -> None:
        """Use this event loop's clock."""
        self._loop = loop

    def stop(self) -> None:
        """Stop processing events; the rest stays unread."""
        self._frames.stop()

    def apply(self, update: ScreenUpdate) -> None:
        """Set a new state and carry out its effects."""
        self._apply_update(hold_lookups(update))
        self._draw(self.now_s + FRAME_BUDGET_S)

    def interrupt(self) -> None:
        """Interrupt the turn and drop its text that is not printed yet."""
        self._print_queue.start_dropping()
        self.apply(screen_state.interrupt(self.state))

    def print_pending(self) -> None:
        """Print what had to wait."""
        self._draw(self.now_s + FRAME_BUDGET_S)

    def finish(self) -> None:
        """Apply and print everything that is left, before the end."""
        for event in self._events.take_all():
            self._apply_update(event_reducer.apply_event(self.state, event, self.now_s))
        if self.state.turn:
            turn, prose = screen_state.flush_tail(self.state.turn)
            self._apply_update(hold_lookups((replace(self.state, turn=None), prose)))
            self.state = replace(self.state, turn=turn)  # it stays in the session
        self._draw(self.now_s + FINAL_FRAME_BUDGET_S)
        self._print_queue.start_dropping()  # what takes too long to lay out is only counted
        self._print_queue.stop_dropping()
        self._draw(float("inf"))

    def _on_frame(self) -> None:
        """Apply waiting events and draw one frame; the rest follows in the next frames."""
        until_s = self.now_s + FRAME_BUDGET_S
        while self.now_s < until_s and (event := self._events.take_next()):
            self._apply_update(event_reducer.apply_event(self.state, event, self.now_s))
        if not (self.state.turn and self.state.turn.is_interrupting):
            self._print_queue.stop_dropping()
        self._draw(until_s)

    def _apply_update(self, update: ScreenUpdate) -> None:
        """Set a new state; items to print wait for their frame."""
        self.state, effects = update
        for effect in effects:
            match effect:
                case SendCommand():
                    self._post(effect.command)
                case RestoreDraft():
                    self._restore_draft(effect.text)
                case _:
                    self._print_queue.add(effect)

    def _draw(self, until_s: float) -> None:
        """Draw changes, with as many printed lines above as there is time to lay out."""
        can_print = self._printer.can_print()
        above = self._render_pending(until_s) if can_print else ""
        self._on_change()
        self._printer.draw(above)
        if self._loop and (self._events or (self._print_queue and can_print)):
            self._frames.schedule_next(self._loop)

    def _render_pending(self, until_s: float) -> str:
        width = self._printer.get_width()
        lines: list[str] = []
        while self._print_queue and (not lines or self.now_s < until_s):
            lines.append(render_item(self._print_queue.pop(), width, color=self._printer.color))
        return "".join(lines)
