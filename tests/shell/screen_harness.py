"""The real REPL in this process: keys through a pipe, output into a terminal emulator."""

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
from shell.console.screen_event_queue import ScreenEvent, ScreenEventQueue
from shell.repl.key_actions import ESCAPE_DEBOUNCE_S
from shell.repl.repl import Repl
from shell.repl.resize import RESIZE_SETTLE_S
from shell.repl.screen_parts import ScreenParts
from shell.repl.terminal_output import FrameOutput
from shell.sessions.session_context import SessionContext
from shell.view.arming import MIN_KEY_GAP_S

DEADLINE_S = 10.0
KEY_PAUSE_S = 2 * max(MIN_KEY_GAP_S, ESCAPE_DEBOUNCE_S)
"""After this pause a key is neither part of a burst nor of a double press."""


class TerminalEmulator(StringIO):
    """A terminal in memory; it answers ESC[5n, unless it simulates a slow connection."""

    def __init__(self, keyboard: PipeInput, *, rows: int, columns: int, acknowledges: bool) -> None:
        super().__init__()
        self.screen = pyte.HistoryScreen(columns, rows, history=10_000)
        self.written = asyncio.Event()
        self.raw = ""
        self.on_write: Callable[[str], None] = lambda _text: None
        """Called after each write with its text."""
        self._acknowledges = acknowledges
        self._keyboard = keyboard
        self._stream = pyte.Stream(self.screen)

    def write(self, text: str, /) -> int:
        self.raw += text
        self._stream.feed(text)
        if self._acknowledges:
            for _ in range(text.count("\x1b[5n")):
                self.send_acknowledgment()
        self.written.set()
        self.on_write(text)
        return len(text)

    def send_acknowledgment(self) -> None:
        self._keyboard.send_text("\x1b[0n")

    def resize(self, columns: int) -> None:
        """Wrap rows that no longer fit, as most terminals do; the cursor moves along."""
        screen = self.screen
        y, x = screen.cursor.y, screen.cursor.x
        rows, cursor_row = [row.rstrip() for row in screen.display[: y + 1]], 0
        pieces: list[str] = []
        for number, row in enumerate(rows):
            cursor_row = len(pieces) + (x // columns if number == y else 0)
            pieces += [row[a : a + columns] for a in range(0, len(row), columns)] or [""]
        below = [piece.rstrip() for piece in screen.display[y + 1 :]]
        pieces += [row[a : a + columns] for row in below for a in range(0, len(row), columns)]
        screen.resize(screen.lines, columns)
        screen.cursor_position()
        screen.erase_in_display(2)
        self._stream.feed("\r\n".join(pieces))
        screen.cursor_position(
            max(cursor_row - max(len(pieces) - screen.lines, 0), 0) + 1, x % columns + 1
        )


class AdvanceableEventLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock a test can advance."""

    offset_s = 0.0

    def time(self) -> float:
        return super().time() + self.offset_s


@dataclass
class ScreenHarness:
    """The REPL under test, its keyboard and its screen."""

    keyboard: PipeInput
    emulator: TerminalEmulator
    screen_events: ScreenEventQueue
    repl: Repl
    loop: AdvanceableEventLoop
    posted: list[Message] = field(default_factory=list)

    async def resize(self, columns: int) -> None:
        """Change the width of the window and wait until it is redrawn."""
        self.emulator.resize(columns)
        self.parts.resize.on_resize()
        self.loop.offset_s += RESIZE_SETTLE_S
        await self.wait_until(lambda: not self.parts.resize.is_settling, "the end of the resize")

    def put_events(self, *events: ScreenEvent) -> None:
        for event in events:
            self.screen_events.put(event)

    def type(self, keys: str) -> None:
        self.keyboard.send_text(keys)

    async def press_key(self, key: str) -> None:
        """Press one isolated key and wait until it has been handled."""
        self.loop.offset_s += KEY_PAUSE_S
        handled = asyncio.Event()

        def on_key(_keys: KeyProcessor) -> None:
            handled.set()

        self.parts.app.key_processor.after_key_press += on_key
        self.type(key)
        async with asyncio.timeout(DEADLINE_S):
            await handled.wait()

    @property
    def parts(self) -> ScreenParts:
        return self.repl.parts

    @property
    def rows(self) -> list[str]:
        return [row.rstrip() for row in self.emulator.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    @property
    def scrollback(self) -> str:
        screen = self.emulator.screen
        scrolled_out = (
            "".join(row[x].data for x in range(screen.columns)) for row in screen.history.top
        )
        return "\n".join(line.rstrip() for line in (*scrolled_out, *self.rows))

    async def wait_until(self, condition: Callable[[], object], description: str) -> None:
        """Wait for output until the condition holds; fail with the contents of the screen."""
        try:
            async with asyncio.timeout(DEADLINE_S):
                while not condition():
                    self.emulator.written.clear()
                    await self.emulator.written.wait()
        except TimeoutError:
            message = f"timed out waiting for {description}; the screen:\n{self.text}"
            raise AssertionError(message) from None

    async def wait_for_text(self, text: str) -> None:
        await self.wait_until(lambda: text in self.text, f"{text!r}")

    async def wait_for_no_text(self, text: str) -> None:
        await self.wait_until(lambda: text not in self.text, f"{text!r} to go")

    async def wait_until_armed(self) -> None:
        await self.wait_until(lambda: self.parts.approval_prompt.can_reject, "the approval to arm")


def run_on_screen(  # noqa: PLR0913  (what a test may choose)
    script: Callable[[ScreenHarness], Awaitable[None]],
    *,
    rows: int = 24,
    columns: int = 80,
    acknowledges: bool = True,
    first_prompt: str | None = None,
    session_context: SessionContext | None = None,
) -> int:
    """Run the REPL together with a script; return the exit status."""

    clock = AdvanceableEventLoop()

    async def run_script() -> int:
        with open_screen(
            rows,
            columns,
            clock,
            acknowledges=acknowledges,
            first_prompt=first_prompt,
            session_context=session_context,
        ) as screen:
            status = asyncio.ensure_future(screen.repl.run_async())
            await screen.wait_until(
                lambda: screen.parts.app.is_running and screen.emulator.raw, "a screen"
            )
            try:
                await script(screen)
            finally:
                screen.repl.exit()
                exit_status = await status
            return exit_status

    with asyncio.Runner(loop_factory=lambda: clock) as runner:
        return runner.run(run_script())


@contextmanager
def open_screen(  # noqa: PLR0913  (what a test may choose)
    rows: int,
    columns: int,
    loop: AdvanceableEventLoop,
    *,
    acknowledges: bool,
    first_prompt: str | None,
    session_context: SessionContext | None,
) -> Generator[ScreenHarness]:
    with create_pipe_input() as keyboard:
        emulator = TerminalEmulator(keyboard, rows=rows, columns=columns, acknowledges=acknowledges)
        output = FrameOutput(
            emulator,
            lambda: Size(rows=emulator.screen.lines, columns=emulator.screen.columns),
        )
        posted: list[Message] = []
        screen_events = ScreenEventQueue()
        with create_app_session(input=keyboard, output=output):
            repl = Repl(
                posted.append,
                screen_events,
                session_context or SessionContext(),
                first_prompt,
                keyboard=keyboard,
                output=output,
                color=True,
            )
            yield ScreenHarness(keyboard, emulator, screen_events, repl, loop, posted)
