"""Forks a session: a new session that continues from another one's records."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from actors.sessions.create import create_session_file
from actors.sessions.file_system import FileSystem, LocalFileSystem
from actors.sessions.log_reader import read_log
from actors.sessions.state_paths import session_path
from messages.journal import SessionHeader
from messages.permissions import SessionSettings
from messages.serialization import JournalLine, encode_line
from messages.turns import TurnEnded, TurnStarted


def fork_session(
    source: Path, folder: Path, session_id: str, file_system: FileSystem | None = None
) -> Path:
    """Copy a session's turns into a new session in `folder`; return its file, closed.

    The source may be open in another program: it is neither locked nor changed. A turn that has not
    ended is not copied, so that none of its work is done twice. The fork starts in mode default and
    without the source's session grants.

    Raises:
        LogDamagedError: a record before the last group of the source is damaged.
        LogError: the source is not one of our sessions, or the new file cannot be written.
    """
    file_system = file_system or LocalFileSystem()
    path = session_path(folder, session_id)
    lines = copy_completed_turns(read_log(source, file_system).lines, session_id)
    file_system.close(create_session_file(path, b"".join(map(encode_line, lines)), file_system))
    return path


def copy_completed_turns(lines: tuple[JournalLine, ...], session_id: str) -> Iterator[JournalLine]:
    """Yield the lines of the new session's file; they form one group."""
    for line in lines[: _count_completed(lines)]:
        record = line.message
        if isinstance(record, SessionHeader):
            record = record.model_copy(update={"session_id": session_id})
        elif isinstance(record, SessionSettings):
            record = record.model_copy(update={"grants": (), "mode": "default"})
        yield replace(line, message=record, group=1)


def _count_completed(lines: tuple[JournalLine, ...]) -> int:
    """Return the number of records before a turn that has not ended."""
    for index in reversed(range(len(lines))):
        if isinstance(lines[index].message, TurnEnded):
            break
        if isinstance(lines[index].message, TurnStarted):
            return index
    return len(lines)
