"""What comes after this session, when the person goes on with another one."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class NextSession:
    """The session to open once this one is closed."""

    session_file: Path | None
    """Its file; None: a new one."""
