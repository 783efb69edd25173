from pathlib import Path

import pytest

from actors.sessions.faults import LogDamaged, LogError, LogLocked
from actors.sessions.forking import fork_session
from actors.sessions.log import SessionLog
from actors.sessions.reading import read_log
from messages.address import PERMISSIONS, PRIMARY
from messages.content import Usage
from messages.permissions import SessionSettings
from messages.rules import Rule
from messages.turns import TurnCompleted
from tests.actors.sessions.writing import RUN, SESSION, clock, create, turn

pytestmark = pytest.mark.quick

ID = "20260201-000000-cd34"
GRANT = Rule(permission="bash", pattern="make *", action="allow")


def ended(number: int) -> TurnCompleted:
    return TurnCompleted(turn=number, text="done", stop_reason="end_turn", usage=Usage())


@pytest.fixture
def source(tmp_path: Path) -> SessionLog:
    log = create(tmp_path / "20260131-235959-ab12.jsonl")
    log.append([(turn(1), PRIMARY)])
    log.append([(SessionSettings(grants=(GRANT,)), PERMISSIONS), (ended(1), PRIMARY)])
    return log


def test_a_fork_has_the_ended_turns_and_an_id_of_its_own_but_no_grants(source: SessionLog) -> None:
    source.append([(turn(2), PRIMARY)])
    before = source.path.read_bytes()

    path = fork_session(source.path, source.path.parent / "forks", ID)

    session = SESSION.model_copy(update={"session_id": ID})
    assert read_log(path).records == (session, RUN, turn(1), SessionSettings(), ended(1))
    assert [each.by for each in read_log(path).lines[2:4]] == [PRIMARY, PERMISSIONS]
    assert source.path.read_bytes() == before
    log, _ = SessionLog.open(path, clock)
    log.append([(turn(2), PRIMARY)])
    log.close()
    assert read_log(path).lines[-1].seq == 6
    source.close()


def test_who_finds_a_session_held_is_told_by_whom_and_how_to_fork_it(source: SessionLog) -> None:
    with pytest.raises(LogLocked) as locked:
        SessionLog.open(source.path, clock)
    assert f"open in process {RUN.pid}" in locked.value.detail
    assert "--fork 20260131-235959-ab12" in locked.value.detail
    fork_session(source.path, source.path.parent, ID)
    source.close()


def test_a_damaged_session_is_not_forked(source: SessionLog) -> None:
    source.close()
    source.path.write_bytes(source.path.read_bytes().replace(b"prompt 1", b"prompt 2"))
    with pytest.raises(LogDamaged):
        fork_session(source.path, source.path.parent, ID)
    assert list(source.path.parent.iterdir()) == [source.path]


def test_a_fork_takes_no_other_sessions_place(source: SessionLog) -> None:
    source.close()
    with pytest.raises(LogError, match="File exists"):
        fork_session(source.path, source.path.parent, source.path.stem)
