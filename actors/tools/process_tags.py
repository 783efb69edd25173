"""Finding a command's processes wherever they went, by a mark in their environment.

Who leaves the group (setsid, a daemon's double fork) takes along the environment that it was
started with, and Linux shows it. Who empties or overwrites it, hides it or changes the user
escapes; where there is no /proc, nobody is found.
"""

import os
import secrets
import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

TAG_VARIABLE = "GREENROOM_COMMAND"
_PROC = Path("/proc")


def new_tag(inherited: Mapping[str, str]) -> str:
    """Make a command's mark, which nothing else on this machine has, now or later.

    Inside a command of another Greenroom it extends that one's, which thus finds ours too.
    """
    own, outer = secrets.token_hex(8), inherited.get(TAG_VARIABLE)
    return f"{outer}/{own}" if outer else own


def find_tagged_processes(tag: str) -> Iterator[int]:
    """Find the living processes of ours that have the mark; each look reads all of /proc."""
    if _PROC.is_dir():
        for entry in _PROC.iterdir():
            if entry.name.isdigit() and _has_mark(int(entry.name), tag):
                yield int(entry.name)


def signal_tagged_process(pid: int, tag: str, signal_number: signal.Signals) -> None:
    """Signal a process that still has the mark; one that has ended meanwhile is fine."""
    with suppress(OSError):
        process = os.pidfd_open(pid)
        try:
            # Opened before it is looked at again: the number may have gone to a stranger.
            if _has_mark(pid, tag):
                signal.pidfd_send_signal(process, signal_number)
        finally:
            os.close(process)


def _has_mark(pid: int, mark: str) -> bool:
    try:
        process = _PROC / str(pid)
        if process.stat().st_uid != os.geteuid():
            return False
        environment = (process / "environ").read_bytes()  # empty when it is dead
    except OSError:  # ended meanwhile, or hidden
        return False
    said = os.fsencode(f"{TAG_VARIABLE}={mark}")
    return any(one == said or one.startswith(said + b"/") for one in environment.split(b"\0"))
