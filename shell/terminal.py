"""The terminal: one write a frame, finished text above the application, and acknowledgement."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TextIO

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.keys import Keys
from prompt_toolkit.output.vt100 import Vt100_Output

from shell.ink import width_of

ACKNOWLEDGED = Keys.ControlShift9
"""The key as which the terminal's answer arrives; no terminal sends it for a real one."""
_ASK = "\x1b[5n"
_ANSWER = "\x1b[0n"
_HOLD, _SHOW = "\x1b[?2026h", "\x1b[?2026l"
"""Synchronised output: a terminal that knows it shows a frame whole."""
_DEFAULT = Size(rows=24, columns=80)
_NARROWEST, _LOWEST = 4, 2
"""A smaller window is drawn as if it had this size: nothing can be read in it anyway."""


class FrameOutput(Vt100_Output):
    """Writes each frame at once, and survives that the terminal is gone."""

    def __init__(self, stdout: TextIO, get_size: Callable[[], Size]) -> None:
        super().__init__(
            stdout, lambda: bounded(get_size()), term=os.environ.get("TERM"), enable_cpr=False
        )
        self._open = False
        self.gone = False
        """The terminal was closed; nothing can be written any more."""

    @contextmanager
    def frame(self) -> Generator[None]:
        """Hold back everything that is written until the frame is complete."""
        self._open = True
        self.write_raw(_HOLD)
        try:
            yield
        finally:
            self._open = False
            self.write_raw(_SHOW)
            self.flush()

    def flush(self) -> None:
        """Write what is buffered, unless a frame is being put together."""
        if self._open or self.gone:
            return
        try:
            super().flush()
        except OSError:
            self.gone = True


class Screen:
    """Draws the application and prints above it."""

    def __init__(
        self, app: Application[Any], output: FrameOutput, drawn: Callable[[], None]
    ) -> None:
        """`drawn` is called after each drawing of ours; the library's has `after_render`."""
        self._app = app
        self._output = output
        self._drawn = drawn

    def draw(self, above: str = "") -> None:
        """Print `above` (whole lines, each ending in CR LF) over a fresh drawing, in one write."""
        if not self._app.is_running or self._app.context is None:
            return
        self._app.context.copy().run(self._draw, above)

    def cover(self) -> None:
        """Draw on the alternate screen from now on, where nothing of the session is lost."""
        self._app.renderer.erase()
        self._app.renderer.full_screen = True
        self.draw()

    def uncover(self) -> None:
        """Leave the alternate screen."""
        self._app.renderer.full_screen = False
        self._app.renderer.erase(leave_alternate_screen=True)

    def resized(self) -> None:
        """Draw anew after the window changed; rows that the terminal has wrapped are erased too."""
        self._output.cursor_up(self._wrapped_above_cursor())
        self.draw()

    def ask_for_acknowledgement(self) -> None:
        """Let the terminal answer once it has shown everything that was written before."""
        self._output.write_raw(_ASK)
        self._output.flush()

    def _draw(self, above: str) -> None:
        renderer = self._app.renderer
        with self._output.frame():
            renderer.erase(leave_alternate_screen=False)
            self._output.write_raw(above)
            renderer.render(self._app, self._app.layout)
        self._drawn()

    def _wrapped_above_cursor(self) -> int:
        """Rows that narrowing has added above the cursor; terminals wrap what no longer fits."""
        drawn = self._app.renderer.last_rendered_screen
        if drawn is None:
            return 0
        columns = self._output.get_size().columns
        cursor = drawn.get_cursor_position(self._app.layout.current_window)
        added = 0
        for y in range(cursor.y):
            row = drawn.data_buffer[y]
            text = "".join(row[x].char for x in range(drawn.width)).rstrip()
            added += max(width_of(text) - 1, 0) // columns
        return added + cursor.x // columns


def open_output(stdout: TextIO) -> FrameOutput:
    """Write to this terminal."""

    def size() -> Size:
        try:
            found = os.get_terminal_size(stdout.fileno())
        except OSError:
            return _DEFAULT
        return Size(rows=found.lines, columns=found.columns)

    return FrameOutput(stdout, size)


def bounded(size: Size) -> Size:
    """Make sense of a window that says it has no room, or next to none."""
    return Size(
        rows=max(size.rows or _DEFAULT.rows, _LOWEST),
        columns=max(size.columns or _DEFAULT.columns, _NARROWEST),
    )


def teach_keys() -> None:
    """Teach the parser the terminal's acknowledgement, and Shift-Enter where it is reported."""
    ANSI_SEQUENCES[_ANSWER] = ACKNOWLEDGED
    ANSI_SEQUENCES["\x1b[13;2u"] = Keys.ControlJ
