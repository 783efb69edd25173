"""Attacks on the sandbox, played on the user's own machine: `greenroom sandbox`.

Each one tries something that the policy forbids, in a scratch workspace with made-up secrets, and
is checked from outside the sandbox wherever that is possible.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from messages.policy import WorkspaceAccess

MARKER = "sandbox-test-secret"
"""In each made-up secret; a command that prints it has read one."""
_SIGNAL_TIMEOUT_S = 0.5
"""A process that was killed has ended by then."""
Outcome = Literal["blocked", "succeeded", "not run"]


@dataclass(slots=True)
class Target:
    """What the attacks are aimed at."""

    folder: Path
    host_process: "subprocess.Popen[bytes]"
    servers: list[socket.socket] = field(default_factory=list[socket.socket])

    @property
    def workspace(self) -> Path:
        """A repository with one commit."""
        return self.folder / "workspace"

    @property
    def home(self) -> Path:
        """A home folder with keys in it."""
        return self.folder / "home"

    @property
    def outside(self) -> Path:
        """A folder that is not part of the workspace."""
        return self.folder / "outside"

    def get_variables(self) -> dict[str, str]:
        """Return the variables that the scripts of the attacks use."""
        tcp, home_socket, abstract = self.servers
        return {
            "HOME": str(self.home),
            "OUTSIDE": str(self.outside),
            "PYTHON": sys.executable,
            "HOST_PID": str(self.host_process.pid),
            "PORT": str(tcp.getsockname()[1]),
            "HOME_SOCKET": str(home_socket.getsockname()),
            "ABSTRACT_SOCKET": abstract.getsockname().decode().removeprefix("\0"),
            "TEST_TOKEN": f"{MARKER}-variable",
        }


RunCommand = Callable[["Attack", Target], str | None]
"""Runs an attack's script in the sandbox and returns its output; None: there is no sandbox."""


def _never(_target: Target) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Attack:
    """Something that a sandboxed command must not be able to do."""

    name: str
    script: str
    """Prints MARKER or `REACHED` if it succeeds, where the outside cannot tell."""
    has_succeeded: Callable[[Target], bool] = _never
    """Looks at the machine afterward."""
    access: WorkspaceAccess = "writable"


def _has_ended(target: Target) -> bool:
    with contextlib.suppress(subprocess.TimeoutExpired):
        target.host_process.wait(_SIGNAL_TIMEOUT_S)
    return target.host_process.returncode is not None


def _outside_has(name: str) -> Callable[[Target], bool]:
    return lambda target: (target.outside / name).exists()


def _workspace_has(name: str) -> Callable[[Target], bool]:
    return lambda target: os.path.lexists(target.workspace / name)


def _connect(family: str, address: str) -> str:
    return (
        f"$PYTHON -c 'import os, socket; s = socket.socket(socket.{family}); s.settimeout(5); "
        f's.connect({address}); print("REACHED")\''
    )


def _call_kernel(x86_64: int, aarch64: int, arguments: str) -> str:
    """Return a script that succeeds unless the system call is forbidden (EPERM or ENOSYS)."""
    return (
        "$PYTHON -c 'import ctypes, errno, platform; libc = ctypes.CDLL(None, use_errno=True); "
        f'number = {aarch64} if platform.machine() == "aarch64" else {x86_64}; '
        f"libc.syscall(number, {arguments}); "
        'print("blocked" if ctypes.get_errno() in (errno.EPERM, errno.ENOSYS) else "REACHED")\''
    )


