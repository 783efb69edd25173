"""Records that an agent may not write are refused by the journal and by every reader."""

from functools import partial
from pathlib import Path

import pytest

from actors.runtime.system import ActorSystem
from actors.sessions.errors import LogDamagedError
from actors.sessions.journal import AppendLedger, Journal
from actors.sessions.log_reader import read_log
from actors.sessions.record_authors import find_author_problem
from messages.address import APPROVALS, PERMISSIONS, PRIMARY, ROOT, Address
from messages.approvals import ApprovalDecided, ApprovalWithdrawn
from messages.journal import Append, Appended, AppendFailed, Record
from messages.permissions import SessionSettings
from messages.policy import Rule
from messages.subagents import SubagentEnded
from tests.actors.approvals.sample_requests import make_request
from tests.actors.sessions.sample_records import (
    SESSION_HEADER,
    SESSION_OPENED,
    create_log,
    make_turn_started,
)
from tests.probe import start_probe

pytestmark = pytest.mark.quick

CHILD = PRIMARY.child("general-1")
GRANT = SessionSettings(mode="yolo", grants=(Rule(permission="bash", pattern="*", action="allow"),))
NOT_BY_AGENTS: tuple[tuple[Record, Address], ...] = (
    (SESSION_HEADER, ROOT),
    (SESSION_OPENED, ROOT),
    (GRANT, PERMISSIONS),
    (make_request(), APPROVALS),
    (ApprovalDecided(id="r1", agent=PRIMARY, decision="session"), APPROVALS),
    (ApprovalWithdrawn(id="r1"), APPROVALS),
)


@pytest.mark.parametrize(
    ("record", "author"), NOT_BY_AGENTS, ids=[record.type for record, _ in NOT_BY_AGENTS]
)
def test_no_agent_may_write_what_decides_permissions(record: Record, author: Address) -> None:
    assert not find_author_problem(record, author)
    for agent in (PRIMARY, CHILD):
        assert record.type in find_author_problem(record, agent)


def test_only_its_parent_may_record_the_end_of_an_agent() -> None:
    ended = SubagentEnded(child=CHILD, task_number=1, turn=1, status="completed")
    assert not find_author_problem(ended, PRIMARY)
    assert find_author_problem(ended, CHILD)
    assert find_author_problem(ended, PRIMARY.child("general-2"))


def test_a_forged_grant_of_an_agent_is_not_written(system: ActorSystem, tmp_path: Path) -> None:
    path = tmp_path / "20260131-235959-ab12.jsonl"
    journal = system.start(partial(Journal, create_log(path), AppendLedger()), "journal")
    agent = start_probe(system, "primary")

    agent.tell(journal, Append(id=1, records=(make_turn_started(1), GRANT)))
    assert "session_settings" in agent.expect_kind(AppendFailed).detail
    agent.tell(journal, Append(id=2, records=(make_turn_started(2),)))
    agent.expect(Appended(id=2))

    assert read_log(path).records == (SESSION_HEADER, SESSION_OPENED, make_turn_started(2))


def test_a_session_with_a_forged_grant_is_not_resumed(tmp_path: Path) -> None:
    path = tmp_path / "20260131-235959-ab12.jsonl"
    log = create_log(path)
    log.append([(make_turn_started(1), PRIMARY), (GRANT, CHILD)])
    log.close()

    with pytest.raises(LogDamagedError, match="may not write a record of type session_settings"):
        read_log(path)
