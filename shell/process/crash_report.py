"""What is left of a program that had to be ended: where every thread was, and in whose hands."""

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
    """Say what happened, and where each thread is; values and messages are left out."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    head = (
        f"greenroom {version} ended itself: {reason}",
        f"{_moment(now_s)} UTC · process {os.getpid()}",
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()}",
    )
    stacks = (
        f"Thread {names.get(number, '?')}:\n{''.join(traceback.format_stack(frame)).rstrip()}"
        for number, frame in sys._current_frames().items()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (documented)
    )
    return "\n\n".join(("\n".join(head), *stacks)) + "\n"


def save_crash_report(state_folder: Path, report: str, now_s: float) -> Path:
    """Write a report into a state folder, whole or not at all, for its owner's eyes only.

    Raises:
        OSError: it cannot be written.
    """
    crashes = state_folder / CRASH_FOLDER
    crashes.mkdir(mode=PRIVATE_FOLDER_MODE, parents=True, exist_ok=True)
    path = crashes / f"{datetime.fromtimestamp(now_s, UTC):%Y%m%d-%H%M%S}-{os.getpid()}.txt"
    draft = crashes / f".{secrets.token_hex(8)}"
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


def _moment(now_s: float) -> str:
    return f"{datetime.fromtimestamp(now_s, UTC):%Y-%m-%d %H:%M:%S}"