ATTACKS = (
    Attack("write outside the workspace", "echo x > $OUTSIDE/a", _outside_has("a")),
    Attack("write through a new link", "ln -s $OUTSIDE l; echo x > l/b", _outside_has("b")),
    Attack(
        "write through a hard link",
        "ln $OUTSIDE/file h && echo changed >> h",
        lambda target: "changed" in (target.outside / "file").read_text(),
    ),
    Attack("write through /proc", "echo x > /proc/$HOST_PID/root$OUTSIDE/c", _outside_has("c")),
    Attack("change a read-only workspace", "echo x > r", _workspace_has("r"), "read-only"),
    Attack("remount the disk as writable", "mount -o remount,rw / && echo REACHED"),
    Attack("read SSH keys", "cat $HOME/.ssh/id_test"),
    Attack("read cloud keys", "cat $HOME/.aws/credentials $HOME/.netrc"),
    Attack("unmount what hides the keys", "umount -l $HOME/.ssh; cat $HOME/.ssh/id_test"),
    Attack(
        "read keys in a namespace of its own",
        "unshare -Urm sh -c 'umount -l $HOME/.ssh; cat $HOME/.ssh/id_test'",
    ),
    Attack("read secret variables", f"env | grep -q {MARKER} && echo REACHED"),
    Attack("read another process's environment", "cat /proc/$HOST_PID/environ"),
    Attack("kill another process", "kill -9 $HOST_PID", _has_ended),
    Attack("kill every process", "kill -9 -1", _has_ended),
    Attack("reach the network", "ip route get 192.0.2.1 && echo REACHED"),
    Attack(
        "reach the machine's own servers",
        _connect("AF_INET", '("127.0.0.1", int(os.environ["PORT"]))'),
    ),
    Attack("reach a socket in the home folder", _connect("AF_UNIX", 'os.environ["HOME_SOCKET"]')),
    Attack(
        "reach an abstract socket",
        _connect("AF_UNIX", '"\\0" + os.environ["ABSTRACT_SOCKET"]'),
    ),
    Attack(
        "add a git hook",
        "mkdir -p .git/hooks; echo x > .git/hooks/post-commit",
        _workspace_has(".git/hooks/post-commit"),
    ),
    Attack(
        "change git's configuration",
        "git config core.fsmonitor /tmp/x",
        lambda target: "fsmonitor" in (target.workspace / ".git/config").read_text(),
    ),
    Attack("put another .git in its place", "mv .git old && git init", _workspace_has("old")),
    Attack(
        "create Greenroom's configuration",
        "mkdir -p .greenroom; echo x > .greenroom/config.toml",
        _workspace_has(".greenroom/config.toml"),
    ),
    Attack(
        "create a task of the editor",
        "mkdir -p .vscode; echo x > .vscode/tasks.json",
        _workspace_has(".vscode/tasks.json"),
    ),
    Attack(
        "replace the parent of a protected folder",
        "mv .github old-github; mkdir -p .github/workflows; echo x > .github/workflows/new.yml",
        _workspace_has(".github/workflows/new.yml"),
    ),
    Attack(
        "change the instructions of agents",
        "echo changed >> AGENTS.md",
        lambda target: "changed" in (target.workspace / "AGENTS.md").read_text(),
    ),
    Attack(
        "make a program that runs as its owner",
        "cp /bin/true s; chmod u+s s",
        lambda target: bool((target.workspace / "s").stat().st_mode & 0o4000),
    ),
    Attack("create a device", "mknod d b 8 0 && echo REACHED"),
    Attack("use io_uring", _call_kernel(425, 425, "1, 0")),
    Attack("open a file by its handle", _call_kernel(304, 265, "-1, 0, 0")),
    Attack(
        "leave a process behind",
        f"setsid bash -c 'exec -a {MARKER}-left sleep 300' > /dev/null & sleep 0.2",
        lambda _target: _end_processes(f"^{MARKER}-left"),
    ),
)


def run_attacks(run_command: RunCommand, parent: Path) -> Generator[tuple[Attack, Outcome]]:
    """Play all attacks in scratch folders below `parent`, and yield each outcome.

    `run_command` runs a script in the sandbox of a target, and returns its output.

    Raises:
        OSError: a scratch folder cannot be made, or git is missing.
    """
    for attack in ATTACKS:
        with make_target(parent) as target:
            output = run_command(attack, target)
            if output is None:
                yield attack, "not run"
            else:
                yield attack, find_outcome(attack, target, output)


def find_outcome(attack: Attack, target: Target, output: str) -> Outcome:
    """Return whether an attack with this output has succeeded."""
    has_printed = MARKER in output or "REACHED" in output
    return "succeeded" if has_printed or attack.has_succeeded(target) else "blocked"


@contextlib.contextmanager
def make_target(parent: Path) -> Generator[Target]:
    """Provide a target in a scratch folder, which is removed afterward."""
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="sandbox-test-", dir=parent.resolve()))
    host_process = subprocess.Popen(["sleep", "300"], env={"TOKEN": MARKER}, start_new_session=True)
    target = Target(folder, host_process)
    try:
        _fill(target)
        yield target
    finally:
        for server in target.servers:
            server.close()
        host_process.kill()
        host_process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _fill(target: Target) -> None:
    for path in (".ssh/id_test", ".aws/credentials", ".netrc"):
        file = target.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(MARKER)
    target.outside.mkdir()
    (target.outside / "file").write_text("as before\n")
    workflows = target.workspace / ".github" / "workflows"
    workflows.mkdir(parents=True)
    (workflows / "ci.yml").write_text("on: push\n")
    (target.workspace / "AGENTS.md").write_text("as before\n")
    subprocess.run(
        ["git", "-c", "init.templateDir=", "init", "-q", str(target.workspace)], check=True
    )
    tcp = socket.create_server(("127.0.0.1", 0))
    home_socket = socket.socket(socket.AF_UNIX)
    home_socket.bind(str(target.home / "agent"))
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind(f"\0{target.folder.name}")
    for server in (home_socket, abstract):
        server.listen()
    target.servers += [tcp, home_socket, abstract]


def _end_processes(pattern: str) -> bool:
    """End the processes with such a command line; return whether there were any."""
    found = subprocess.run(["pgrep", "-f", pattern], capture_output=True, check=False)
    for pid in found.stdout.split():
        with contextlib.suppress(OSError):
            os.kill(int(pid), signal.SIGKILL)
    return bool(found.stdout)
