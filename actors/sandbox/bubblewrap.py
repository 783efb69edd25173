"""Runs commands in bubblewrap: full enforcement on Linux."""

import os
import stat
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from actors.paths.program_search import find_program
from actors.sandbox.mounts import Mount
from actors.sandbox.policy import OpenFiles, SandboxStatus

PREFERRED_FOLDER = "/usr/bin"
"""Some distributions allow user namespaces only for /usr/bin/bwrap."""
FILTER_FD, STATUS_FD = 10, 11
"""Where bubblewrap finds the system call filter, and where it reports that the command started."""
FAILURE_STATUS = 1
"""Exit status of bubblewrap when it cannot start the command."""
PROBE_TIMEOUT_S = 2.0
# In a user namespace of its own, a command could unmount what hides the keys.
_NAMESPACES = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
    *("--unshare-cgroup-try", "--disable-userns"),
)


def find_bubblewrap(search_path: str, projects: Iterable[Path]) -> str | None:
    """Return the program: the system's, else one on PATH that only root or the user can change."""
    projects = tuple(projects)
    found = find_program("bwrap", PREFERRED_FOLDER, projects)
    found = found or find_program("bwrap", search_path, projects)
    return found if found and _is_trustworthy(Path(found)) else None


def _is_trustworthy(path: Path) -> bool:
    for checked in (path, path.resolve().parent):
        state = checked.stat()
        is_public = state.st_mode & (stat.S_IWOTH | stat.S_IWGRP) and state.st_uid != os.geteuid()
        if state.st_uid not in (0, os.geteuid()) or is_public:
            return False
    return True


def build_arguments(
    program: str, mounts: Sequence[Mount], cwd: Path, command: Sequence[str]
) -> tuple[str, ...]:
    """Return the command line that runs `command` in a sandbox with these mounts."""
    arguments = [
        program,
        *_NAMESPACES,
        # A new session, so that no command can type into the terminal.
        *("--cap-drop", "ALL", "--new-session", "--seccomp", str(FILTER_FD)),
        *("--json-status-fd", str(STATUS_FD)),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
    ]
    for mount in mounts:
        arguments += _format_mount(mount)
    # Only now: a mount point cannot be created below a folder that is already read-only.
    for mount in mounts:
        if mount.kind == "always-empty":
            arguments += ["--remount-ro", str(mount.path)]
    return (*arguments, "--chdir", str(cwd), "--", *command)


def _format_mount(mount: Mount) -> list[str]:
    target, source = str(mount.path), str(mount.source or mount.path)
    match mount.kind:
        case "read-only":
            return ["--ro-bind", source, target]
        case "writable":
            return ["--bind", source, target]
        case "empty" | "always-empty":
            return ["--perms", "0755", "--tmpfs", target]
        case "no-file":
            return ["--ro-bind", os.devnull, target]


def probe(arguments: Sequence[str], open_files: OpenFiles) -> SandboxStatus:
    """Find out whether a sandbox works here, by running one with the flags that will be used."""
    opened = {number: os.open(path, os.O_RDWR) for number, path in open_files}
    try:
        result = subprocess.run(
            _redirect(arguments, opened),
            pass_fds=tuple(opened.values()),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return SandboxStatus("none", f"bubblewrap did not start within {PROBE_TIMEOUT_S:g} s")
    except OSError as error:
        return SandboxStatus("none", f"bubblewrap cannot be started: {error.strerror}")
    finally:
        for descriptor in opened.values():
            os.close(descriptor)
    if result.returncode == 0:
        return SandboxStatus("full")
    detail = result.stderr.decode("utf-8", "replace").strip().splitlines()
    return SandboxStatus("none", f"bubblewrap failed: {detail[-1] if detail else 'no message'}")


def _redirect(arguments: Sequence[str], opened: dict[int, int]) -> list[str]:
    """Return the arguments with the numbers that the files have here."""
    numbers = {str(wanted): str(actual) for wanted, actual in opened.items()}
    options = ("--seccomp", "--json-status-fd")
    return [
        numbers.get(word, word) if before in options else word
        for before, word in zip(("", *arguments), arguments, strict=False)
    ]
