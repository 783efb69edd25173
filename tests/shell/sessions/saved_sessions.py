"""Writes session files for tests."""

from pathlib import Path

from actors.sessions.session_log import SessionLog
from messages.address import PRIMARY, ROOT
from messages.journal import Record, SessionHeader


def write_session(folder: Path, session_id: str, *records: Record) -> Path:
    path = folder / f"{session_id}.jsonl"
    header = SessionHeader(session_id=session_id, workspace=f"/{folder.name}")
    lines = [(header, ROOT), *((record, PRIMARY) for record in records)]
    log = SessionLog.create(path, lines, lambda: 0.0)
    log.close()
    return path
