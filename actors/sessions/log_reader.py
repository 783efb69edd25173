"""Reads session files: the valid records, and whether the rest is unfinished or damaged."""

import os
import re
import sys
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import cast, get_args

from actors.sessions.damage import DamagedRecords
from actors.sessions.errors import LogDamagedError, LogError, map_os_errors
from actors.sessions.file_system import FileSystem, LocalFileSystem
from actors.sessions.record_authors import find_author_problem
from actors.sessions.trusted_open import open_private
from messages.address import Address
from messages.approvals import AnyApprovalRequest, ApprovalDecided, ApprovalWithdrawn
from messages.base import Message
from messages.journal import (
    FORMAT_VERSION,
    Record,
    RequestPrefix,
    SessionHeader,
    SessionOpened,
)
from messages.serialization import ChecksumError, DecodeError, JournalLine, decode_line
from messages.subagents import SubagentEnded, SubagentStarted

_RECORD_TYPES: tuple[type[Message], ...] = get_args(get_args(Record)[0])
_TYPE_NAMES = "|".join(kind.model_fields["type"].default for kind in _RECORD_TYPES).encode()
_TYPE_NAME = re.compile(rb'\{"type":"(' + _TYPE_NAMES + rb')"')


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
    damage: tuple[DamagedRecords, ...] = ()
    """What cannot be read before the torn bytes."""

    @property
    def records(self) -> tuple[Record, ...]:
        """The records without their metadata; each was checked to be a record when it was read."""
        return tuple(cast("Record", line.message) for line in self.lines)


def read_log(path: Path, file_system: FileSystem | None = None) -> LogContents:
    """Read an undamaged session file without locking or changing it.

    Raises:
        LogDamagedError: a record before the last group is damaged.
        LogError: there is no such file, it is not a session file in a known format, or other users
            could have written it.
    """
    return parse_log(path, _read(path, file_system))


def parse_log(path: Path, data: bytes) -> LogContents:
    """Parse a session file's bytes; `path` is for the errors, which are those of `read_log`."""
    contents = parse_damaged_log(path, data)
    if contents.damage:
        raise LogDamagedError(path, contents.damage, data.split(b"\n")[:-1])
    return contents


def read_damaged_log(path: Path, file_system: FileSystem | None = None) -> LogContents:
    """Read what is readable of a session file, without locking or changing it.

    Raises:
        LogError: as for `read_log`, except for damage.
    """
    return parse_damaged_log(path, _read(path, file_system))


def parse_damaged_log(path: Path, data: bytes) -> LogContents:
    """Parse what is readable of a session file's bytes.

    Raises:
        LogError: it is not a session file in a known format.
    """
    *raw_lines, _ = data.split(b"\n")
    lines, damage, complete_count = _split_lines(raw_lines)
    valid_bytes = sum(len(raw) + 1 for raw in raw_lines[:complete_count])
    _require_header(path, lines, damage)
    return LogContents(tuple(lines), data[valid_bytes:], valid_bytes, damage=tuple(damage))


def select_records_for(contents: LogContents, agent: Address | None) -> tuple[Record, ...]:
    """Return the records that an agent needs to restore its state; all of them for None.

    These are its own records, its start, the approval requests of itself and its subagents, and all
    request prefixes, because another agent may have recorded the one that it uses.
    """
    if agent is None:
        return contents.records
    return tuple(cast("Record", line.message) for line in select_lines_for(contents, agent))


def select_lines_for(contents: LogContents, agent: Address) -> tuple[JournalLine, ...]:
    """Return the lines with the records of `select_records_for`."""
    request_ids: set[str] = set()
    selected: list[JournalLine] = []
    for line in contents.lines:
        record = cast("Record", line.message)
        if isinstance(record, AnyApprovalRequest) and record.agent.is_under(agent):
            request_ids.add(record.id)
        if line.recorded_by == agent or _is_about(record, agent, request_ids):
            selected.append(line)
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


