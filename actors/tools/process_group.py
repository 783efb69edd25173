"""A command's processes: waiting for the first one, and ending all of them.

The child is watched by a process descriptor on the event loop: no thread, no signal handler, and
it works on a loop in any thread. asyncio's own watcher on Python 3.11 starts a thread a child.
"""

import asyncio
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from actors.tools.process_tags import find_tagged_processes, signal_tagged_process

GRACE_S = 1.0
"""After TERM comes KILL, and after KILL we go on."""
_POLL_S = 0.01
_QUIET_LOOKS = 2
"""One alone may miss who is just becoming another program, and has no environment meanwhile."""
_PROC = Path("/proc")
_DEAD = ("Z", "X")
_Told = tuple[int, signal.Signals]


async def wait_until_readable(descriptor: int) -> None:
    """Wait until reading from a descriptor would not block."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    # The loop may call again before we run.
    loop.add_reader(descriptor, lambda: None if ready.done() else ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)


async def wait_for_exit(process: subprocess.Popen[bytes]) -> None:
    """Wait until the group's first process has ended, and reap it."""
    if not hasattr(os, "pidfd_open"):  # not Linux
        while process.poll() is None:  # noqa: ASYNC110  (nothing there tells of its end)
            await asyncio.sleep(_POLL_S)
        return
    watched = os.pidfd_open(process.pid)
    try:
        await wait_until_readable(watched)
    finally:
        os.close(watched)
    process.wait()


async def terminate_all(process: subprocess.Popen[bytes], tag: str) -> bool:
    """End everybody in the group or with the mark: TERM, after `GRACE_S` KILL; whether any was.

    Returns when they are gone. Those that the system does not let us end (another user's), and
    those that come anew faster than they are ended, are given up after `GRACE_S` more.
    """
    met = is_group_alive(process)
    told: set[_Told] = set()
    try:
        for number in (signal.SIGTERM, signal.SIGKILL):
            _signal(process, number)
            if await _gone(process, tag, number, told):
                break
    except BaseException:  # the loop is going down
        kill_all(process, tag)
        raise
    return met or bool(told)


def kill_all(process: subprocess.Popen[bytes], tag: str) -> None:
    """KILL everybody in the group or with the mark without waiting; from any thread."""
    _signal(process, signal.SIGKILL)
    _tell_strays(process, tag, signal.SIGKILL, set())


def is_group_alive(process: subprocess.Popen[bytes]) -> bool:
    """Whether anybody in the group is alive; the first process is reaped when it is not."""
    return process.poll() is None or _has_living_members(process.pid)


async def _gone(
    process: subprocess.Popen[bytes], mark: str, number: signal.Signals, told: set[_Told]
) -> bool:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + GRACE_S
    # Strays have the same grace as the group. Looking for them is dear: again only without a group.
    _tell_strays(process, mark, number, told)
    quiet_looks = 0
    while quiet_looks < _QUIET_LOOKS:
        if loop.time() >= deadline:
            return False
        await asyncio.sleep(_POLL_S)
        found = is_group_alive(process) or _tell_strays(process, mark, number, told)
        quiet_looks = 0 if found else quiet_looks + 1
    return True


def _tell_strays(
    process: subprocess.Popen[bytes], mark: str, number: signal.Signals, told: set[_Told]
) -> bool:
    """Signal each once, as some take a second TERM for impatience; whether there are any."""
    strays = {(pid, number) for pid in find_tagged_processes(mark) if _group_of(pid) != process.pid}
    for pid, _ in strays - told:
        signal_tagged_process(pid, mark, number)
    told |= strays
    return bool(strays)


def _group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    # The group's number stays taken while its first process is not reaped or a member lives, so
    # this looks right before it signals.
    if is_group_alive(process):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)


def _has_living_members(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # macOS says so when only the dead are left
        return _PROC.is_dir() and _any_alive(group)
    return not _PROC.is_dir() or _any_alive(group)


def _any_alive(group: int) -> bool:
    # The dead stay members until init reaps them, which some containers' init never does. Nothing
    # here touches a disk, and a command that left nobody behind does not come this far.
    return any(_is_alive(int(one.name), group) for one in _PROC.iterdir() if one.name.isdigit())


def _is_alive(pid: int, group: int) -> bool:
    try:
        if os.getpgid(pid) != group:
            return False
        stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:  # ended meanwhile
        return False
    return stat.rpartition(")")[2].split()[0] not in _DEAD
