"""The process that hosts are forked from: warm, single-threaded, without keys or open files.

Our own process cannot be forked: it has threads, and the key. Starting Python again for each host
would take 0.4 s. The requests on `REQUESTS_FD` are single messages: `fork` with the host's end of
its link, or `kill` with a process. The answers are `forked` and `ended`, each with a process.
"""

import gc
import json
import os
import selectors
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

from actors.placement.host import run_host, warm_up

REQUESTS_FD = 3
MAX_MESSAGE_BYTES = 1024
OOM_SCORE_ADJUSTMENT = "500"
"""Half of the largest value, which would be chosen first of all."""


def _ignore_signal(_number: int, _frame: object) -> None:
    """Do nothing: the signal only has to reach the wakeup descriptor."""


class ForkServer:
    """Forks hosts, kills them, and reports their ends."""

    def __init__(self, requests: socket.socket) -> None:
        """Serve the requests from this socket."""
        self._requests = requests
        self._hosts: set[int] = set()
        self._wake_receiver, self._wake_sender = socket.socketpair()

    def serve(self) -> None:
        """Serve until the program at the other end closes the socket or ends."""
        for end in (self._wake_receiver, self._wake_sender):
            end.setblocking(False)  # noqa: FBT003  (positional only)
        signal.signal(signal.SIGCHLD, _ignore_signal)
        signal.set_wakeup_fd(self._wake_sender.fileno(), warn_on_full_buffer=False)
        with selectors.DefaultSelector() as selector:
            selector.register(self._requests, selectors.EVENT_READ)
            selector.register(self._wake_receiver, selectors.EVENT_READ)
            while True:
                selector.select()
                self._report_ended()
                if not self._serve_request():
                    return

    def _serve_request(self) -> bool:
        """Serve a request, if there is one; False: there will be no more."""
        try:
            data, descriptors, _, _ = socket.recv_fds(
                self._requests, MAX_MESSAGE_BYTES, 1, socket.MSG_DONTWAIT
            )
        except BlockingIOError:
            return True
        if not data:
            return False
        request = json.loads(data)
        if request["do"] == "fork":
            self._fork(descriptors[0])
        elif request["pid"] in self._hosts:  # otherwise its number may be another process's
            with suppress(ProcessLookupError):
                os.kill(request["pid"], signal.SIGKILL)
        return True

    def _fork(self, link: int) -> None:
        pid = os.fork()
        if pid == 0:
            self._become_host(link)
        os.close(link)
        self._hosts.add(pid)
        self._answer("forked", pid)

    def _become_host(self, link: int) -> None:
        """Run the host in the forked process; never returns."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for end in (self._requests, self._wake_receiver, self._wake_sender):
                end.close()
            os.setsid()
            _become_first_victim()
            os.set_inheritable(link, False)  # noqa: FBT003  (positional only)
            status = run_host(socket.socket(fileno=link))
        finally:
            os._exit(status)

    def _report_ended(self) -> None:
        with suppress(BlockingIOError):
            self._wake_receiver.recv(MAX_MESSAGE_BYTES)
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                self._hosts.discard(pid)
                self._answer("ended", pid, os.waitstatus_to_exitcode(status))

    def _answer(self, event: str, pid: int, status: int = 0) -> None:
        answer = json.dumps({"event": event, "pid": pid, "status": status}).encode()
        with suppress(ConnectionError):  # the program has ended; the next receive reports it
            self._requests.send(answer)


def _become_first_victim() -> None:
    """Where memory runs out, let the kernel end this host or its commands, not the program."""
    with suppress(OSError):  # not Linux
        Path("/proc/self/oom_score_adj").write_text(OOM_SCORE_ADJUSTMENT)


def main() -> None:
    """Load everything that a host needs, then serve."""
    warm_up()
    gc.freeze()
    requests = socket.socket(fileno=REQUESTS_FD)
    requests.set_inheritable(False)
    ForkServer(requests).serve()
    sys.exit(0)


if __name__ == "__main__":
    main()
