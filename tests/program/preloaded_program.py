"""Runs the program in forks of a process that has imported everything, which saves startup time.

For tests of what a run does. How the program starts is tested with `Program` itself.

This file also runs as that process. For each run it receives the standard streams, arguments,
working directory and environment, and answers with the id and then the status of the fork.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from tests.program.program_harness import ROOT, TIMEOUT_S, CompletedRun, Json, Program

_COMMAND = (sys.executable, "-P", "-m", "tests.program.preloaded_program")
_STREAM_COUNT = 3


@dataclass
class PreloadedProgram(Program):
    """A program whose complete runs need no start of Python; `start` still has one."""

    def run(
        self,
        *arguments: str | bytes,
        stdin: bytes | int = subprocess.DEVNULL,
        cwd: Path | None = None,
        environment: Mapping[str, str | None] | None = None,
    ) -> CompletedRun:
        if isinstance(stdin, int) and stdin != subprocess.DEVNULL:
            return super().run(*arguments, stdin=stdin, cwd=cwd, environment=environment)
        request = {
            "arguments": [os.fsdecode(argument) for argument in arguments],
            "cwd": str(cwd or self.repository),
            "environment": self.environment(**(environment or {})),
        }
        with _open_stdin(stdin) as typed, TemporaryFile() as output, TemporaryFile() as errors:
            status = _run_in_fork(request, (typed, output, errors))
            output.seek(0)
            errors.seek(0)
            return CompletedRun(status, output.read(), errors.read().decode())


def _open_stdin(content: bytes | int) -> BinaryIO:
    # The null device counts as no input, in contrast to an empty file.
    if isinstance(content, int):
        return Path(os.devnull).open("rb")
    file = os.fdopen(os.memfd_create("stdin"), "w+b")
    file.write(content)
    file.seek(0)
    return file


def _run_in_fork(request: Json, streams: tuple[BinaryIO, ...]) -> int:
    """Run the program and return its exit status, negative for a signal."""
    forker = _start_forker()
    data = json.dumps(request).encode()
    socket.send_fds(forker, [b"%8d" % len(data)], [stream.fileno() for stream in streams])
    forker.sendall(data)
    pid = int(_receive(forker, 8))
    try:
        return int(_receive(forker, 8))
    except TimeoutError:
        os.kill(pid, signal.SIGKILL)
        _receive(forker, 8)
        raise


@cache
def _start_forker() -> socket.socket:
    """Start the process that is forked; it ends with this process."""
    own, other = socket.socketpair()
    with other:
        process = subprocess.Popen(
            [*_COMMAND, str(other.fileno())],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            pass_fds=(other.fileno(),),
        )
    own.settimeout(TIMEOUT_S)

    @atexit.register
    def end() -> None:
        own.close()
        process.wait()

    return own


def _receive(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        chunk = connection.recv(size - len(data))
        if not chunk:
            raise EOFError
        data += chunk
    return data


def _serve(client: socket.socket) -> None:
    """Fork a run for each request, one after the other."""
    while True:
        length, streams, _, _ = socket.recv_fds(client, 8, _STREAM_COUNT)
        if not length:
            return
        request = json.loads(_receive(client, int(length)))
        pid = os.fork()
        if not pid:
            client.close()
            _run_program(request, streams)
        for stream in streams:
            os.close(stream)
        client.sendall(b"%8d" % pid)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        client.sendall(b"%8d" % status)


def _run_program(request: Json, streams: list[int]) -> None:
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["environment"])
        sys.argv[1:] = request["arguments"]
        shell.main.main()
    finally:
        os._exit(99)


if __name__ == "__main__":
    import shell.main
    from actors.models.anthropic_client import load_sdk
    from messages.serialization import message_adapter

    # What a run needs is imported by this module.
    from tests.program import sigkill_harness  # noqa: F401  # pyright: ignore[reportUnusedImport]

    load_sdk()
    message_adapter()
    assert threading.active_count() == 1, "a fork would copy one thread of several"
    _serve(socket.socket(fileno=int(sys.argv[1])))
