"""What tmux does to Esc: it waits whether more comes behind it, longer than anybody likes."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

MAX_ESCAPE_TIME_MS = 50
"""A person does not notice so much."""
_MARKER = "told-of-escape-time"
_ASK_S = 1.0


def get_escape_time_hint(environment: Mapping[str, str], state_folder: Path) -> str:
    """Say how Esc gets quick, once for each state folder; empty: there is nothing to say."""
    if not environment.get("TMUX"):
        return ""
    held_ms = _escape_time_ms(environment)
    if held_ms <= MAX_ESCAPE_TIME_MS or not _first_time(state_folder / _MARKER):
        return ""
    return (
        f"tmux holds Esc back for {held_ms} ms; with `set -sg escape-time 10` in ~/.tmux.conf "
        "it acts at once. This is said once."
    )


def _escape_time_ms(environment: Mapping[str, str]) -> int:
    ask = ("tmux", "show-options", "-sv", "escape-time")
    try:
        found = subprocess.run(
            ask,
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ASK_S,
        )
        return int(found.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0


def _first_time(marker: Path) -> bool:
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except OSError:
        return False
    return True
