"""A program on a real pseudo-terminal, seen through a terminal emulator.

Every wait has a deadline and fails with the contents of the screen.
"""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import termios
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import pyte

DEADLINE_S = 15.0
_QUERIES = {b"\x1b[5n": b"\x1b[0n", b"\x1b[6n": b"\x1b[1;1R"}
_CHUNK_BYTES = 65_536
_MAX_CHUNKS = 16
"""Chunks per read: a program may write faster than the emulator can draw."""


class PtyTerminal:
    """One child process and its screen."""

    def __init__(
        self, pid: int, master: int, *, rows: int, columns: int, acknowledges: bool
    ) -> None:
        self.pid = pid
        self.acknowledges = acknowledges
        """Whether ESC[5n is answered; if not, the terminal never acknowledges a frame."""
        self.raw = b""
        self.status: int | None = None
        """The exit status, negative for a signal; None while it runs."""
        self._master = master
        self._is_open = True
        self._pending: list[bytes] = []
        """Data that was read but not yet shown."""
        self._screen = pyte.HistoryScreen(columns, rows, history=10_000)
        self._stream = pyte.ByteStream(self._screen)

    @property
    def emulator_screen(self) -> pyte.Screen:
        """The emulator's screen, for colors and pictures."""
        return self._screen

    def read_screen(self) -> str:
        """Return the current screen without trailing blanks."""
        self._read(0.0)
        return "\n".join(row.rstrip() for row in self._screen.display).rstrip()

    def read_scrollback(self) -> str:
        """Return the scrollback and the screen."""
        current = self.read_screen()
        width = self._screen.columns
        scrolled_out = (
            "".join(row[x].data for x in range(width)) for row in self._screen.history.top
        )
        return "\n".join([*(line.rstrip() for line in scrolled_out), current])

    def type(self, keys: str) -> None:
        """Send keys as the keyboard would."""
        self._send(keys.encode())

    def wait_for_text(self, text: str, timeout_s: float = DEADLINE_S) -> str:
        """Wait until `text` is on the screen; return the screen."""
        self.wait_until(lambda: text in self.read_screen(), f"{text!r}", timeout_s)
        return self.read_screen()

    def wait_for_no_text(self, text: str, timeout_s: float = DEADLINE_S) -> str:
        """Wait until `text` is not on the screen; return the screen."""
        self.wait_until(lambda: text not in self.read_screen(), f"{text!r} to go", timeout_s)
        return self.read_screen()

    def wait_until(
        self, condition: Callable[[], bool], description: str, timeout_s: float = DEADLINE_S
    ) -> None:
        """Read until the condition holds; fail on a timeout or the end of the program."""
        deadline_s = perf_counter() + timeout_s
        while not condition():
            remaining_s = deadline_s - perf_counter()
            alive = self._read(max(remaining_s, 0.0))
            if (remaining_s <= 0 or not alive) and not condition():
                why = "in time" if alive else f"before it ended with {self.wait_for_exit()}"
                message = f"{description} did not appear {why}; the screen:\n{self.read_screen()}"
                raise AssertionError(message)

    def read_until(self, expected: bytes, timeout_s: float = DEADLINE_S) -> None:
        """Return as soon as these bytes are written from now on; the screen is updated later."""
        deadline_s, data = perf_counter() + timeout_s, b""
        while expected not in data:
            remaining_s = deadline_s - perf_counter()
            assert remaining_s > 0, (
                f"{expected!r} was not written; the screen:\n{self.read_screen()}"
            )
            if select.select([self._master], [], [], remaining_s)[0]:
                chunk = os.read(self._master, _CHUNK_BYTES)
                data += chunk
                self._pending.append(chunk)

    def read_for(self, duration_s: float) -> None:
        """Read output for this time: the pause of a user between two keys."""
        deadline_s = perf_counter() + duration_s
        while (remaining_s := deadline_s - perf_counter()) > 0:
            if not self._read(remaining_s):
                return

    def wait_for_exit(self, timeout_s: float = DEADLINE_S) -> int:
        """Wait for the end of the program; return its status, negative for a signal."""
        if self.status is None:
            pidfd = os.pidfd_open(self.pid)
            try:
                self._read_until_readable(pidfd, timeout_s)
            finally:
                os.close(pidfd)
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self._read(0.0)
        return self.status

    def _read_until_readable(self, pidfd: int, timeout_s: float) -> None:
        """Read output, which the program may wait for, until `pidfd` reports its end."""
        deadline_s = perf_counter() + timeout_s
        sources = [pidfd, self._master] if self._is_open else [pidfd]
        while True:
            remaining_s = max(deadline_s - perf_counter(), 0.0)
            ready = select.select(sources, [], [], remaining_s)[0]
            if pidfd in ready:
                return
            if not ready:
                message = (
                    f"the program did not end in {timeout_s} s; the screen:\n{self.read_screen()}"
                )
                raise AssertionError(message)
            if not self._read(0.0):
                sources = [pidfd]

    def resize(self, rows: int, columns: int) -> None:
        """Change the window size; the program receives SIGWINCH."""
        self._screen.resize(rows, columns)
        _set_size(self._master, rows, columns)

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        os.kill(self.pid, number)

    def is_raw(self) -> bool:
        """Return whether the terminal is in raw mode."""
        return not termios.tcgetattr(self._master)[3] & termios.ICANON

    def hang_up(self) -> None:
        """Close the terminal while the program runs."""
        if self._is_open:
            self._is_open = False
            os.close(self._master)

    def close(self) -> None:
        """Hang up and kill the program if it still runs."""
        self.hang_up()
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.status = -signal.SIGKILL

    def _read(self, wait_s: float) -> bool:
        """Read output, waiting `wait_s` for the first byte; False: the program has ended."""
        for data in self._pending:
            self._show(data)
        self._pending.clear()
        if not self._is_open:
            return False
        for _ in range(_MAX_CHUNKS):
            if not select.select([self._master], [], [], wait_s)[0]:
                break
            try:
                data = os.read(self._master, _CHUNK_BYTES)
            except OSError:  # the program's end closes the terminal
                return False
            if not data:
                return False
            self._show(data)
            wait_s = 0.0
        return True

    def _show(self, data: bytes) -> None:
        self.raw += data
        self._stream.feed(data)
        self._answer(data)

    def _answer(self, data: bytes) -> None:
        for query, answer in _QUERIES.items():
            if self.acknowledges or query != b"\x1b[5n":
                self._send(answer * data.count(query))

    def _send(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._master, data) :]


@contextmanager
def open_terminal(  # noqa: PLR0913  (the terminal's own properties)
    command: Sequence[str | Path],
    *,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    rows: int = 24,
    columns: int = 80,
    acknowledges: bool = True,
) -> Generator[PtyTerminal]:
    """Run a command, named by absolute path, on its own terminal."""
    pid, master = pty.fork()
    if pid == 0:  # the child: no code of the test may continue in it
        try:
            os.chdir(cwd or Path.cwd())
            _set_size(0, rows, columns)
            settings = {"TERM": "xterm-256color", "LANG": "C.UTF-8", **(environment or os.environ)}
            os.execve(command[0], [str(word) for word in command], settings)  # noqa: S606  (no shell is needed)
        finally:
            os._exit(127)
    _set_size(master, rows, columns)
    terminal = PtyTerminal(pid, master, rows=rows, columns=columns, acknowledges=acknowledges)
    try:
        yield terminal
    finally:
        terminal.close()


def _set_size(descriptor: int, rows: int, columns: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
