from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.sessions.errors import LogError, LogLockedError
from actors.sessions.fork import ForkedSession, fork_session
from actors.sessions.log_reader import read_log
from actors.sessions.record_queries import find_last_run_number
from actors.sessions.session_log import SessionLog
from messages.address import PERMISSIONS, PRIMARY, ROOT, Address
from messages.compaction import Compacted
from messages.content import Usage
from messages.journal import Record, SessionHeader, SessionOpened
from messages.permissions import SessionSettings
from messages.policy import Rule
from messages.subagents import SubagentEnded, SubagentStarted
from messages.turns import TurnCompleted, TurnStarted
from tests.actors.sessions.sample_records import (
    SESSION_HEADER,
    SESSION_OPENED,
    create_log,
    fixed_clock,
    make_turn_started,
)

pytestmark = pytest.mark.quick

FORK_ID = "20260201-000000-cd34"
GRANT = Rule(permission="bash", pattern="make *", action="allow")


def make_turn_completed(number: int) -> TurnCompleted:
    return TurnCompleted(turn=number, text="done", stop_reason="end_turn", usage=Usage())


def fork(source: Path, folder: Path) -> ForkedSession:
    return fork_session(source, folder, FORK_ID, SESSION_HEADER.workspace)


@pytest.fixture
def source_log(tmp_path: Path) -> SessionLog:
    log = create_log(tmp_path / "20260131-235959-ab12.jsonl")
    log.append([(make_turn_started(1), PRIMARY)])
    log.append([(SessionSettings(grants=(GRANT,)), PERMISSIONS), (make_turn_completed(1), PRIMARY)])
    return log


def test_a_fork_has_completed_turns_but_no_grants(
    source_log: SessionLog,
) -> None:
    source_log.append([(make_turn_started(2), PRIMARY)])
    before = source_log.path.read_bytes()

    path = fork(source_log.path, source_log.path.parent / "forks").path

    header = SESSION_HEADER.model_copy(update={"session_id": FORK_ID})
    assert read_log(path).records == (
        header,
        SESSION_OPENED,
        make_turn_started(1),
        SessionSettings(),
        make_turn_completed(1),
    )
    assert [line.recorded_by for line in read_log(path).lines[2:4]] == [PRIMARY, PERMISSIONS]
    assert source_log.path.read_bytes() == before
    log, _ = SessionLog.open(path, fixed_clock)
    log.append([(make_turn_started(2), PRIMARY)])
    log.close()
    assert read_log(path).lines[-1].seq == 6
    source_log.close()


def test_a_locked_session_error_explains_how_to_fork(
    source_log: SessionLog,
) -> None:
    with pytest.raises(LogLockedError) as locked:
        SessionLog.open(source_log.path, fixed_clock)
    assert f"open in process {SESSION_OPENED.pid}" in locked.value.detail
    assert "--fork 20260131-235959-ab12" in locked.value.detail
    fork(source_log.path, source_log.path.parent)
    source_log.close()


def test_a_fork_never_replaces_another_session(source_log: SessionLog) -> None:
    source_log.close()
    with pytest.raises(LogError, match="File exists"):
        fork_session(source_log.path, source_log.path.parent, source_log.path.stem, "/work")


COMPACTED = Compacted(
    number=1,
    trigger="user",
    method="local",
    message_count=1,
    summary="s",
    ledger="l",
    tokens_before=100,
    tokens_after=10,
)
HELPER = PRIMARY.child("chatty-1")
STARTED = SubagentStarted(
    child=HELPER,
    parent=PRIMARY,
    agent_type="chatty",
    depth=1,
    task_number=1,
    turn=1,
    call_id="c",
    description="",
)
ENDED = SubagentEnded(child=HELPER, task_number=1, turn=1, status="completed")
LONG_SESSION: tuple[tuple[Record, Address], ...] = (
    (make_turn_started(1), PRIMARY),
    (STARTED, PRIMARY),
    (make_turn_started(1), HELPER),
    (make_turn_completed(1), HELPER),
    (ENDED, PRIMARY),
    (make_turn_completed(1), PRIMARY),
    (SessionOpened(run=2, pid=7, version="0.1.0"), ROOT),
    (SessionSettings(grants=(GRANT,)), PERMISSIONS),
    (make_turn_started(2), PRIMARY),
    (make_turn_started(2), HELPER),
    (make_turn_completed(2), PRIMARY),
    (make_turn_completed(2), HELPER),
    (make_turn_started(3), PRIMARY),
    (make_turn_completed(3), PRIMARY),
)


