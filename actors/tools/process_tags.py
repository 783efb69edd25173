"""Finds a command's processes, wherever they went, by a tag in their environment.

A process that leaves the group (setsid, a daemon's double fork) keeps the environment it was
started with, and Linux exposes it. A process escapes if it empties, overwrites or hides its
environment or changes the user. Without /proc, no process is found.
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
    """Return a new tag, unique on this machine for all time.

    Inside a command of another Greenroom, it extends that command's tag, so that the outer one
    finds these processes too.
    """
    tag, outer = secrets.token_hex(8), inherited.get(TAG_VARIABLE)
    return f"{outer}/{tag}" if outer else tag


def find_tagged_processes(tag: str) -> Iterator[int]:
    """Yield the ids of our living processes that have the tag; each call reads all of /proc."""
    if _PROC.is_dir():
        for entry in _PROC.iterdir():
            if entry.name.isdigit() and _has_tag(int(entry.name), tag):
                yield int(entry.name)


def signal_tagged_process(pid: int, tag: str, signal_number: signal.Signals) -> None:
    """Signal a process if it still has the tag; do nothing if it has ended."""
    with suppress(OSError):
        descriptor = os.pidfd_open(pid)
        try:
            # Checked after opening, because the id may have been reused by another process.
            if _has_tag(pid, tag):
                signal.pidfd_send_signal(descriptor, signal_number)
        finally:
            os.close(descriptor)


def _has_tag(pid: int, tag: str) -> bool:
    try:
        process = _PROC / str(pid)
        if process.stat().st_uid != os.geteuid():
            return False
        environment = (process / "environ").read_bytes()  # empty for a dead process
    except OSError:  # ended meanwhile, or hidden
        return False
    tag_entry = os.fsencode(f"{TAG_VARIABLE}={tag}")
    return any(
        entry == tag_entry or entry.startswith(tag_entry + b"/")
        for entry in environment.split(b"\0")
    )
