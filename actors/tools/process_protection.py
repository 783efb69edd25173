"""Keeps other processes, such as our own commands, from reading keys in our process."""

import logging
import sys
from collections.abc import Iterable

_log = logging.getLogger("greenroom.commands")
_PR_SET_DUMPABLE = 4


def hide_keys(names: Iterable[str]) -> None:
    """Erase values from the environment that the kernel shows; `os.environ` still has them.

    Processes of the same user may then neither attach to ours nor read its memory. Linux only.
    """
    if sys.platform != "linux":
        return
    # Loaded with the first command, since it takes 5 ms.
    from ctypes import CDLL, POINTER, c_void_p, memset, string_at  # noqa: PLC0415

    try:
        libc = CDLL(None)
        # The kernel then gives our files in /proc to root, and only root may attach.
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        entries = POINTER(c_void_p).in_dll(libc, "environ")
    except (OSError, ValueError, AttributeError):  # not the C library that we know
        _log.warning("the keys in our environment cannot be hidden", exc_info=True)
        return
    prefixes = tuple(f"{name}=".encode() for name in names)
    index = 0
    while address := entries[index]:
        entry = string_at(address)
        if entry.startswith(prefixes):
            start = entry.index(b"=") + 1
            memset(address + start, 0, len(entry) - start)
        index += 1
