"""Reacts to stalls: one line at first, later an orderly end of the process with a crash report."""

import os
import sys
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors.sessions.state_paths import state_folder
from messages.address import JOURNAL, Address
from messages.base import Message
from messages.journal import Append
from shell.process.crash_report import format_crash_report, save_crash_report
from shell.startup.version import VERSION
from shell.text.sanitize import sanitize_line

RESTORE_TERMINAL = b"\x1b[?2026l\x1b[?2004l\x1b[?25h\x1b[0m\r\n"
"""Ends a frame and bracketed paste mode; resets the cursor and the colors."""
EXIT_STATUS = 1
FLUSH_TIMEOUT_S = 1.0
"""How long the journal may take to write its records before the process ends."""


@dataclass(frozen=True, slots=True)
class StallHandler:
    """What to do when a handler or job blocks everything else; called by the watchdog."""

    state_folder: Path
    """Crash reports are written into it."""
    notify_user: Callable[[str], None]
    """Shows the user a line."""
    flush_journal: Callable[[], object]
    """Returns when the journal has written its records, or gives up."""
    terminal_settings: list[Any] | None = None
    """Settings of the terminal before a screen changed them."""

    def on_stall(self, culprit: str, stalled_s: float) -> None:
        """Tell the user what blocks the program."""
        self.notify_user(f"{culprit} has blocked Greenroom for {stalled_s:.0f} s")

    def on_fatal_stall(self, culprit: str, stalled_s: float) -> None:
        """End the process at once, since nothing in it can be asked to stop."""
        reason = f"{culprit} blocked Greenroom for {stalled_s:.0f} s"
        with suppress(Exception):
            self.flush_journal()
        self._print_last_line(
            f"ended because {reason} ({self._write_report(reason)}). "
            "Resume the session with greenroom --continue."
        )
        os._exit(EXIT_STATUS)

    def _write_report(self, reason: str) -> str:
        now_s = time.time()  # noqa: TID251  (the process ends here)
        try:
            report = format_crash_report(reason, VERSION, now_s)
            path = save_crash_report(self.state_folder, report, now_s)
        except Exception as error:  # noqa: BLE001  (whatever it is, the process has to end)
            return f"the crash report could not be written: {error}"
        return f"crash report: {path}"

    def _print_last_line(self, line: str) -> None:
        """Write without taking a lock: the thread that holds one may be the blocked one."""
        with suppress(Exception):
            if self.terminal_settings is not None:
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, self.terminal_settings)
                os.write(1, RESTORE_TERMINAL)
        with suppress(OSError):
            os.write(2, f"greenroom: {sanitize_line(line)}\n".encode())


def make_stall_handler(
    ask: Callable[[Address, Message, float], object],
    notify_user: Callable[[str], None],
    *,
    on_screen: bool,
) -> StallHandler:
    """Make the handler of this process; `ask` sends a request to an actor."""

    def flush_journal() -> None:
        """Send an empty append, which is answered after all earlier ones."""
        ask(JOURNAL, Append(id=1, records=()), FLUSH_TIMEOUT_S)

    terminal_settings = _read_terminal_settings() if on_screen else None
    return StallHandler(state_folder(os.environ), notify_user, flush_journal, terminal_settings)


def _read_terminal_settings() -> list[Any] | None:
    try:
        return termios.tcgetattr(sys.stdin.fileno())
    except (termios.error, OSError, ValueError):
        return None
