"""A restarted broker goes by what was shown, and not by what is asked a second time."""

from functools import partial

import pytest

from actors.approvals.broker import ApprovalBroker
from actors.runtime.supervision import Restart
from actors.runtime.system import ActorSystem
from messages.address import APPROVALS, CONSOLE, JOURNAL, PERMISSIONS
from messages.approvals import ApprovalDecided, ApproverAvailabilityChanged, ShowApproval
from messages.permissions import PolicyChanged, StoreGrant
from messages.rules import Rule
from messages.transcript import Append, Appended, ReadRecords, Record, RecordsRead
from tests.actors.approvals.requests import asking
from tests.actors.living import Fuse, fragile
from tests.probe import Probe, new_probe

pytestmark = pytest.mark.quick

BEFORE = asking()
NOW = BEFORE.model_copy(
    update={
        "reason": "another mode",
        "grants": (Rule(permission="write", pattern="*", action="allow"),),
    }
)


@pytest.fixture
def engine(system: ActorSystem) -> Probe:
    return new_probe(system, "permissions")


@pytest.fixture
def journal(system: ActorSystem, engine: Probe) -> Probe:
    """The broker's neighbours are there, and it has crashed once."""
    journal = new_probe(system, "journal")
    fuse = Fuse()
    broker = partial(ApprovalBroker, JOURNAL, PERMISSIONS, CONSOLE)
    system.start(fragile(broker, fuse), "approvals", Restart(limit=1, window_s=3600.0))
    fuse.set("before", PolicyChanged)
    engine.tell(APPROVALS, PolicyChanged(policy_version=2))
    return journal


def recalled(journal: Probe, *records: Record) -> None:
    journal.tell(APPROVALS, RecordsRead(id=journal.expect_kind(ReadRecords).id, records=records))


def test_what_is_asked_in_other_words_is_written_again_before_it_is_shown(
    system: ActorSystem, journal: Probe
) -> None:
    console, primary = new_probe(system, "console"), new_probe(system, "primary")
    recalled(journal, BEFORE)
    console.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=True))
    primary.tell(APPROVALS, NOW)

    append = journal.expect_kind(Append)
    assert append.records == (NOW,)
    console.expect_nothing_more()
    journal.tell(APPROVALS, Appended(id=append.id))
    console.expect(ShowApproval(request=NOW, waiting=1))


def test_an_answer_grants_what_was_shown_when_it_was_given(
    system: ActorSystem, journal: Probe, engine: Probe
) -> None:
    primary = new_probe(system, "primary")
    answer = ApprovalDecided(id=BEFORE.id, agent=BEFORE.agent, decision="session")
    recalled(journal, BEFORE, answer)
    primary.tell(APPROVALS, NOW)
    engine.expect(StoreGrant(id=BEFORE.id, rules=BEFORE.grants))