def _read(path: Path, file_system: FileSystem | None) -> bytes:
    file_system = file_system or LocalFileSystem()
    with map_os_errors(path):
        descriptor = open_private(path, os.O_RDONLY, file_system)
        try:
            return file_system.read(descriptor)
        finally:
            file_system.close(descriptor)


def _split_lines(
    raw_lines: list[bytes],
) -> tuple[list[JournalLine], list[DamagedRecords], int]:
    """Return the records, what is damaged, and the number of lines before the unfinished group."""
    decoded = [_decode_record(raw) for raw in raw_lines]
    later_groups = list(accumulate(map(_get_group, reversed(decoded)), max))[::-1]
    lines: list[JournalLine] = []
    damage: list[DamagedRecords] = []
    last_seq = 0
    bad = range(0)
    for index, item in enumerate(decoded):
        if isinstance(item, JournalLine) and item.seq > last_seq:
            if bad or item.seq != last_seq + 1:
                bad = bad or range(index, index + 1)
                damage.append(_describe_gap(raw_lines, decoded, bad, lines, item.seq - 1))
            lines.append(item)
            last_seq, bad = item.seq, range(0)
        elif _is_unfinished(item, later_groups[index], last_seq + len(bad) + 1):
            raw_lines = raw_lines[:index]
            break
        else:
            bad = range(bad.start if bad else index, index + 1)
    if bad:
        damage.append(_describe_gap(raw_lines, decoded, bad, lines, last_seq + len(bad)))
    return lines, damage, len(raw_lines)


def _describe_gap(
    raw_lines: list[bytes],
    decoded: list[JournalLine | DecodeError],
    bad: range,
    lines: list[JournalLine],
    last_seq: int,
) -> DamagedRecords:
    item, first_seq = decoded[bad.start], (lines[-1].seq if lines else 0) + 1
    name = _TYPE_NAME.match(raw_lines[bad.start])
    is_named = name and len(bad) == 1 and isinstance(item, ChecksumError)
    return DamagedRecords(
        index=len(lines),
        line=bad.start + 1,
        first_seq=first_seq,
        last_seq=last_seq,
        record_type=name[1].decode() if name and is_named else "",
        reason=f"found record {item.seq} where record {first_seq} was expected"
        if isinstance(item, JournalLine)
        else str(item),
    )


def _is_unfinished(item: JournalLine | DecodeError, later_group: int, seq: int) -> bool:
    """Return whether the lines from `item` on may be one group whose write was interrupted.

    After a power loss, any part of such a group may be missing. Valid lines of an unknown version
    are never part of one, nor is anything before a record that was written later. `later_group` is
    the last group in these lines, and `seq` the record that belongs in their first place.
    """
    return isinstance(item, ChecksumError) and later_group <= seq


def _get_group(item: JournalLine | DecodeError) -> int:
    """Return the group that a line belongs to; 0 if its checksum is wrong."""
    if isinstance(item, JournalLine):
        return item.group
    return 0 if isinstance(item, ChecksumError) else sys.maxsize


def _decode_record(raw: bytes) -> JournalLine | DecodeError:
    try:
        line = decode_line(raw)
    except DecodeError as error:
        return error
    if not isinstance(line.message, _RECORD_TYPES):
        return DecodeError(f"{type(line.message).__name__} is not a session record")
    problem = find_author_problem(cast("Record", line.message), line.recorded_by)
    return DecodeError(problem) if problem else line


def _require_header(path: Path, lines: list[JournalLine], damage: list[DamagedRecords]) -> None:
    is_header_lost = bool(lines and damage and damage[0].index == 0)
    first = lines[0].message if lines else None
    if is_header_lost:
        return
    if not isinstance(first, SessionHeader):
        message = f"{path}: not a session file (it does not start with a session header)"
        raise LogError(message)
    if first.format > FORMAT_VERSION:
        message = (
            f"{path}: written in format {first.format}, but this version reads up to format "
            f"{FORMAT_VERSION}. Upgrade Greenroom"
        )
        raise LogError(message)
