"""The sessions of a workspace as a person chooses among them, read without opening them.

A session file may be large: only its first records are decoded, the others are counted and held
against their checksums. Nothing here raises for what a file holds.
"""

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from actors.sessions.private_open import describe_trust_problem
from actors.sessions.state_paths import list_session_files
from messages.journal import SessionHeader
from messages.serialization import DecodeError, decode_line, has_valid_checksum
from messages.turns import TurnStarted

_TURN = b'{"type":"turn_started"'
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """One session file at a glance."""

    path: Path
    state: Literal["held", "free", "broken"]
    """held: another program, or this one, has it open · broken: see `problem`."""
    size_bytes: int = 0
    modified_s: float = 0.0
    """When it was last written to, seconds since 1970."""
    workspace: str = ""
    first_prompt: str = ""
    turn_count: int = 0
    problem: str = ""

    @property
    def session_id(self) -> str:
        """Name it."""
        return self.path.stem


def list_session_summaries(project_folder: Path) -> tuple[SessionSummary, ...]:
    """List a project's sessions, last written first."""
    return tuple(summarize_session(path) for path in list_session_files(project_folder))


def summarize_session(path: Path) -> SessionSummary:
    """Look at one session file; never waits and never changes it."""
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        return SessionSummary(path, "broken", problem=error.strerror or "it cannot be opened")
    try:
        return _looked_at(path, descriptor)
    except OSError as error:
        return SessionSummary(path, "broken", problem=error.strerror or "it cannot be read")
    finally:
        os.close(descriptor)


def _looked_at(path: Path, descriptor: int) -> SessionSummary:
    status = os.fstat(descriptor)
    problem = describe_trust_problem(status)
    if problem:
        return SessionSummary(path, "broken", status.st_size, status.st_mtime, problem=problem)
    held = _is_held(descriptor)
    lines = _read(descriptor).split(b"\n")
    first, problem = _first(lines)
    turns = [line for line in lines if line.startswith(_TURN)]
    problem = problem or _damage(lines)
    return SessionSummary(
        path,
        "broken" if problem else "held" if held else "free",
        status.st_size,
        status.st_mtime,
        workspace=first,
        first_prompt=_prompt(turns),
        turn_count=len(turns),
        problem=problem,
    )


def _is_held(descriptor: int) -> bool:
    """Try a shared lock for an instant; it goes with the descriptor."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


def _read(descriptor: int) -> bytes:
    parts = bytearray()
    while part := os.read(descriptor, _CHUNK_BYTES):
        parts += part
    return bytes(parts)


def _first(lines: list[bytes]) -> tuple[str, str]:
    """Read the first record: the workspace, or what is wrong."""
    try:
        said = decode_line(lines[0]).message
    except DecodeError as error:
        return "", f"it does not begin with a session record: {error}"
    if not isinstance(said, SessionHeader):
        return "", "it does not begin with a session record"
    return said.workspace, ""


def _damage(lines: list[bytes]) -> str:
    """Find a record that is not what was written; the last one may only be unfinished."""
    for number, line in enumerate(lines[:-2], start=1):
        if not has_valid_checksum(line):
            return f"damaged at line {number} of {len(lines) - 1}"
    return ""


def _prompt(turns: list[bytes]) -> str:
    try:
        said = decode_line(turns[0]).message if turns else None
    except DecodeError:
        return ""
    return said.prompt if isinstance(said, TurnStarted) else ""
