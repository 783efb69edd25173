"""The terminal: one write a frame, its size, and the keys that only some terminals send."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TextIO

from prompt_toolkit.data_structures import Size
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.keys import Keys
from prompt_toolkit.output.vt100 import Vt100_Output

ACKNOWLEDGED_KEY = Keys.ControlShift9
"""The key as which the terminal's answer arrives; no terminal sends it for a real one."""
STATUS_QUERY = "\x1b[5n"
"""What the terminal answers once it has shown everything that was written before."""
_ANSWER = "\x1b[0n"
_HOLD, _SHOW = "\x1b[?2026h", "\x1b[?2026l"
"""Synchronised output: a terminal that knows it shows a frame whole."""
_ERASE_DOWN = "\x1b7\x1b[K\x1b[B\r\x1b[J\x1b8"
_DEFAULT = Size(rows=24, columns=80)
_NARROWEST, _LOWEST = 4, 2
"""A smaller window is drawn as if it had this size: nothing can be read in it anyway."""


class FrameOutput(Vt100_Output):
    """Writes each frame at once, and survives that the terminal is gone."""

    def __init__(self, stdout: TextIO, get_size: Callable[[], Size]) -> None:
        super().__init__(
            stdout, lambda: clamp_size(get_size()), term=os.environ.get("TERM"), enable_cpr=False
        )
        self._open = False
        self.is_closed = False
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

    def erase_down(self) -> None:
        """Erase from the cursor's row on, which it stands at the beginning of.

        Not by one command: at the top of the window tmux takes that for a clearing of the whole
        screen, and puts all that stood there into its scrollback.
        """
        self.write_raw(_ERASE_DOWN)

    def flush(self) -> None:
        """Write what is buffered, unless a frame is being put together."""
        if self._open or self.is_closed:
            return
        try:
            super().flush()
        except OSError:
            self.is_closed = True


def open_output(stdout: TextIO) -> FrameOutput:
    """Write to this terminal."""

    def size() -> Size:
        try:
            found = os.get_terminal_size(stdout.fileno())
        except OSError:
            return _DEFAULT
        return Size(rows=found.lines, columns=found.columns)

    return FrameOutput(stdout, size)


def clamp_size(size: Size) -> Size:
    """Make sense of a window that says it has no room, or next to none."""
    return Size(
        rows=max(size.rows or _DEFAULT.rows, _LOWEST),
        columns=max(size.columns or _DEFAULT.columns, _NARROWEST),
    )


def register_keys() -> None:
    """Teach the parser the terminal's acknowledgement, and Shift-Enter where it is reported."""
    ANSI_SEQUENCES[_ANSWER] = ACKNOWLEDGED_KEY
    for shift_enter in ("\x1b[13;2u", "\x1b[27;2;13~"):
        ANSI_SEQUENCES[shift_enter] = Keys.ControlJ
