"""Sample records and a fixed clock for the tests of session files."""

import os
from pathlib import Path

from actors.sessions.file_system import FileSystem
from actors.sessions.session_log import SessionLog
from messages.address import PRIMARY, ROOT, Address
from messages.journal import Record, SessionHeader, SessionOpened
from messages.serialization import JournalLine, encode_line
from messages.turns import TurnStarted

NOW_S = 1_700_000_000.125
SESSION_HEADER = SessionHeader(session_id="20260131-235959-ab12", workspace="/home/me/project")
SESSION_OPENED = SessionOpened(run=1, pid=os.getppid(), version="0.1.0")
FIRST_RECORDS: tuple[tuple[Record, Address], ...] = ((SESSION_HEADER, ROOT), (SESSION_OPENED, ROOT))


def fixed_clock() -> float:
    return NOW_S


def make_turn_started(number: int) -> TurnStarted:
    return TurnStarted(turn=number, prompt=f"prompt {number}\n\u2028 é")


def encode_record(seq: int, record: Record) -> bytes:
    author = ROOT if isinstance(record, SessionHeader | SessionOpened) else PRIMARY
    return encode_line(JournalLine(seq, NOW_S, author, record))


def create_log(path: Path, files: FileSystem | None = None) -> SessionLog:
    return SessionLog.create(path, FIRST_RECORDS, fixed_clock, files)


def make_log_lines(record_count: int) -> list[bytes]:
    """Return the lines of a session with this many records."""
    return [
        encode_record(1, SESSION_HEADER),
        encode_record(2, SESSION_OPENED),
        *(encode_record(n, make_turn_started(n)) for n in range(3, record_count + 1)),
    ]
