"""Summarizes a workspace's sessions, for the user to choose one, without opening them.

A session file can be large: only its first records are decoded; the others are counted and their
checksums verified. Nothing in a file makes this module raise.
"""

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from actors.sessions.file_system import FileSystem, LocalFileSystem
from actors.sessions.state_paths import list_session_files
from actors.sessions.trusted_open import describe_trust_problem
from messages.address import PRIMARY
from messages.journal import SessionHeader
from messages.serialization import DecodeError, decode_line, has_valid_checksum
from messages.turns import TurnStarted

_TURN_START = b'{"type":"turn_started"'
_BY_PRIMARY = b'"by":"%s"' % PRIMARY.encode()

SessionState: TypeAlias = Literal["locked", "available", "damaged", "unusable"]
"""locked: a program, perhaps this one, has it open · damaged: it can be read and forked · unusable:
neither; see `problem` for both."""


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """One session file at a glance."""

    path: Path
    state: SessionState
    size_bytes: int = 0
    modified_s: float = 0.0
    """Time of the last write, in seconds since 1970."""
    workspace: str = ""
    first_prompt: str = ""
    turn_count: int = 0
    problem: str = ""
    """What is damaged, or why the session is unusable; empty: neither."""

    @property
    def session_id(self) -> str:
        """The session's id, which is its file name."""
        return self.path.stem


def list_session_summaries(project_folder: Path) -> tuple[SessionSummary, ...]:
    """Return summaries of a project's sessions, most recently written first."""
    return tuple(summarize_session(path) for path in list_session_files(project_folder))


def find_free_session(project_folder: Path) -> Path | None:
    """Return the newest session that no program has open; if all are open, the newest one."""
    paths = list_session_files(project_folder)
    return next((path for path in paths if not is_open_elsewhere(path)), next(iter(paths), None))


def is_open_elsewhere(path: Path) -> bool:
    """Return whether a program has a session open; False also if the file cannot be opened."""
    file_system = LocalFileSystem()
    try:
        descriptor = file_system.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        return _is_locked(descriptor)
    except OSError:
        return False
    finally:
        file_system.close(descriptor)


def summarize_session(path: Path) -> SessionSummary:
    """Summarize one session file without waiting for a lock or changing the file."""
    file_system = LocalFileSystem()
    try:
        descriptor = file_system.open(path, os.O_RDONLY)
    except OSError as error:
        return SessionSummary(path, "unusable", problem=error.strerror or "it cannot be opened")
    try:
        return _summarize(path, descriptor, file_system)
    except OSError as error:
        return SessionSummary(path, "unusable", problem=error.strerror or "it cannot be read")
    finally:
        file_system.close(descriptor)


def _summarize(path: Path, descriptor: int, file_system: FileSystem) -> SessionSummary:
    status = file_system.stat(descriptor)
    problem = describe_trust_problem(status)
    if problem:
        return SessionSummary(path, "unusable", status.st_size, status.st_mtime, problem=problem)
    is_locked = _is_locked(descriptor)
    lines = file_system.read(descriptor).split(b"\n")
    workspace, problem = _read_workspace(lines)
    turns = [line for line in lines if line.startswith(_TURN_START) and _BY_PRIMARY in line]
    damage = _find_damage(lines)
    state: SessionState = "locked" if is_locked else "available"
    if damage or problem:
        has_records = any(map(has_valid_checksum, lines))
        state = "damaged" if damage and has_records else "unusable"
    return SessionSummary(
        path,
        state,
        status.st_size,
        status.st_mtime,
        workspace=workspace,
        first_prompt=_read_first_prompt(turns),
        turn_count=len(turns),
        problem=damage if state == "damaged" else problem or damage,
    )


def _is_locked(descriptor: int) -> bool:
    """Try a shared lock for an instant."""
    try:
        # Shared, so that two programs that list sessions do not see each other.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


def _read_workspace(lines: list[bytes]) -> tuple[str, str]:
    """Return the workspace in the session header and an empty text, or empty and the problem."""
    try:
        record = decode_line(lines[0]).message
    except DecodeError as error:
        return "", f"it does not start with a session header: {error}"
    if not isinstance(record, SessionHeader):
        return "", "it does not start with a session header"
    return record.workspace, ""


def _find_damage(lines: list[bytes]) -> str:
    """Describe the first damaged record; the last one is excluded, as it may be unfinished."""
    for number, line in enumerate(lines[:-2], start=1):
        if not has_valid_checksum(line):
            return f"damaged at line {number} of {len(lines) - 1}"
    return ""


def _read_first_prompt(turns: list[bytes]) -> str:
    try:
        record = decode_line(turns[0]).message if turns else None
    except DecodeError:
        return ""
    return record.prompt if isinstance(record, TurnStarted) else ""
