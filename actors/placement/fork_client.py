"""Starts the fork server with the first host, and asks it for hosts."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from actors.placement import fork_server
from actors.redaction.redaction import SECRET_VARIABLES
from actors.tools.local_command_runner import make_child_environment
from actors.tools.process_protection import hide_keys

_MODULE = "actors.placement.fork_server"


class ForkServerError(OSError):
    """The fork server ended, or cannot be started."""


@dataclass(frozen=True, slots=True)
class HostProcess:
    """A host process and our end of its link."""

    link: socket.socket
    pid: int
    ended: "asyncio.Future[int]"
    """Its exit status; negative: the number of the signal that ended it."""


class ForkClient:
    """Talks to one fork server, which it starts again if it has ended. Used on the event loop."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        """Start nothing yet; hosts inherit `environment` without any credentials."""
        self._environment = environment
        self._requests: socket.socket | None = None
        self._forking: list[asyncio.Future[int]] = []
        """Requests without an answer, in their order."""
        self._hosts: dict[int, asyncio.Future[int]] = {}
        self._server_pid = 0

    async def fork_host(self) -> HostProcess:
        """Fork a host.

        Raises:
            OSError: there is none.
        """
        requests = self._requests or self._start_server()
        loop = asyncio.get_running_loop()
        link, host_end = socket.socketpair()
        try:
            forked = loop.create_future()
            with host_end:
                message = json.dumps({"do": "fork"}).encode()
                socket.send_fds(requests, [message], [host_end.fileno()])
            self._forking.append(forked)
            pid = await forked
        except BaseException:
            link.close()
            raise
        link.setblocking(False)  # noqa: FBT003  (positional only)
        return HostProcess(link, pid, self._hosts[pid])

    def kill(self, host: HostProcess) -> None:
        """Kill a host, unless it has ended."""
        if self._requests is not None and not host.ended.done():
            self._requests.send(json.dumps({"do": "kill", "pid": host.pid}).encode())
        elif host.ended.exception() is not None:  # nobody else can say whether it has ended
            with suppress(ProcessLookupError):
                os.kill(host.pid, signal.SIGKILL)

    def _start_server(self) -> socket.socket:
        if self._server_pid:
            os.waitpid(self._server_pid, 0)
        hide_keys(SECRET_VARIABLES)
        requests, server_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with server_end:
            self._server_pid = os.posix_spawn(
                sys.executable,
                # Without `-P`, modules in the current folder would be found first.
                (sys.executable, "-P", "-m", _MODULE),
                make_child_environment(self._environment),
                file_actions=(
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_DUP2, 1, 2),
                    (os.POSIX_SPAWN_DUP2, server_end.fileno(), fork_server.REQUESTS_FD),
                ),
                setsid=True,
            )
        requests.setblocking(False)  # noqa: FBT003  (positional only)
        asyncio.get_running_loop().add_reader(requests, self._on_answer)
        self._requests = requests
        return requests

    def _on_answer(self) -> None:
        requests = self._requests
        if requests is None:
            return
        try:
            data = requests.recv(fork_server.MAX_MESSAGE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._on_server_ended(requests)
            return
        answer: Any = json.loads(data)
        pid: int = answer["pid"]
        if answer["event"] == "forked":
            self._hosts[pid] = asyncio.get_running_loop().create_future()
            forked = self._forking.pop(0)
            if forked.cancelled():  # its link is closed already, so the host ends
                return
            forked.set_result(pid)
        elif (ended := self._hosts.pop(pid, None)) is not None and not ended.done():
            ended.set_result(answer["status"])

    def _on_server_ended(self, requests: socket.socket) -> None:
        """Fail what waits; the hosts still run, and their links report their ends."""
        asyncio.get_running_loop().remove_reader(requests)
        requests.close()
        self._requests = None
        forking, self._forking = self._forking, []
        hosts, self._hosts = self._hosts, {}
        for future in (*forking, *hosts.values()):
            if not future.done():
                problem = "the process that starts hosts has ended"
                future.set_exception(ForkServerError(problem))
