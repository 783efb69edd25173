from pathlib import Path

import pytest

from actors.sessions.errors import LogDamagedError, LogError, LogLockedError
from actors.sessions.fork import fork_session
from actors.sessions.log_reader import read_log
from actors.sessions.session_log import SessionLog
from messages.address import PERMISSIONS, PRIMARY
from messages.content import Usage
from messages.permissions import SessionSettings
from messages.policy import Rule
from messages.turns import TurnCompleted
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

    path = fork_session(source_log.path, source_log.path.parent / "forks", FORK_ID)

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
    fork_session(source_log.path, source_log.path.parent, FORK_ID)
    source_log.close()


def test_a_damaged_session_cannot_be_forked(source_log: SessionLog) -> None:
    source_log.close()
    source_log.path.write_bytes(source_log.path.read_bytes().replace(b"prompt 1", b"prompt 2"))
    with pytest.raises(LogDamagedError):
        fork_session(source_log.path, source_log.path.parent, FORK_ID)
    assert list(source_log.path.parent.iterdir()) == [source_log.path]


def test_a_fork_never_replaces_another_session(source_log: SessionLog) -> None:
    source_log.close()
    with pytest.raises(LogError, match="File exists"):
        fork_session(source_log.path, source_log.path.parent, source_log.path.stem)
