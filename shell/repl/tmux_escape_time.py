"""The hint about tmux, which delays Esc to see whether more of a key sequence follows."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from actors.paths.program_search import find_program

MAX_ESCAPE_TIME_MS = 50
"""Users do not notice a shorter delay."""
_MARKER = "escape-time-hint-shown"
_TIMEOUT_S = 1.0


def get_escape_time_hint(
    environment: Mapping[str, str], state_folder: Path, workspace: Path
) -> str:
    """Return how to make Esc faster, once per state folder; empty: no hint is needed."""
    if not environment.get("TMUX"):
        return ""
    tmux = find_program("tmux", environment.get("PATH", os.defpath), (workspace,))
    delay_ms = _query_escape_time_ms(tmux, environment) if tmux else 0
    if delay_ms <= MAX_ESCAPE_TIME_MS or not _create_marker(state_folder / _MARKER):
        return ""
    return (
        f"tmux delays Esc by {delay_ms} ms. To avoid this, add `set -sg escape-time 10` to "
        "~/.tmux.conf. This hint is shown only once."
    )


def _query_escape_time_ms(tmux: str, environment: Mapping[str, str]) -> int:
    try:
        result = subprocess.run(
            (tmux, "show-options", "-sv", "escape-time"),
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
        )
        return int(result.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0


def _create_marker(marker: Path) -> bool:
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except OSError:
        return False
    return True
