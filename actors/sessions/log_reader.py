"""Reads session files: the valid records, and whether the rest is unfinished or damaged."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from actors.sessions.errors import LogDamagedError, LogError, map_os_errors
from actors.sessions.file_system import FileSystem, LocalFileSystem
from actors.sessions.trusted_open import open_private
from messages.address import Address
from messages.approvals import AnyApprovalRequest, ApprovalDecided, ApprovalWithdrawn
from messages.journal import (
    FORMAT_VERSION,
    Record,
    RequestPrefix,
    SessionHeader,
    SessionOpened,
)
from messages.serialization import ChecksumError, DecodeError, JournalLine, decode_line
from messages.subagents import SubagentEnded, SubagentStarted

_RECORD_TYPES: tuple[type, ...] = get_args(get_args(Record)[0])


@dataclass(frozen=True, slots=True)
class LogContents:
    """The valid records of a session file."""

    lines: tuple[JournalLine, ...] = ()
    torn: bytes = b""
    """The bytes after the last valid record: a group whose write was interrupted."""
    valid_bytes: int = 0
    """Length of the valid records; the torn bytes start here."""
    torn_file: Path | None = None
    """The file to which the torn bytes were moved; None: there were none."""

    @property
    def records(self) -> tuple[Record, ...]:
        """The records without their metadata; each was checked to be a record when it was read."""
        return tuple(cast("Record", line.message) for line in self.lines)


def read_log(path: Path, file_system: FileSystem | None = None) -> LogContents:
    """Read a session file without locking or changing it.

    Raises:
        LogDamagedError: a record before the last group is damaged.
        LogError: there is no such file, it is not a session file in a known format, or other users
            could have written it.
    """
    file_system = file_system or LocalFileSystem()
    with map_os_errors(path):
        descriptor = open_private(path, os.O_RDONLY, file_system)
        try:
            data = file_system.read(descriptor)
        finally:
            file_system.close(descriptor)
    return parse_log(path, data)


def parse_log(path: Path, data: bytes) -> LogContents:
    """Parse a session file's bytes; `path` is for the errors, which are those of `read_log`."""
    *raw_lines, _ = data.split(b"\n")
    lines, error = _decode_valid_lines(raw_lines)
    count = len(lines)
    valid_bytes = sum(len(raw) + 1 for raw in raw_lines[:count])
    if error is not None and not _is_unfinished(error, raw_lines[count:], count + 1):
        raise LogDamagedError(path, count + 1, valid_bytes, len(raw_lines), str(error))
    _require_header(path, lines)
    return LogContents(lines, torn=data[valid_bytes:], valid_bytes=valid_bytes)


def select_records_for(contents: LogContents, agent: Address | None) -> tuple[Record, ...]:
    """Return the records that an agent needs to restore its state; all of them for None.

    These are its own records, its start, the approval requests of itself and its subagents, and all
    request prefixes, because another agent may have recorded the one that it uses.
    """
    if agent is None:
        return contents.records
    request_ids: set[str] = set()
    selected: list[Record] = []
    for line in contents.lines:
        record = cast("Record", line.message)
        if isinstance(record, AnyApprovalRequest) and record.agent.is_under(agent):
            request_ids.add(record.id)
        if line.recorded_by == agent or _is_about(record, agent, request_ids):
            selected.append(record)
    return tuple(selected)


def select_unfinished_task_records(contents: LogContents) -> tuple[tuple[Address, Record], ...]:
    """Return the records of subagents whose task had not ended, each with its author."""
    unfinished: set[Address] = set()
    for record in contents.records:
        if isinstance(record, SubagentStarted):
            unfinished.add(record.child)
        elif isinstance(record, SubagentEnded):
            unfinished.discard(record.child)
    return tuple(
        (line.recorded_by, record)
        for line, record in zip(contents.lines, contents.records, strict=True)
        if (record.child if isinstance(record, SubagentStarted) else line.recorded_by) in unfinished
    )


def find_last_session_opened(data: bytes) -> SessionOpened | None:
    """Return the last `SessionOpened` record in a file that may still be growing."""
    for raw in reversed(data.split(b"\n")):
        if b'"session_opened"' in raw:
            try:
                record = decode_line(raw).message
            except DecodeError:
                continue
            if isinstance(record, SessionOpened):
                return record
    return None


def _is_about(record: Record, agent: Address, request_ids: set[str]) -> bool:
    if isinstance(record, AnyApprovalRequest | ApprovalDecided | ApprovalWithdrawn):
        return record.id in request_ids
    if isinstance(record, SubagentStarted):
        return record.child == agent
    return isinstance(record, RequestPrefix)


def _decode_valid_lines(
    raw_lines: list[bytes],
) -> tuple[tuple[JournalLine, ...], DecodeError | None]:
    """Decode lines up to the first invalid one; return them and that line's error."""
    lines: list[JournalLine] = []
    for seq, raw in enumerate(raw_lines, start=1):
        try:
            lines.append(_decode_record(raw, seq))
        except DecodeError as error:
            return tuple(lines), error
    return tuple(lines), None


def _is_unfinished(error: DecodeError, rest: list[bytes], seq: int) -> bool:
    """Return whether all lines from record `seq` on may be one group whose write was interrupted.

    After a power loss, any part of such a group may be missing. Valid lines of an unknown version
    are never part of one, nor is anything before a record that was written later.
    """
    if not isinstance(error, ChecksumError):
        return False
    return all(_decode_group(raw) <= seq for raw in rest)


def _decode_group(raw: bytes) -> int:
    """Return the group that a line belongs to; 0 if its checksum is wrong."""
    try:
        return decode_line(raw).group
    except ChecksumError:
        return 0
    except DecodeError:
        return sys.maxsize


def _decode_record(raw: bytes, seq: int) -> JournalLine:
    line = decode_line(raw)
    if line.seq != seq:
        message = f"found record {line.seq} where record {seq} was expected"
        raise DecodeError(message)
    if not isinstance(line.message, _RECORD_TYPES):
        message = f"{type(line.message).__name__} is not a session record"
        raise DecodeError(message)
    return line


def _require_header(path: Path, lines: tuple[JournalLine, ...]) -> None:
    first = lines[0].message if lines else None
    if not isinstance(first, SessionHeader):
        message = f"{path}: not a session file (it does not start with a session header)"
        raise LogError(message)
    if first.format > FORMAT_VERSION:
        message = (
            f"{path}: written in format {first.format}, but this version reads up to format "
            f"{FORMAT_VERSION}. Upgrade Greenroom"
        )
        raise LogError(message)
