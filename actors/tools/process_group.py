"""Waits for a command's first process, and terminates all of its processes.

The process is watched through a process descriptor on the event loop. That needs no thread and no
signal handler, and works on a loop in any thread. asyncio's own watcher in Python 3.11 starts a
thread per child.
"""

import asyncio
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from actors.tools.process_tags import find_tagged_processes, signal_tagged_process

GRACE_S = 1.0
"""Time from SIGTERM to SIGKILL, and from SIGKILL until we give up."""
_POLL_S = 0.01
_REQUIRED_EMPTY_SCANS = 2
"""A single scan can miss a process during exec, when it briefly has no environment."""
_PROC = Path("/proc")
_DEAD_STATES = ("Z", "X")
_SentSignal = tuple[int, signal.Signals]


async def wait_until_readable(descriptor: int) -> None:
    """Wait until reading from a descriptor would not block."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    # The loop may call the reader again before this coroutine runs.
    loop.add_reader(descriptor, lambda: None if ready.done() else ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)


async def wait_for_exit(process: subprocess.Popen[bytes]) -> None:
    """Wait until the group's first process has ended, and reap it."""
    if not hasattr(os, "pidfd_open"):  # not Linux
        while process.poll() is None:  # noqa: ASYNC110  (nothing there signals its end)
            await asyncio.sleep(_POLL_S)
        return
    descriptor = os.pidfd_open(process.pid)
    try:
        await wait_until_readable(descriptor)
    finally:
        os.close(descriptor)
    process.wait()


async def terminate_all(process: subprocess.Popen[bytes], tag: str) -> bool:
    """Terminate all processes in the group or with the tag; return whether there were any.

    They get SIGTERM, and SIGKILL after `GRACE_S`. It returns when they are gone. Processes that we
    may not kill (another user's), and those that spawn faster than they are killed, are given up
    after another `GRACE_S`.
    """
    was_alive = is_group_alive(process)
    sent: set[_SentSignal] = set()
    try:
        for number in (signal.SIGTERM, signal.SIGKILL):
            _signal_group(process, number)
            if await _wait_until_gone(process, tag, number, sent):
                break
    except BaseException:  # the loop is shutting down
        kill_all(process, tag)
        raise
    return was_alive or bool(sent)


def kill_all(process: subprocess.Popen[bytes], tag: str) -> None:
    """Send SIGKILL to all processes in the group or with the tag, without waiting; thread-safe."""
    _signal_group(process, signal.SIGKILL)
    _signal_strays(process, tag, signal.SIGKILL, set())


def is_group_alive(process: subprocess.Popen[bytes]) -> bool:
    """Return whether any process in the group is alive; reap the first process if it has ended."""
    return process.poll() is None or _has_living_members(process.pid)


async def _wait_until_gone(
    process: subprocess.Popen[bytes], tag: str, number: signal.Signals, sent: set[_SentSignal]
) -> bool:
    loop = asyncio.get_running_loop()
    deadline_s = loop.time() + GRACE_S
    # Strays get the same grace as the group. Scanning for them is expensive, so it is repeated only
    # when the group is gone.
    _signal_strays(process, tag, number, sent)
    empty_scans = 0
    while empty_scans < _REQUIRED_EMPTY_SCANS:
        if loop.time() >= deadline_s:
            return False
        await asyncio.sleep(_POLL_S)
        found = is_group_alive(process) or _signal_strays(process, tag, number, sent)
        empty_scans = 0 if found else empty_scans + 1
    return True


def _signal_strays(
    process: subprocess.Popen[bytes], tag: str, number: signal.Signals, sent: set[_SentSignal]
) -> bool:
    """Signal tagged processes outside the group; return whether there are any.

    Each gets a signal only once, because some programs end abruptly on a second SIGTERM.
    """
    strays = {(pid, number) for pid in find_tagged_processes(tag) if _get_group(pid) != process.pid}
    for pid, _ in strays - sent:
        signal_tagged_process(pid, tag, number)
    sent |= strays
    return bool(strays)


def _get_group(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    # The group's id stays taken while its first process is not reaped or a member lives, so this
    # checks immediately before it signals.
    if is_group_alive(process):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)


def _has_living_members(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # macOS raises this when only dead members are left
        return _PROC.is_dir() and _is_any_alive(group)
    return not _PROC.is_dir() or _is_any_alive(group)


def _is_any_alive(group: int) -> bool:
    # Dead processes stay members until init reaps them, which it never does in some containers.
    # This reads no disk, and a command that left no process behind does not get this far.
    return any(
        _is_alive(int(entry.name), group) for entry in _PROC.iterdir() if entry.name.isdigit()
    )


def _is_alive(pid: int, group: int) -> bool:
    try:
        if os.getpgid(pid) != group:
            return False
        stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:  # ended meanwhile
        return False
    return stat.rpartition(")")[2].split()[0] not in _DEAD_STATES
