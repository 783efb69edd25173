"""The session that follows the current one."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class NextSession:
    """The session to open after the current one is closed."""

    session_file: Path | None
    """Its file; None: start a new session."""
