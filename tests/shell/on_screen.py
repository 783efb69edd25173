"""The real application in this process: keys through a pipe, bytes into a terminal emulator."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO

import pyte
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.key_binding.key_processor import KeyProcessor

from messages.base import Message
from shell.inbox import Event, ScreenEventQueue
from shell.repl.desk import ScreenController
from shell.repl.hands import ONE_PRESS_S
from shell.repl.repl import Repl
from shell.repl.resizing import SETTLE_S
from shell.repl.terminal import FrameOutput
from shell.view.arming import ALONE_S
from shell.workplace import Workplace

DEADLINE_S = 10.0
UNHURRIED_S = 2 * max(ALONE_S, ONE_PRESS_S)
"""A key so long after the one before has nothing to do with it."""


class Emulator(StringIO):
    """A terminal in memory; it answers ESC[5n, unless it plays a slow link."""

    def __init__(self, keyboard: PipeInput, *, rows: int, columns: int, answers: bool) -> None:
        super().__init__()
        self.screen = pyte.HistoryScreen(columns, rows, history=10_000)
        self.written = asyncio.Event()
        self.raw = ""
        self.questions = 0
        self.seen: Callable[[str], None] = lambda _text: None
        """Called after each write, with what was written."""
        self._answers = answers
        self._keyboard = keyboard
        self._stream = pyte.Stream(self.screen)

    def write(self, text: str, /) -> int:
        self.raw += text
        self._stream.feed(text)
        for _ in range(text.count("\x1b[5n")):
            self.questions += 1
            if self._answers:
                self.answer()
        self.written.set()
        self.seen(text)
        return len(text)

    def answer(self) -> None:
        self._keyboard.send_text("\x1b[0n")

    def resize(self, columns: int) -> None:
        """Do as most terminals do: what no longer fits is wrapped, and the cursor stays with it."""
        screen = self.screen
        y, x = screen.cursor.y, screen.cursor.x
        rows, at = [row.rstrip() for row in screen.display[: y + 1]], 0
        pieces: list[str] = []
        for number, row in enumerate(rows):
            at = len(pieces) + (x // columns if number == y else 0)
            pieces += [row[a : a + columns] for a in range(0, len(row), columns)] or [""]
        below = [piece.rstrip() for piece in screen.display[y + 1 :]]
        pieces += [row[a : a + columns] for row in below for a in range(0, len(row), columns)]
        screen.resize(screen.lines, columns)
        screen.cursor_position()
        screen.erase_in_display(2)
        self._stream.feed("\r\n".join(pieces))
        screen.cursor_position(max(at - max(len(pieces) - screen.lines, 0), 0) + 1, x % columns + 1)


class Clock(asyncio.SelectorEventLoop):
    """A loop on which a test can let time pass without waiting for it."""

    ahead_s = 0.0

    def time(self) -> float:
        return super().time() + self.ahead_s


@dataclass
class OnScreen:
    """What a test sees and does."""

    keyboard: PipeInput
    emulator: Emulator
    inbox: ScreenEventQueue
    repl: Repl
    clock: Clock
    posted: list[Message] = field(default_factory=list)

    async def resize(self, columns: int) -> None:
        """Give the window another width and wait until it is drawn in."""
        self.emulator.resize(columns)
        self.desk.resizing.begin()
        self.clock.ahead_s += SETTLE_S
        await self.until(lambda: not self.desk.resizing.settling, "the window to keep its size")

    def report(self, *events: Event) -> None:
        for event in events:
            self.inbox.put(event)

    def type(self, keys: str) -> None:
        self.keyboard.send_text(keys)

    async def press(self, key: str) -> None:
        """Type one key by itself and wait until it has been dealt with, whatever it did."""
        self.clock.ahead_s += UNHURRIED_S
        dealt_with = asyncio.Event()

        def note(_keys: KeyProcessor) -> None:
            dealt_with.set()

        self.desk.app.key_processor.after_key_press += note
        self.type(key)
        async with asyncio.timeout(DEADLINE_S):
            await dealt_with.wait()

    @property
    def desk(self) -> ScreenController:
        return self.repl.desk

    @property
    def rows(self) -> list[str]:
        return [row.rstrip() for row in self.emulator.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    @property
    def scrollback(self) -> str:
        screen = self.emulator.screen
        gone = ("".join(row[x].data for x in range(screen.columns)) for row in screen.history.top)
        return "\n".join(line.rstrip() for line in (*gone, *self.rows))

    async def until(self, holds: Callable[[], object], what: str) -> None:
        """Wait for the terminal to be written to until something holds; fail with the screen."""
        try:
            async with asyncio.timeout(DEADLINE_S):
                while not holds():
                    self.emulator.written.clear()
                    await self.emulator.written.wait()
        except TimeoutError:
            message = f"waited in vain for {what}; the screen:\n{self.text}"
            raise AssertionError(message) from None

    async def shows(self, text: str) -> None:
        await self.until(lambda: text in self.text, f"{text!r}")

    async def hides(self, text: str) -> None:
        await self.until(lambda: text not in self.text, f"{text!r} to go")

    async def armed(self) -> None:
        await self.until(lambda: self.desk.dialog.may_refuse, "the approval to arm")


def play(  # noqa: PLR0913  (what a test may choose)
    script: Callable[[OnScreen], Awaitable[None]],
    *,
    rows: int = 24,
    columns: int = 80,
    answers: bool = True,
    first_prompt: str | None = None,
    place: Workplace | None = None,
) -> int:
    """Run the application with a script beside it; returns the exit status."""

    clock = Clock()

    async def both() -> int:
        with on_screen(
            rows, columns, clock, answers=answers, first_prompt=first_prompt, place=place
        ) as here:
            status = asyncio.ensure_future(here.repl.serve())
            await here.until(lambda: here.desk.app.is_running and here.emulator.raw, "a screen")
            try:
                await script(here)
            finally:
                here.repl.leave()
                ended = await status
            return ended

    with asyncio.Runner(loop_factory=lambda: clock) as runner:
        return runner.run(both())


@contextmanager
def on_screen(  # noqa: PLR0913  (what a test may choose)
    rows: int,
    columns: int,
    clock: Clock,
    *,
    answers: bool,
    first_prompt: str | None,
    place: Workplace | None,
) -> Generator[OnScreen]:
    with create_pipe_input() as keyboard:
        emulator = Emulator(keyboard, rows=rows, columns=columns, answers=answers)
        output = FrameOutput(
            emulator,
            lambda: Size(rows=emulator.screen.lines, columns=emulator.screen.columns),
        )
        posted: list[Message] = []
        inbox = ScreenEventQueue()
        with create_app_session(input=keyboard, output=output):
            repl = Repl(
                posted.append,
                inbox,
                place or Workplace(),
                first_prompt,
                keyboard=keyboard,
                output=output,
                colour=True,
            )
            yield OnScreen(keyboard, emulator, inbox, repl, clock, posted)
