"""The title of the terminal's window: the folder, and whether Greenroom works or waits."""

from pathlib import PurePath

from shell.repl.terminal_output import FrameOutput
from shell.text.sanitize import sanitize_line
from shell.view.screen_state import ScreenState

WORKING_MARK, WAITING_MARK = "● ", "⚠ "
SAVE_TITLE, RESTORE_TITLE = "\x1b[22;2t", "\x1b[23;2t"
"""Terminals that do not keep a stack of titles ignore both."""
_UNTITLED_TERMINALS = ("linux", "eterm-color")
"""Values of `TERM` for terminals that would print the title as text."""


def format_title(state: ScreenState) -> str:
    """Return the title for a state; empty: the session has not started."""
    if state.session is None:
        return ""
    folder = PurePath(state.session.cwd).name or state.session.cwd
    is_waiting = bool(state.approvals.parked)
    mark = WAITING_MARK if is_waiting else WORKING_MARK if state.is_working else ""
    return f"{mark}greenroom · {sanitize_line(folder)}"


class TerminalTitle:
    """Sets the title when it changes; restores the one before at the end."""

    def __init__(self, output: FrameOutput) -> None:
        self._output = output
        self._title = ""

    def update(self, state: ScreenState) -> None:
        """Show a new state."""
        title = format_title(state)
        if title == self._title or self._output.term in _UNTITLED_TERMINALS:
            return
        if not self._title:
            self._output.write_raw(SAVE_TITLE)
        self._title = title
        self._output.write_raw(f"\x1b]2;{title}\x1b\\")
        self._output.flush()

    def restore(self) -> None:
        """Restore the title that the terminal had."""
        if self._title:
            self._title = ""
            self._output.write_raw(RESTORE_TITLE)
            self._output.flush()
