"""The processes between Greenroom and its commands, which end what a command has started.

This file also runs as a program, the watcher server. For each command it forks a watcher, which
starts the command's shell, waits for it, and reports what became of it and of its descendants. On
Linux a watcher is a subreaper: a process whose parent has ended becomes the watcher's child, so
none can escape by changing its session, its group or its environment. Elsewhere, only processes
in the shell's group are found. A watcher ends the command when Greenroom closes its end of the
socket: at the time limit, when the call is cancelled, and when Greenroom ends, even by SIGKILL.

There is a server because Greenroom has threads, so it must not fork, and because starting
Python takes longer than most commands. For the same reason, this file imports as little as it can.
"""
# ruff: noqa: TID251  (the clock and sleep of a program without an event loop)

import errno
import os
import sys
import time
from _collections_abc import Callable
from _socket import CMSG_LEN, SCM_RIGHTS, SOL_SOCKET, socket
from select import POLLIN, poll

GRACE_S = 1.0
"""Time from SIGTERM to SIGKILL, and from SIGKILL until the watcher gives up."""
LEFTOVER_GRACE_S = 0.2
"""How long processes may still run after the shell has exited."""
REQUESTS_FD = 3
"""Where the server finds its socket."""
LENGTH_BYTES = 8
"""Size of the length of a request's words, in front of them."""
_CLOSED_STATUS = 3
"""Exit status of a watcher that got no request, because Greenroom has ended."""
_FD_COUNT = 3
_FD_BYTES = 4
_POLL_S = 0.01
_REAP_INTERVAL_S = 1.0
"""How often adopted processes that have ended are reaped while the shell runs."""
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SIGKILL, _SIGPIPE, _SIGTERM, _SIGXFSZ = 9, 13, 15, 25  # importing `signal` takes 5 ms
_IS_LINUX = sys.platform == "linux"


class _Process:
    """A process as /proc shows it."""

    def __init__(self, pid: int) -> None:
        """Read the state of a process.

        Raises:
            OSError: it has ended.
        """
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123  (pathlib takes 10 ms to import)
            stat = file.read()
        fields = stat[stat.rindex(b")") + 2 :].split()
        self.pid = pid
        self.name = stat[stat.index(b"(") + 1 : stat.rindex(b")")]
        self.is_dead = fields[0] in (b"Z", b"X")
        self.parent = int(fields[1])
        self.identity = (pid, int(fields[19]))
        """Its id and start time; no other process has both."""


