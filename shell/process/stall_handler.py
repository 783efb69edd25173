"""When something holds all actors: one line, and after a while an end from which one can go on."""

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
"""Ends a frame and bracketed paste, and brings back cursor and colours."""
EXIT_STATUS = 1
FLUSH_TIMEOUT_S = 1.0
"""So long the journal has to write what it was told, before the program is ended by force."""


@dataclass(frozen=True, slots=True)
class StallHandler:
    """What to do about a handler or job that lets nothing else run; called by the watchdog."""

    state_folder: Path
    """The state folder; crash reports go below it."""
    notify_user: Callable[[str], None]
    """Shows the person a line."""
    flush_journal: Callable[[], object]
    """Returns when all that was said to the journal is on disk, or it is in vain."""
    kill_commands: Callable[[], object]
    """Kills what runs for us, which would go on unseen."""
    terminal_settings: list[Any] | None = None
    """The terminal's settings, when a screen has changed them."""

    def on_stall(self, culprit: str, stalled_s: float) -> None:
        """Tell who it is."""
        self.notify_user(f"{culprit} has held up everything else for {stalled_s:.0f} s")

    def on_fatal_stall(self, culprit: str, stalled_s: float) -> None:
        """End the process; nothing in it can be asked to end by itself."""
        what = f"{culprit} held up everything else for {stalled_s:.0f} s"
        for last_thing in (self.kill_commands, self.flush_journal):
            with suppress(Exception):
                last_thing()
        self._last_words(f"{what}, so it was ended; {self._report(what)}")
        os._exit(EXIT_STATUS)

    def _report(self, what: str) -> str:
        now_s = time.time()  # noqa: TID251  (the process ends here)
        try:
            path = save_crash_report(
                self.state_folder, format_crash_report(what, VERSION, now_s), now_s
            )
        except Exception as error:  # noqa: BLE001  (whatever it is, the process has to end)
            return f"no crash report could be written: {error}; greenroom --continue goes on"
        return f"{path} says more, and greenroom --continue goes on"

    def _last_words(self, line: str) -> None:
        """Write past every lock: whoever holds one may never let it go."""
        with suppress(Exception):
            if self.terminal_settings is not None:
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, self.terminal_settings)
                os.write(1, RESTORE_TERMINAL)
        with suppress(OSError):
            os.write(2, f"greenroom: {sanitize_line(line)}\n".encode())


def make_stall_handler(
    ask: Callable[[Address, Message, float], object],
    notify_user: Callable[[str], None],
    kill_commands: Callable[[], object],
    *,
    on_screen: bool,
) -> StallHandler:
    """Say what to do; `ask` reaches the actors, and `tell` shows the person a line."""

    def flush() -> None:
        """Ask the journal for an answer that comes behind all it has."""
        ask(JOURNAL, Append(id=1, records=()), FLUSH_TIMEOUT_S)

    terminal = _settings_of_terminal() if on_screen else None
    return StallHandler(state_folder(os.environ), notify_user, flush, kill_commands, terminal)


def _settings_of_terminal() -> list[Any] | None:
    """Note the terminal's settings before a screen changes them."""
    try:
        return termios.tcgetattr(sys.stdin.fileno())
    except (termios.error, OSError, ValueError):
        return None
