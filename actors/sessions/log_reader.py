"""What a session file says: a strict prefix, a torn end told from damage."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from actors.sessions.errors import LogDamagedError, LogError
from actors.sessions.file_system import FileSystem, LocalFileSystem
from actors.sessions.private_open import open_private
from messages.address import Address
from messages.approvals import AnyApprovalRequest, ApprovalDecided, ApprovalWithdrawn
from messages.journal import FORMAT_VERSION, Record, SessionHeader, SessionOpened
from messages.serialization import ChecksumError, DecodeError, JournalLine, decode_line
from messages.subagents import SubagentEnded, SubagentStarted

_RECORDS: tuple[type, ...] = get_args(get_args(Record)[0])


@dataclass(frozen=True, slots=True)
class LogContents:
    """The records of a session file that count."""

    lines: tuple[JournalLine, ...] = ()
    torn: bytes = b""
    """What stands behind the last whole record: a group that was cut short. Empty: nothing."""
    valid_bytes: int = 0
    """Where the torn end begins; without one, the file's length."""
    torn_file: Path | None = None
    """The file that the torn end was moved to, once it was cut off."""

    @property
    def records(self) -> tuple[Record, ...]:
        """What was recorded, without the stamps; that each is a record was checked on reading."""
        return tuple(cast("Record", line.message) for line in self.lines)


def read_log(path: Path, file_system: FileSystem | None = None) -> LogContents:
    """Read a session file without locking or changing it.

    Raises:
        LogDamaged: a record before the last group cannot be trusted.
        LogError: there is no such file, it is not a session file that this version knows, or it is
            not ours alone.
    """
    file_system = file_system or LocalFileSystem()
    try:
        descriptor = open_private(path, os.O_RDONLY, file_system)
        try:
            data = file_system.read(descriptor)
        finally:
            file_system.close(descriptor)
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise LogError(message) from error
    return parse_log(path, data)


def parse_log(path: Path, data: bytes) -> LogContents:
    """Take a session file's bytes apart; `path` is for the errors, raised as by `read_log`."""
    *whole, _ = data.split(b"\n")
    lines, wrong = _prefix(whole)
    good_bytes = sum(len(raw) + 1 for raw in whole[: len(lines)])
    if wrong is not None and not _is_unfinished(wrong, whole[len(lines) :], len(lines) + 1):
        raise LogDamagedError(path, len(lines) + 1, good_bytes, len(whole), str(wrong))
    _check_first(path, lines)
    return LogContents(lines, torn=data[good_bytes:], valid_bytes=good_bytes)


def select_records_for(contents: LogContents, agent: Address | None) -> tuple[Record, ...]:
    """Pick what an agent has to know of its session; None: everything.

    That is what it recorded itself, what begins it, and the questions of all at and below it.
    """
    if agent is None:
        return contents.records
    asked: set[str] = set()
    found: list[Record] = []
    for line in contents.lines:
        record = cast("Record", line.message)
        if isinstance(record, AnyApprovalRequest) and record.agent.is_under(agent):
            asked.add(record.id)
        if line.recorded_by == agent or _is_about(record, agent, asked):
            found.append(record)
    return tuple(found)


def select_unfinished_task_records(contents: LogContents) -> tuple[tuple[Address, Record], ...]:
    """Pick what was recorded of subagents whose task had not ended, each with who recorded it."""
    working: set[Address] = set()
    for record in contents.records:
        if isinstance(record, SubagentStarted):
            working.add(record.child)
        elif isinstance(record, SubagentEnded):
            working.discard(record.child)
    return tuple(
        (line.recorded_by, record)
        for line, record in zip(contents.lines, contents.records, strict=True)
        if (record.child if isinstance(record, SubagentStarted) else line.recorded_by) in working
    )


def _is_about(record: Record, agent: Address, asked: set[str]) -> bool:
    if isinstance(record, AnyApprovalRequest | ApprovalDecided | ApprovalWithdrawn):
        return record.id in asked
    return isinstance(record, SubagentStarted) and record.child == agent


def find_last_session_opened(data: bytes) -> SessionOpened | None:
    """Find who opened the session last, in a file that may still be growing."""
    for raw in reversed(data.split(b"\n")):
        if b'"session_opened"' in raw:
            try:
                said = decode_line(raw).message
            except DecodeError:
                continue
            if isinstance(said, SessionOpened):
                return said
    return None


def _prefix(whole: list[bytes]) -> tuple[tuple[JournalLine, ...], DecodeError | None]:
    """Read records up to the first that cannot be trusted, and say what is wrong with that."""
    lines: list[JournalLine] = []
    for number, raw in enumerate(whole, start=1):
        try:
            lines.append(_record(raw, number))
        except DecodeError as error:
            return tuple(lines), error
    return tuple(lines), None


def _is_unfinished(wrong: DecodeError, rest: list[bytes], seq: int) -> bool:
    """Whether from record `seq` on all may be one group whose write did not come to its end.

    After a power cut any part of it may be missing. Whole lines of a version that we do not know
    never are, nor is anything before a record that was written later.
    """
    if not isinstance(wrong, ChecksumError):
        return False
    return all(_group_of(raw) <= seq for raw in rest)


def _group_of(raw: bytes) -> int:
    """The group that a line says it belongs to; 0: its checksum fails, so it says nothing."""
    try:
        return decode_line(raw).group
    except ChecksumError:
        return 0
    except DecodeError:
        return sys.maxsize


def _record(raw: bytes, seq: int) -> JournalLine:
    line = decode_line(raw)
    if line.seq != seq:
        message = f"record {line.seq} stands where {seq} belongs"
        raise DecodeError(message)
    if not isinstance(line.message, _RECORDS):
        message = f"{type(line.message).__name__} is no record of a session"
        raise DecodeError(message)
    return line


def _check_first(path: Path, lines: tuple[JournalLine, ...]) -> None:
    first = lines[0].message if lines else None
    if not isinstance(first, SessionHeader):
        why = "not a session file: it does not begin with a session record; move it away"
        message = f"{path}: {why}"
        raise LogError(message)
    if first.format > FORMAT_VERSION:
        message = (
            f"{path}: written in format {first.format}; this version knows up to {FORMAT_VERSION}"
        )
        raise LogError(message)
