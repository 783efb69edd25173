"""Starts the watcher server with the first command, and sends it the commands to run."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from actors.redaction.redaction import SECRET_VARIABLES
from actors.sandbox.policy import OpenFiles
from actors.tools import command_watcher
from actors.tools.await_helpers import run_to_completion, wait_with_timeout
from actors.tools.process_protection import hide_keys

REPORT_TIMEOUT_S = command_watcher.LEFTOVER_GRACE_S + 2 * command_watcher.GRACE_S + 1.0
"""How long a watcher may take to end its command; it is then killed, because it was stopped."""
_MAX_ATTEMPTS = 2
_CHUNK_BYTES = 64 * 1024


class WatcherLostError(Exception):
    """The watcher was killed; the server kills the command."""


@dataclass(frozen=True, slots=True)
class CommandReport:
    """What became of a command and of the processes that it started."""

    exit_status: int
    """Negative: the number of the signal that ended the shell."""
    terminated: tuple[str, ...] = ()
    """Processes that were terminated, apart from the shell."""
    still_running: tuple[str, ...] = ()
    """Processes that could not be terminated."""


class WatcherClient:
    """Starts watchers through one server, which it starts again if it was killed."""

    def __init__(self) -> None:
        self._requests: socket.socket | None = None
        self._pid = 0

    def connect(self, environment: Mapping[str, str]) -> socket.socket:
        """Return the socket for requests; start the server if there is none.

        Raises:
            OSError: it cannot be started.
        """
        if self._requests is None:
            self._requests = self._start(environment)
        return self._requests

    def watch(self, output: int, folder: int, environment: Mapping[str, str]) -> "WatchedCommand":
        """Start a watcher whose command writes to `output` and starts in `folder`.

        Raises:
            OSError: it cannot be started.
        """
        control, watcher_end = socket.socketpair()
        try:
            with watcher_end:
                self._send((watcher_end.fileno(), output, folder), environment)
        except OSError:
            control.close()
            raise
        control.setblocking(False)  # noqa: FBT003  (positional only)
        return WatchedCommand(control)

    def _send(self, descriptors: Sequence[int], environment: Mapping[str, str]) -> None:
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            requests = self.connect(environment)
            try:
                socket.send_fds(requests, [b"\0"], descriptors)
            except ConnectionError:  # the server was killed
                requests.close()
                self._requests = None
                if attempt == _MAX_ATTEMPTS:
                    raise
            else:
                return

    def _start(self, environment: Mapping[str, str]) -> socket.socket:
        if self._pid:
            os.waitpid(self._pid, 0)
        hide_keys(SECRET_VARIABLES)
        requests, server_end = socket.socketpair()
        with server_end:
            self._pid = os.posix_spawn(
                sys.executable,
                # Isolated, so that it imports nothing of the user's or of a project.
                (sys.executable, "-IS", str(Path(command_watcher.__file__).resolve())),
                environment,
                file_actions=(
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_DUP2, 1, 2),
                    (os.POSIX_SPAWN_DUP2, server_end.fileno(), command_watcher.REQUESTS_FD),
                ),
                setsid=True,
            )
        requests.setblocking(False)  # noqa: FBT003  (as above)
        return requests


class WatchedCommand:
    """A command that a watcher runs."""

    def __init__(self, control: socket.socket) -> None:
        """Talk to the watcher through `control`."""
        self._control = control
        self._received = bytearray()

    async def run(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        timeout_s: float,
        open_files: OpenFiles = (),
    ) -> tuple[CommandReport, bool]:
        """Run the command; return the report, and whether it ended within the timeout.

        `open_files` are opened for the command for reading and writing, by descriptor number.

        It is ended when cancelled, too, and this returns only when all of its processes are gone.

        Raises:
            OSError: the command cannot be started.
            WatcherLostError: the watcher was killed.
        """
        request = _encode_request(arguments, open_files, environment)
        running = asyncio.ensure_future(self._send_and_receive(request))
        in_time = False
        try:
            in_time = await wait_with_timeout(asyncio.shield(running), timeout_s)
        finally:
            try:
                if not running.done():
                    await run_to_completion(self._end(running))
            finally:
                self._control.close()
        if running.cancelled():
            raise WatcherLostError
        return running.result(), in_time

    async def _send_and_receive(self, request: bytes) -> CommandReport:
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(self._control, request)
        while chunk := await loop.sock_recv(self._control, _CHUNK_BYTES):
            self._received += chunk
        return _parse_report(bytes(self._received))

    async def _end(self, running: "asyncio.Task[CommandReport]") -> None:
        with suppress(OSError):  # the watcher has ended
            self._control.shutdown(socket.SHUT_WR)
        outcome = asyncio.gather(running, return_exceptions=True)
        if not await wait_with_timeout(asyncio.shield(outcome), REPORT_TIMEOUT_S):
            self._kill_watcher()
            running.cancel()
            await outcome

    def _kill_watcher(self) -> None:
        """Kill a watcher that its command has stopped.

        Its socket is still open, so no other process has its id.
        """
        word, _, pid = bytes(self._received).partition(b"\n")[0].partition(b" ")
        if word == b"watcher":
            with suppress(OSError):
                os.kill(int(pid), signal.SIGKILL)


def _encode_request(
    arguments: Sequence[str], open_files: OpenFiles, environment: Mapping[str, str]
) -> bytes:
    files = (f"{number} {path}" for number, path in open_files)
    entries = (f"{name}={value}" for name, value in environment.items())
    counts = f"{len(arguments)} {len(open_files)}"
    words = b"\0".join(map(os.fsencode, (counts, *arguments, *files, *entries)))
    return len(words).to_bytes(command_watcher.LENGTH_BYTES, "big") + words


def _parse_report(report: bytes) -> CommandReport:
    lines = report.decode("utf-8", "replace").split("\n")[1:]
    kind, _, number = lines[0].partition(" ") if lines else ("", "", "")
    if kind == "failed":
        raise OSError(int(number), os.strerror(int(number)))
    if kind != "exited":
        raise WatcherLostError
    return CommandReport(
        int(number), _select_processes(lines, "terminated"), _select_processes(lines, "running")
    )


def _select_processes(lines: Sequence[str], word: str) -> tuple[str, ...]:
    """Return the name and id of each process in lines such as `running 12 sleep`."""
    fields = (line.split(" ", 2) for line in lines)
    return tuple(f"{field[2]} (pid {field[1]})" for field in fields if field[0] == word)


WATCHER_CLIENT = WatcherClient()
