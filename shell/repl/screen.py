"""The screen: the application at the bottom, finished text above, each frame in one write."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from prompt_toolkit.application import Application

from shell.repl.application import InlineApplication
from shell.repl.terminal_output import STATUS_QUERY, FrameOutput
from shell.view.terminal_reflow import count_added_rows, is_reflowing_terminal

_START_OF_LINE = "\r\x1b[K"


class Screen:
    """Draws the application and prints above it."""

    def __init__(
        self,
        app: InlineApplication,
        output: FrameOutput,
        count_rows: Callable[[], int],
        on_drawn: Callable[[], None],
    ) -> None:
        """`count_rows` returns the rows of the next frame; `on_drawn` is called after a drawing."""
        self._app = app
        self._output = output
        self._count_rows = count_rows
        self._on_drawn = on_drawn
        self._drawn_rows = 0
        self._columns = 0
        """The window's width at the last drawing."""
        app.before_render += self._before_render
        app.after_render += self._after_render

    @property
    def is_frozen(self) -> bool:
        """Whether drawing is paused."""
        return self._app.is_frozen

    @is_frozen.setter
    def is_frozen(self, is_frozen: bool) -> None:
        self._app.is_frozen = is_frozen

    def clear_line(self) -> None:
        """Erase what the terminal has echoed on the line where drawing starts."""
        self._output.write_raw(_START_OF_LINE)

    def draw(self, above: str = "") -> None:
        """Print `above` (whole lines, each ending in CR LF) and redraw below it, in one write."""
        app = self._app
        if app.is_running and app.context is not None and not app.is_frozen:
            app.context.copy().run(self._draw, above)  # prompt_toolkit looks the app up in it

    def refresh(self) -> None:
        """Redraw what has changed; redraw everything if the frame became shorter."""
        if self._count_rows() < self._drawn_rows:
            self.draw()
        else:
            self._app.invalidate()

    def print_above(self, above: str) -> None:
        """Print `above` and redraw; if it is empty, redraw only what has changed."""
        if above:
            self.draw(above)
        else:
            self.refresh()

    def enter_full_screen(self) -> None:
        """Draw on the alternate screen from now on, so that the scrollback is preserved."""
        renderer = self._app.renderer
        if not renderer.full_screen:
            self._move_to_top()
            renderer.erase()
            renderer.full_screen = True
        self.draw()

    def leave_full_screen(self) -> None:
        """Leave the alternate screen, if it is active."""
        renderer = self._app.renderer
        if renderer.full_screen:
            renderer.full_screen = False
            renderer.erase(leave_alternate_screen=True)

    @contextmanager
    def release_terminal(self) -> Generator[None]:
        """Hand the terminal, in its normal mode, to another program for a while."""
        self._move_to_top()
        self._app.renderer.erase()
        with self._app.input.cooked_mode():
            yield
        self.draw()

    def reclaim_terminal(self) -> None:
        """Redraw below another program's output; it may have changed the terminal's mode."""
        self._app.input.raw_mode().__enter__()
        self._app.renderer.reset()
        self.draw()

    def restore_terminal(self) -> None:
        """Restore the terminal's modes; after an error while drawing, nothing else does."""
        self._app.renderer.reset(leave_alternate_screen=True)

    def request_acknowledgment(self) -> None:
        """Ask the terminal to answer once it has shown everything written so far."""
        self._output.write_raw(STATUS_QUERY)
        self._output.flush()

    def _draw(self, above: str) -> None:
        renderer = self._app.renderer
        with self._output.frame():
            self._move_to_top()
            renderer.erase(leave_alternate_screen=False)
            self._output.write_raw(above)
            renderer.render(self._app, self._app.layout)
        self._after_drawing()

    def _before_render(self, _app: Application[Any]) -> None:
        self._move_to_top()

    def _after_render(self, _app: Application[Any]) -> None:
        self._after_drawing()

    def _after_drawing(self) -> None:
        self._columns = self._output.get_size().columns
        self._drawn_rows = self._count_rows()
        self._on_drawn()

    def _move_to_top(self) -> None:
        """Move up by the rows that the terminal added by wrapping, so that they are erased, too."""
        renderer = self._app.renderer
        drawn, columns = renderer.last_rendered_screen, self._output.get_size().columns
        if (
            drawn is None
            or renderer.full_screen
            or columns >= self._columns
            or not is_reflowing_terminal()
        ):
            return
        cursor = drawn.get_cursor_position(self._app.layout.current_window)
        cells = range(self._columns)
        above = ["".join(drawn.data_buffer[y][x].char for x in cells) for y in range(cursor.y)]
        self._output.cursor_up(count_added_rows(above, cursor.x, columns))
        self._columns = columns
