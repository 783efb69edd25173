"""Forks a session: a new session that continues from another one's records."""

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from actors.sessions.create import create_session_file
from actors.sessions.damage import describe_damage
from actors.sessions.file_system import FileSystem, LocalFileSystem
from actors.sessions.intact_turns import select_intact_turns
from actors.sessions.log_reader import LogContents, read_damaged_log
from actors.sessions.record_queries import find_last_run_number
from actors.sessions.state_paths import session_path
from messages.address import ROOT
from messages.journal import SessionHeader, SessionOpened
from messages.permissions import SessionSettings
from messages.serialization import JournalLine, encode_line
from messages.turns import ReplyCompleted


@dataclass(frozen=True, slots=True)
class ForkedSession:
    """A new session's file, and what it lacks."""

    path: Path
    notice: str = ""
    """What is damaged in the source and left out here, for the user; empty: nothing."""


def fork_session(
    source: Path,
    folder: Path,
    session_id: str,
    workspace: str,
    file_system: FileSystem | None = None,
) -> ForkedSession:
    """Copy a session's turns into a new session in `folder`; its file is closed.

    The source may be open in another program: it is neither locked nor changed. A turn that has not
    ended is not copied, so that none of its work is done twice, nor is a turn of which a record is
    damaged. The fork starts in mode default and without the source's session grants.

    Raises:
        LogError: the source is not one of our sessions, or the new file cannot be written.
    """
    file_system = file_system or LocalFileSystem()
    path = session_path(folder, session_id)
    contents = read_damaged_log(source, file_system)
    turns = select_intact_turns(contents)
    header = SessionHeader(session_id=session_id, workspace=workspace)
    first_damaged_seq = min((part.first_seq for part in contents.damage), default=sys.maxsize)
    lines = _copy_lines(turns.lines, header, first_damaged_seq)
    if contents.damage:
        lines = [_without_prefix(line) for line in lines]
        lines.append(_make_session_opened(contents, len(lines) + 1))
    file_system.close(create_session_file(path, b"".join(map(encode_line, lines)), file_system))
    notice = _format_notice(source, contents, turns.omitted) if contents.damage else ""
    return ForkedSession(path, notice)


def _copy_lines(
    lines: tuple[JournalLine, ...], header: SessionHeader, first_damaged_seq: int
) -> list[JournalLine]:
    """Return the lines of the new session's file; they form one group.

    Thinking behind damage is never sent again: it was produced after messages that are missing.
    """
    if not lines or not isinstance(lines[0].message, SessionHeader):
        lines = (JournalLine(1, lines[0].time_s if lines else 0.0, ROOT, header), *lines)
    copies: list[JournalLine] = []
    for seq, line in enumerate(lines, start=1):
        record = line.message
        if isinstance(record, SessionHeader):
            record = record.model_copy(update={"session_id": header.session_id})
        elif isinstance(record, SessionSettings):
            record = record.model_copy(update={"grants": (), "mode": "default"})
        elif isinstance(record, ReplyCompleted) and line.seq > first_damaged_seq:
            request = record.request.model_copy(update={"prefix": ""})
            record = record.model_copy(update={"request": request})
        copies.append(replace(line, seq=seq, message=record, group=1))
    return copies


def _without_prefix(line: JournalLine) -> JournalLine:
    """Forget the prefix of a reply: its thinking came after turns that may be missing now."""
    record = line.message
    if not isinstance(record, ReplyCompleted):
        return line
    request = record.request.model_copy(update={"prefix": ""})
    return replace(line, message=record.model_copy(update={"request": request}))


def _make_session_opened(contents: LogContents, seq: int) -> JournalLine:
    """Return the start of a run later than all runs of the source, also those that are damaged.

    Otherwise, ids of the next run could be those of an earlier one.
    """
    missing = sum(damage.last_seq - damage.first_seq + 1 for damage in contents.damage)
    run = find_last_run_number(contents.records) + missing
    opened = SessionOpened(run=run, pid=os.getpid(), version="")
    time_s = contents.lines[-1].time_s
    return JournalLine(seq, time_s, ROOT, opened, group=1)


def _format_notice(source: Path, contents: LogContents, omitted: tuple[str, ...]) -> str:
    what = f"The copy does not have {', '.join(omitted)}." if omitted else "The copy has all turns."
    return f"session {source.stem} is damaged. {describe_damage(contents.damage)} {what}"