class _Watcher:
    """Watches one command."""

    def __init__(self, control: socket, shell: int) -> None:
        self._control = control
        self._shell = shell
        self._shell_exit = _open_process(shell)
        self._status: int | None = None
        self._is_cancelled = False
        self._terminated: dict[tuple[int, int], bytes] = {}

    def watch(self) -> list[bytes]:
        """Wait until the command has ended or must end, then end the rest; return the report."""
        while self._status is None and not self._is_cancelled:
            self._wait(_REAP_INTERVAL_S)
            self._reap()
        self._await_leftovers()
        self._end_all(_SIGTERM)
        self._end_all(_SIGKILL)
        left = {process.identity: process.name for process in self._find_descendants()}
        terminated = {key: name for key, name in self._terminated.items() if key not in left}
        status = -_SIGKILL if self._status is None else self._status
        return [
            b"exited %d" % status,
            *_format_processes(b"terminated", terminated),
            *_format_processes(b"running", left),
        ]

    def _wait(self, timeout_s: float) -> None:
        """Wait for the shell's exit, the end of Greenroom or the timeout, whichever is first."""
        if self._shell_exit is None or self._status is not None:
            timeout_s = _POLL_S  # nothing signals the end of the others
        inputs = [] if self._is_cancelled else [self._control.fileno()]
        if self._shell_exit is not None and self._status is None:
            inputs.append(self._shell_exit)
        self._is_cancelled |= self._control.fileno() in _wait_until_readable(inputs, timeout_s)

    def _await_leftovers(self) -> None:
        """Wait a moment for processes that outlive the shell."""
        deadline_s = time.monotonic() + LEFTOVER_GRACE_S
        while not self._is_cancelled and self._has_descendants() and time.monotonic() < deadline_s:
            self._wait(_POLL_S)

    def _end_all(self, signal_number: int) -> None:
        """Signal all descendants, also new ones, until none is left or the time is up.

        Each gets the signal once, since a second SIGTERM ends some programs abruptly.
        """
        deadline_s = time.monotonic() + GRACE_S
        sent: set[tuple[int, int]] = set()
        while self._has_descendants() and time.monotonic() < deadline_s:
            self._signal_all(signal_number, sent)
            self._wait(_POLL_S)

    def _has_descendants(self) -> bool:
        return self._reap() or (not _IS_LINUX and _has_group(self._shell))

    def _reap(self) -> bool:
        """Reap dead children; return whether others are left."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return True
                if pid == self._shell:
                    self._status = os.waitstatus_to_exitcode(status)
        except ChildProcessError:
            return False

    def _find_descendants(self) -> list[_Process]:
        if not self._has_descendants():
            return []
        children: dict[int, list[_Process]] = {}
        for process in _list_processes():
            children.setdefault(process.parent, []).append(process)
        found = list(children.get(os.getpid(), ()))
        for process in found:  # grows meanwhile
            found += children.get(process.pid, ())
        return [process for process in found if not process.is_dead]

    def _signal_all(self, signal_number: int, sent: set[tuple[int, int]]) -> None:
        """Signal the descendants that are not in `sent`, and add them."""
        if not _IS_LINUX:
            if not sent:
                _signal_group(self._shell, signal_number)
                sent.add((self._shell, 0))
            return
        for process in self._find_descendants():
            if process.identity in sent:
                continue
            sent.add(process.identity)
            if _signal_process(process, signal_number) and process.pid != self._shell:
                self._terminated[process.identity] = process.name


class _Server:
    """Keeps one idle watcher, so that a command does not have to wait for a fork."""

    def __init__(self, requests: socket, prctl: Callable[[int, int], object]) -> None:
        self._requests = requests
        self._prctl = prctl
        self._notices, self._notices_end = os.pipe()
        os.set_blocking(self._notices, False)
        self._watchers: dict[int, int | None] = {}
        """The descriptor of each watcher's process, where there is one."""
        self._idle_watcher = 0
        self._is_open = True

    def serve(self) -> None:
        """Fork watchers until the socket is closed and all of them have ended.

        The server is a subreaper too, and kills the processes of a watcher that was killed.
        """
        self._prctl(_PR_SET_CHILD_SUBREAPER, 1)
        self._fork_watcher()
        while self._is_open or self._watchers:
            exits = [descriptor for descriptor in self._watchers.values() if descriptor is not None]
            timeout_s = None if len(exits) == len(self._watchers) else _POLL_S
            _wait_until_readable([self._notices, *exits], timeout_s)
            self._replace_busy_watcher()
            for pid in list(self._watchers):
                ended, status = os.waitpid(pid, os.WNOHANG)
                if ended:
                    self._on_watcher_ended(pid, status)

    def _fork_watcher(self) -> None:
        server = os.getpid()
        pid = os.fork()
        if pid == 0:
            exit_status = 1
            try:
                self._prctl(_PR_SET_CHILD_SUBREAPER, 1)
                self._prctl(_PR_SET_PDEATHSIG, _SIGKILL)  # while it is idle
                if _IS_LINUX and os.getppid() != server:
                    os._exit(exit_status)  # the server was killed before the line above
                has_run = _run_watcher(self._requests, self._notices_end, self._prctl)
                exit_status = 0 if has_run else _CLOSED_STATUS
            finally:
                os._exit(exit_status)
        self._watchers[pid] = _open_process(pid)
        self._idle_watcher = pid

    def _replace_busy_watcher(self) -> None:
        """Fork an idle watcher if the last one reports that it runs a command."""
        try:
            os.read(self._notices, 1)
        except BlockingIOError:
            return
        self._fork_watcher()

    def _on_watcher_ended(self, pid: int, status: int) -> None:
        descriptor = self._watchers.pop(pid)
        if descriptor is not None:
            os.close(descriptor)
        if status == _CLOSED_STATUS << 8:
            self._is_open = False
        elif status:
            self._replace_busy_watcher()
            if pid == self._idle_watcher:
                self._fork_watcher()
            if _IS_LINUX:
                self._kill_adopted()

    def _kill_adopted(self) -> None:
        """Kill the processes of a watcher that was killed: they are the server's children now."""
        deadline_s = time.monotonic() + GRACE_S
        while time.monotonic() < deadline_s:
            adopted = [
                process.pid
                for process in _list_processes()
                if process.parent == os.getpid() and process.pid not in self._watchers
            ]
            if not adopted:
                return
            for pid in adopted:
                os.kill(pid, _SIGKILL)  # its id is not reused before it is reaped
                os.waitpid(pid, os.WNOHANG)
            time.sleep(_POLL_S)