def write_long_session(path: Path, damaged_line: int) -> None:
    log = create_log(path)
    for entry in LONG_SESSION:
        log.append([entry])
    log.close()
    lines = path.read_bytes().splitlines(keepends=True)
    lines[damaged_line] = lines[damaged_line].replace(b'"by"', b'"By"')
    path.write_bytes(b"".join(lines))


@pytest.mark.parametrize("damaged_line", range(2 + len(LONG_SESSION) - 1))
def test_a_fork_of_a_damaged_session_has_only_complete_turns(
    tmp_path: Path, damaged_line: int
) -> None:
    source = tmp_path / "source.jsonl"
    write_long_session(source, damaged_line)

    forked = fork(source, tmp_path / "forks")

    log, contents = SessionLog.open(forked.path, fixed_clock)
    log.close()
    omitted = 1 if damaged_line in range(2, 8) else 2 if damaged_line in range(10, 13) else 0
    omitted = 3 if damaged_line >= 14 else omitted
    assert f"Record {damaged_line + 1} " in forked.notice
    kept = [
        line.message.turn
        for line in contents.lines
        if line.recorded_by == PRIMARY and isinstance(line.message, TurnStarted)
    ]
    assert kept == [number for number in (1, 2, 3) if number != omitted]
    expected = f"does not have turn {omitted}" if omitted else "has all turns"
    if damaged_line in (2, 10, 14):
        expected = "does not have a turn whose start is damaged"
    assert expected in forked.notice
    assert contents.records[0] == SESSION_HEADER.model_copy(update={"session_id": FORK_ID})
    assert find_last_run_number(contents.records) == (2 if damaged_line == 8 else 3)
    for agent in (PRIMARY, HELPER):
        turns = [
            type(line.message)
            for line in contents.lines
            if line.recorded_by == agent and isinstance(line.message, TurnStarted | TurnCompleted)
        ]
        assert turns == [TurnStarted, TurnCompleted] * (len(turns) // 2)
    known = {record.child for record in contents.records if isinstance(record, SubagentStarted)}
    assert {line.recorded_by for line in contents.lines} <= {ROOT, PRIMARY, PERMISSIONS, *known}


@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_fork_keeps_a_compaction_only_without_damage(tmp_path: Path, *, is_damaged: bool) -> None:
    """The number of messages that it replaces would not fit if a turn is left out."""
    log = create_log(tmp_path / "20260131-235959-ab12.jsonl")
    log.append([(make_turn_started(1), PRIMARY), (make_turn_completed(1), PRIMARY)])
    log.append([(make_turn_started(2), PRIMARY), (make_turn_completed(2), PRIMARY)])
    log.append([(COMPACTED, PRIMARY)])
    log.close()
    if is_damaged:
        data = log.path.read_bytes()
        log.path.write_bytes(data.replace(b'"turn":1', b'"turn":7', 1))
    records = read_log(fork(log.path, tmp_path / "forks").path).records
    assert (COMPACTED in records) is not is_damaged
    assert make_turn_started(2) in records


@given(st.lists(st.integers(1, len(LONG_SESSION) + 1), max_size=6), st.randoms())
def test_any_damage_leaves_a_session_that_can_be_continued(
    changed: list[int], random: Random
) -> None:
    with TemporaryDirectory() as folder:
        source = Path(folder) / "source.jsonl"
        write_long_session(source, 1)
        lines = source.read_bytes().splitlines(keepends=True)
        for index in changed:
            lines[index] = random.choice([b"", b"\0\n", lines[index] * 2, b"a note\n" + lines[2]])
        source.write_bytes(b"".join(lines))
        forked = fork(source, Path(folder) / "forks")
        log, contents = SessionLog.open(forked.path, fixed_clock)
        log.close()
    assert contents.torn == b""
    for agent in (PRIMARY, HELPER):
        turns = [
            type(line.message)
            for line in contents.lines
            if line.recorded_by == agent and isinstance(line.message, TurnStarted | TurnCompleted)
        ]
        assert turns == [TurnStarted, TurnCompleted] * (len(turns) // 2)


def test_a_fork_omits_the_open_turn_behind_a_subagents_end(tmp_path: Path) -> None:
    log = create_log(tmp_path / "source.jsonl")
    for entry in LONG_SESSION[:4]:
        log.append([entry])
    log.close()
    forked = fork(log.path, tmp_path / "forks")
    assert [type(record) for record in read_log(forked.path).records] == [
        SessionHeader,
        SessionOpened,
    ]
    assert forked.notice == ""
