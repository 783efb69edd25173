"""A session that goes on from another's records, which stay as they are."""

from collections.abc import Iterable
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
    """Copy a session's turns into a new session of `folder`; return its file, which is closed.

    The source may be open in another program: it is neither locked nor changed. A turn that has not
    ended stays the source's alone, so that nothing of it is done twice. What a person granted for
    that session is not granted in this one, and it begins in mode default.

    Raises:
        LogDamaged: a record before the last group of the source cannot be trusted.
        LogError: the source is no session of ours, or the new file cannot be written.
    """
    file_system = file_system or LocalFileSystem()
    path = session_path(folder, session_id)
    lines = copy_completed_turns(read_log(source, file_system).lines, session_id)
    file_system.close(create_session_file(path, b"".join(map(encode_line, lines)), file_system))
    return path


def copy_completed_turns(lines: tuple[JournalLine, ...], session_id: str) -> Iterable[JournalLine]:
    """Say what the new session's file holds; it is written as one group."""
    for line in lines[: _ended(lines)]:
        said = line.message
        if isinstance(said, SessionHeader):
            yield replace(line, message=said.model_copy(update={"session_id": session_id}), group=1)
        elif isinstance(said, SessionSettings):
            yield replace(
                line, message=said.model_copy(update={"grants": (), "mode": "default"}), group=1
            )
        else:
            yield replace(line, group=1)


def _ended(lines: tuple[JournalLine, ...]) -> int:
    """How many records there are before a turn that has not ended."""
    for at in reversed(range(len(lines))):
        if isinstance(lines[at].message, TurnEnded):
            break
        if isinstance(lines[at].message, TurnStarted):
            return at
    return len(lines)
