"""What happens: taken in one batch a frame, drawn, and what lasts of it printed above.

A frame takes in and lays out as much as it has time for; the rest waits for the next ones.
"""

from asyncio import AbstractEventLoop
from collections.abc import Callable
from dataclasses import dataclass

from messages.base import Message
from shell.inbox import ScreenEventQueue
from shell.repl.backlog import Backlog
from shell.repl.frames import LAST_WORK_S, WORK_S, Frames
from shell.view import events, state
from shell.view.render import rendered
from shell.view.state import RestoreDraft, ScreenUpdate, SendCommand, State


@dataclass(frozen=True, slots=True)
class Printer:
    """What is printed on."""

    draw: Callable[[str], None]
    """Print lines above a fresh drawing; without any, draw what has changed."""
    width: Callable[[], int]
    colour: bool
    takes_lines: Callable[[], bool] = lambda: True
    """Whether lines can be printed now; else they wait."""


class Updates:
    """Owns the state, and what of it is still to be printed."""

    def __init__(
        self,
        inbox: ScreenEventQueue,
        paper: Printer,
        post: Callable[[Message], None],
        refill: Callable[[str], None],
        changed: Callable[[], None],
    ) -> None:
        """`post` carries intents away, `refill` puts text into the input.

        `changed` is called after each new state, before it is drawn.
        """
        self._inbox, self._paper = inbox, paper
        self._post, self._refill, self._changed = post, refill, changed
        self._frames = Frames(inbox, self._take_in)
        self._backlog = Backlog()
        self._loop: AbstractEventLoop | None = None
        self.state = State()

    @property
    def now_s(self) -> float:
        """The loop's clock."""
        return self._loop.time() if self._loop else 0.0

    def start(self, loop: AbstractEventLoop) -> None:
        """Take reports from now on."""
        self._frames.start(loop)

    def keep_time(self, loop: AbstractEventLoop) -> None:
        """Go by this loop's clock."""
        self._loop = loop

    def stop(self) -> None:
        """Leave the rest unread."""
        self._frames.stop()

    def step(self, done: ScreenUpdate) -> None:
        """Take a new state and carry out what comes with it."""
        self._apply(done)
        self._show(self.now_s + WORK_S)

    def hurry(self) -> None:
        """Leave out what of the turn's text has come but is not printed yet."""
        self._backlog.hurry()

    def release(self) -> None:
        """Print what could not be printed."""
        self._show(self.now_s + WORK_S)

    def finish(self) -> None:
        """Draw what there is to say, before the end."""
        for event in self._inbox.take():
            self._apply(events.received(self.state, event, self.now_s))
        if self.state.turn:
            _, prose = state.flushed(self.state.turn)
            self._apply((self.state, prose))
        self._show(self.now_s + LAST_WORK_S)
        self._backlog.hurry()
        self._backlog.calm()
        self._show(float("inf"))

    def _take_in(self) -> None:
        """Take in what has been reported, and draw it as one frame; the rest in the next ones."""
        until_s = self.now_s + WORK_S
        while self.now_s < until_s and (event := self._inbox.next()):
            self._apply(events.received(self.state, event, self.now_s))
        if not (self.state.turn and self.state.turn.interrupting):
            self._backlog.calm()
        self._show(until_s)

    def _apply(self, done: ScreenUpdate) -> None:
        """Take a new state; what is to be printed waits for its frame."""
        self.state, effects = done
        for effect in effects:
            match effect:
                case SendCommand():
                    self._post(effect.intent)
                case RestoreDraft():
                    self._refill(effect.text)
                case _:
                    self._backlog.add(effect)

    def _show(self, until_s: float) -> None:
        """Draw what has changed, with as much above it as there is time to lay out."""
        prints = self._paper.takes_lines()
        above = self._laid_out(until_s) if prints else ""
        self._changed()
        self._paper.draw(above)
        if self._loop and (self._inbox or (self._backlog and prints)):
            self._frames.again(self._loop)

    def _laid_out(self, until_s: float) -> str:
        width = self._paper.width()
        lines: list[str] = []
        while self._backlog and (not lines or self.now_s < until_s):
            lines.append(rendered(self._backlog.take(), width, colour=self._paper.colour))
        return "".join(lines)
