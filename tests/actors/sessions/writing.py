"""What the tests of session files share: records and a fixed clock."""

import os
from pathlib import Path

from actors.sessions.files import Files
from actors.sessions.log import SessionLog
from messages.address import PRIMARY, ROOT, Address
from messages.transcript import Record, SessionHeader, SessionOpened
from messages.turns import TurnStarted
from messages.wire import JournalLine, encode_line

NOW_S = 1_700_000_000.125
SESSION = SessionHeader(session_id="20260131-235959-ab12", workspace="/home/me/project")
RUN = SessionOpened(run=1, pid=os.getppid(), version="0.1.0")
FIRST: tuple[tuple[Record, Address], ...] = ((SESSION, ROOT), (RUN, ROOT))


def clock() -> float:
    return NOW_S


def turn(number: int) -> TurnStarted:
    return TurnStarted(turn=number, prompt=f"prompt {number}\n\u2028 é")


def line(seq: int, said: Record) -> bytes:
    return encode_line(JournalLine(seq, NOW_S, PRIMARY, said))


def create(path: Path, files: Files | None = None) -> SessionLog:
    return SessionLog.create(path, FIRST, clock, files)


def whole_log(records: int) -> list[bytes]:
    """The lines of a session of so many records."""
    return [line(1, SESSION), line(2, RUN), *(line(n, turn(n)) for n in range(3, records + 1))]
