"""The terminal: one write per frame, its size, and keys that only some terminals send."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TextIO

from prompt_toolkit.data_structures import Size
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.keys import Keys
from prompt_toolkit.output.vt100 import Vt100_Output

ACKNOWLEDGED_KEY = Keys.ControlShift9
"""The key that represents the terminal's acknowledgment; no terminal sends it as a real key."""
STATUS_QUERY = "\x1b[5n"
"""Requests an acknowledgment, sent once everything written before is on screen (DSR 5)."""
_ACKNOWLEDGMENT = "\x1b[0n"
_BEGIN_SYNC, _END_SYNC = "\x1b[?2026h", "\x1b[?2026l"
"""Synchronized output: terminals that support it show a frame at once."""
_ERASE_DOWN = "\x1b7\x1b[K\x1b[B\r\x1b[J\x1b8"
_DEFAULT_SIZE = Size(rows=24, columns=80)
_MIN_COLUMNS, _MIN_ROWS = 4, 2
"""A smaller window is drawn as if it had this size, since it is unreadable anyway."""


class FrameOutput(Vt100_Output):
    """Writes each frame at once, and tolerates that the terminal is gone."""

    def __init__(self, stdout: TextIO, get_size: Callable[[], Size]) -> None:
        super().__init__(
            stdout, lambda: clamp_size(get_size()), term=os.environ.get("TERM"), enable_cpr=False
        )
        self._is_in_frame = False
        self.is_closed = False
        """The terminal was closed; nothing can be written anymore."""

    @contextmanager
    def frame(self) -> Generator[None]:
        """Buffer everything that is written until the frame is complete."""
        self._is_in_frame = True
        self.write_raw(_BEGIN_SYNC)
        try:
            yield
        finally:
            self._is_in_frame = False
            self.write_raw(_END_SYNC)
            self.flush()

    def erase_down(self) -> None:
        """Erase from the cursor, which is at the start of a row, to the end of the screen.

        A single command would not do: at the top of the window, tmux treats it as clearing the
        whole screen and moves the erased rows into its scrollback.
        """
        self.write_raw(_ERASE_DOWN)

    def flush(self) -> None:
        """Write the buffer, except within a frame."""
        if self._is_in_frame or self.is_closed:
            return
        try:
            super().flush()
        except OSError:
            self.is_closed = True


def open_output(stdout: TextIO) -> FrameOutput:
    """Create the output for a terminal."""

    def get_size() -> Size:
        try:
            size = os.get_terminal_size(stdout.fileno())
        except OSError:
            return _DEFAULT_SIZE
        return Size(rows=size.lines, columns=size.columns)

    return FrameOutput(stdout, get_size)


def clamp_size(size: Size) -> Size:
    """Replace a size of zero with the default, and enforce the minimum."""
    return Size(
        rows=max(size.rows or _DEFAULT_SIZE.rows, _MIN_ROWS),
        columns=max(size.columns or _DEFAULT_SIZE.columns, _MIN_COLUMNS),
    )


def register_keys() -> None:
    """Register the acknowledgment and the known sequences of Shift-Enter with the key parser."""
    ANSI_SEQUENCES[_ACKNOWLEDGMENT] = ACKNOWLEDGED_KEY
    for shift_enter in ("\x1b[13;2u", "\x1b[27;2;13~"):
        ANSI_SEQUENCES[shift_enter] = Keys.ControlJ