def _run_watcher(requests: socket, notices: int, prctl: Callable[[int, int], object]) -> bool:
    """Wait for a request, run its command, send the report; return False if none came."""
    _, messages, _, _ = requests.recvmsg(1, CMSG_LEN(_FD_COUNT * _FD_BYTES))
    prctl(_PR_SET_PDEATHSIG, 0)  # with a command to end, it must outlive the server
    requests.close()
    descriptors = [
        int.from_bytes(data[at : at + _FD_BYTES], sys.byteorder)
        for level, kind, data in messages
        if (level, kind) == (SOL_SOCKET, SCM_RIGHTS)
        for at in range(0, len(data), _FD_BYTES)
    ]
    if len(descriptors) != _FD_COUNT:
        return False
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)  # noqa: FBT003  (as above)
    control_fd, output, folder = descriptors
    control = socket(fileno=control_fd)
    control.sendall(b"watcher %d\n" % os.getpid())
    length = int.from_bytes(_receive(control, LENGTH_BYTES), "big")
    words = _receive(control, length).split(b"\0")
    try:
        os.fchdir(folder)
        shell = _spawn(words, output)
    except OSError as error:
        os.write(notices, b".")
        report = [b"failed %d" % (error.errno or errno.EIO)]
    else:
        os.close(output)  # Greenroom reads until nobody has it open for writing
        os.write(notices, b".")
        os.close(notices)
        report = _Watcher(control, shell).watch()
    control.sendall(b"\n".join(report))
    return True


def _spawn(words: list[bytes], output: int) -> int:
    """Start the shell.

    The words are the numbers of its arguments and of the files to open for it, then these, then
    its environment. A file is given as its descriptor, a space and its path.
    """
    argument_count, file_count = (int(number) for number in words[0].split())
    arguments = words[1 : argument_count + 1]
    files = words[argument_count + 1 : argument_count + 1 + file_count]
    environment = words[argument_count + 1 + file_count :]
    opened = (file.split(b" ", 1) for file in files)
    return os.posix_spawn(
        arguments[0],
        arguments,
        dict(entry.split(b"=", 1) for entry in environment),
        file_actions=(
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, output, 1),
            (os.POSIX_SPAWN_DUP2, output, 2),
            *((os.POSIX_SPAWN_OPEN, int(number), path, os.O_RDWR, 0) for number, path in opened),
        ),
        setsid=True,
        setsigdef=(_SIGPIPE, _SIGXFSZ),  # Python ignores them
    )


def _receive(control: socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        chunk = control.recv(length - len(data))
        if not chunk:
            os._exit(0)  # Greenroom has ended
        data += chunk
    return data


def _load_prctl() -> Callable[[int, int], object]:
    """Load the function ahead, because loading it takes longer than the fork of a watcher."""
    if not _IS_LINUX:
        return lambda _option, _argument: None
    from ctypes import CDLL  # noqa: PLC0415  (only in the server)

    prctl = CDLL(None).prctl
    return lambda option, argument: prctl(option, argument, 0, 0, 0)


def _wait_until_readable(descriptors: list[int], timeout_s: float | None) -> set[int]:
    poller = poll()
    for descriptor in descriptors:
        poller.register(descriptor, POLLIN)
    ready = poller.poll(None if timeout_s is None else timeout_s * 1000)
    return {descriptor for descriptor, _ in ready}


def _open_process(pid: int) -> int | None:
    """Open a descriptor that is readable when the process has ended, where there is one."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _list_processes() -> list[_Process]:
    processes: list[_Process] = []
    for name in os.listdir("/proc"):  # noqa: PTH208  (as above)
        if name.isdigit():
            try:
                processes.append(_Process(int(name)))
            except OSError:
                continue  # it has ended meanwhile
    return processes


def _signal_process(process: _Process, signal_number: int) -> bool:
    """Signal exactly this process; return False if it has ended or may not be signaled."""
    import signal  # noqa: PLC0415  (seldom needed)

    try:
        descriptor = os.pidfd_open(process.pid)
    except OSError:
        return False
    try:
        # Checked after opening, because the id may have been reused by another process.
        if _Process(process.pid).identity != process.identity:
            return False
        signal.pidfd_send_signal(descriptor, signal_number)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _has_group(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except OSError:  # PermissionError: only dead members are left
        return False
    return True


def _signal_group(group: int, signal_number: int) -> None:
    if _has_group(group):
        os.killpg(group, signal_number)


def _format_processes(word: bytes, processes: dict[tuple[int, int], bytes]) -> list[bytes]:
    return [
        b"%s %d %s" % (word, pid, name.replace(b"\n", b" ")) for (pid, _), name in processes.items()
    ]


if __name__ == "__main__":
    # A descriptor that was inherited by mistake would keep a pipe or a lock open.
    os.closerange(REQUESTS_FD + 1, os.sysconf("SC_OPEN_MAX"))
    _Server(socket(fileno=REQUESTS_FD), _load_prctl()).serve()
