"""Crash reports: the stack of every thread when the program had to be ended."""

import os
import platform
import secrets
import sys
import threading
import traceback
from datetime import UTC, datetime
from pathlib import Path

from actors.sessions.file_system import PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE

CRASH_FOLDER = "crashes"


def format_crash_report(reason: str, version: str, now_s: float) -> str:
    """Return a report with the reason and the stack of each thread; it contains no values."""
    thread_names = {thread.ident: thread.name for thread in threading.enumerate()}
    header = (
        f"greenroom {version} ended itself: {reason}",
        f"{_format_time(now_s)} UTC · process {os.getpid()}",
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()}",
    )
    stacks = (
        f"Thread {thread_names.get(ident, '?')}:\n{''.join(traceback.format_stack(frame)).rstrip()}"
        for ident, frame in sys._current_frames().items()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (documented)
    )
    return "\n\n".join(("\n".join(header), *stacks)) + "\n"


def save_crash_report(state_folder: Path, report: str, now_s: float) -> Path:
    """Write a report atomically to a private file in the state folder.

    Raises:
        OSError: it cannot be written.
    """
    folder = state_folder / CRASH_FOLDER
    folder.mkdir(mode=PRIVATE_FOLDER_MODE, parents=True, exist_ok=True)
    path = folder / f"{datetime.fromtimestamp(now_s, UTC):%Y%m%d-%H%M%S}-{os.getpid()}.txt"
    draft = folder / f".{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(draft, flags, PRIVATE_FILE_MODE), "w", encoding="utf-8") as file:
            file.write(report)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def _format_time(time_s: float) -> str:
    return f"{datetime.fromtimestamp(time_s, UTC):%Y-%m-%d %H:%M:%S}"
