"""A restarted broker uses the recorded request, even if the request sent again differs."""

from functools import partial

import pytest

from actors.approvals.broker import ApprovalBroker
from actors.runtime.supervision import Restart
from actors.runtime.system import ActorSystem
from messages.address import APPROVALS, CONSOLE, JOURNAL, PERMISSIONS
from messages.approvals import ApprovalDecided, ApproverAvailabilityChanged, ShowApproval
from messages.journal import Append, Appended, ReadRecords, Record, RecordsRead
from messages.permissions import PolicyChanged, StoreGrant
from messages.policy import Rule
from tests.actors.approvals.sample_requests import make_request
from tests.actors.crashable_session import CrashTrigger, with_crash_trigger
from tests.probe import Probe, start_probe

pytestmark = pytest.mark.quick

FIRST_REQUEST = make_request()
REPEATED_REQUEST = FIRST_REQUEST.model_copy(
    update={
        "reason": "another mode",
        "grants": (Rule(permission="write", pattern="*", action="allow"),),
    }
)


@pytest.fixture
def engine(system: ActorSystem) -> Probe:
    return start_probe(system, "permissions")


@pytest.fixture
def journal(system: ActorSystem, engine: Probe) -> Probe:
    """A broker that has crashed once; its peers are running."""
    journal = start_probe(system, "journal")
    crash_trigger = CrashTrigger()
    broker = partial(ApprovalBroker, JOURNAL, PERMISSIONS, CONSOLE)
    system.start(
        with_crash_trigger(broker, crash_trigger), "approvals", Restart(limit=1, window_s=3600.0)
    )
    crash_trigger.crash_on("before", PolicyChanged)
    engine.tell(APPROVALS, PolicyChanged(policy_version=2))
    return journal


def send_records(journal: Probe, *records: Record) -> None:
    journal.tell(APPROVALS, RecordsRead(id=journal.expect_kind(ReadRecords).id, records=records))


def test_a_changed_request_is_recorded_again_before_display(
    system: ActorSystem, journal: Probe
) -> None:
    console, primary = start_probe(system, "console"), start_probe(system, "primary")
    send_records(journal, FIRST_REQUEST)
    console.tell(APPROVALS, ApproverAvailabilityChanged(can_decide=True))
    primary.tell(APPROVALS, REPEATED_REQUEST)

    append = journal.expect_kind(Append)
    assert append.records == (REPEATED_REQUEST,)
    console.expect_nothing_more()
    journal.tell(APPROVALS, Appended(id=append.id))
    console.expect(ShowApproval(request=REPEATED_REQUEST, parked_count=1))


def test_a_recorded_decision_grants_what_was_shown_then(
    system: ActorSystem, journal: Probe, engine: Probe
) -> None:
    primary = start_probe(system, "primary")
    decided = ApprovalDecided(id=FIRST_REQUEST.id, agent=FIRST_REQUEST.agent, decision="session")
    send_records(journal, FIRST_REQUEST, decided)
    primary.tell(APPROVALS, REPEATED_REQUEST)
    engine.expect(StoreGrant(id=FIRST_REQUEST.id, rules=FIRST_REQUEST.grants))
