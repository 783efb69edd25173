"""The approval broker, tested through the messages of the actors around it."""

from dataclasses import dataclass
from functools import partial

import pytest

from actors.approvals.broker import GRANT_NO_LONGER_OFFERED, ApprovalBroker
from actors.runtime.system import ActorSystem
from messages.address import APPROVALS, CONSOLE, JOURNAL, PERMISSIONS, PRIMARY, Address
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalDecision,
    ApprovalUnavailable,
    ApprovalWithdrawn,
    ApproverAvailabilityChanged,
    DismissApproval,
    ExecApprovalRequest,
    QuestionRequest,
    ShowApproval,
    SubmitDecision,
    WithdrawApprovals,
)
from messages.journal import Append, Appended, AppendFailed
from messages.permissions import (
    EvaluatePermission,
    GrantStored,
    PermissionDecision,
    PolicyChanged,
    StoreGrant,
    StoreGrantFailed,
)
from messages.policy import Action, PermissionRequest
from messages.user_questions import UserQuestion
from tests.actors.approvals.sample_requests import make_request
from tests.probe import Probe, start_probe

pytestmark = pytest.mark.quick

NO_APPROVER = "the console is not running"


def make_submission(
    decision: ApprovalDecision, request_id: str = "r1", feedback: str = ""
) -> SubmitDecision:
    return SubmitDecision(id=request_id, decision=decision, feedback=feedback)


def make_decided(
    decision: ApprovalDecision, request_id: str = "r1", feedback: str = "", agent: Address = PRIMARY
) -> ApprovalDecided:
    return ApprovalDecided(id=request_id, agent=agent, decision=decision, feedback=feedback)


def make_decided_by_rule(request_id: str) -> ApprovalDecided:
    return make_decided("once", request_id).model_copy(update={"decided_by": "rule"})


def make_permission_decision(request_id: str, action: Action) -> PermissionDecision:
    return PermissionDecision(id=request_id, action=action, reason="a grant", policy_version=2)


def make_evaluation(request: ExecApprovalRequest) -> EvaluatePermission:
    return EvaluatePermission(id=request.id, agent=request.agent, requests=request.requests)


def make_store_grant(request: ExecApprovalRequest) -> StoreGrant:
    return StoreGrant(id=request.id, rules=request.grants)


@dataclass
class BrokerHarness:
    """Probes in place of the actors around the broker."""

    journal: Probe
    engine: Probe
    console: Probe
    primary: Probe
    append_count: int = 0

    def send_request(self, request: AnyApprovalRequest) -> None:
        self.primary.tell(APPROVALS, request)

    def expect_written(self, record: object) -> None:
        """Check that exactly this record is appended next, and confirm it."""
        self.append_count += 1
        append = self.journal.expect_kind(Append)
        assert (append.id, append.records) == (self.append_count, (record,))
        self.journal.tell(APPROVALS, Appended(id=append.id))

    def park_and_show(self, request: AnyApprovalRequest, parked_count: int = 1) -> None:
        """Send a request and check that it is recorded and shown."""
        self.send_request(request)
        self.expect_written(request)
        self.console.expect(ShowApproval(request=request, parked_count=parked_count))

    def submit(self, submission: SubmitDecision) -> None:
        self.console.tell(APPROVALS, submission)

    def expect_dismissed(self, request_id: str = "r1") -> None:
        self.console.expect(DismissApproval(id=request_id, outcome="decided"))

    def expect_withdrawn(self, request_id: str = "r1") -> None:
        self.console.expect(DismissApproval(id=request_id, outcome="withdrawn"))


@pytest.fixture
def harness(system: ActorSystem) -> BrokerHarness:
    """A broker whose console has reported that a user can decide."""
    harness = start_broker(system)
    harness.console.tell(APPROVALS, ApproverAvailabilityChanged(can_decide=True))
    return harness


def start_broker(system: ActorSystem) -> BrokerHarness:
    harness = BrokerHarness(
        journal=start_probe(system, "journal"),
        engine=start_probe(system, "permissions"),
        console=start_probe(system, "console"),
        primary=start_probe(system, "primary"),
    )
    system.start(partial(ApprovalBroker, JOURNAL, PERMISSIONS, CONSOLE), "approvals")
    return harness


# One request


def test_a_request_is_on_disk_before_it_is_shown(harness: BrokerHarness) -> None:
    request = make_request()
    harness.send_request(request)

    harness.journal.expect(Append(id=1, records=(request,)))
    harness.console.expect_nothing_more()
    harness.journal.tell(APPROVALS, Appended(id=1))
    harness.console.expect(ShowApproval(request=request, parked_count=1))


def test_a_decision_is_on_disk_before_it_is_delivered(harness: BrokerHarness) -> None:
    harness.park_and_show(make_request())
    harness.submit(make_submission("once"))

    harness.journal.expect(Append(id=2, after_id=1, records=(make_decided("once"),)))
    harness.primary.expect_nothing_more()
    harness.journal.tell(APPROVALS, Appended(id=2))
    harness.primary.expect(make_decided("once"))
    harness.expect_dismissed()


def test_a_denial_delivers_the_users_feedback(harness: BrokerHarness) -> None:
    harness.park_and_show(make_request())
    harness.submit(make_submission("no", feedback="use b.txt"))
    harness.expect_written(make_decided("no", feedback="use b.txt"))

    harness.primary.expect(make_decided("no", feedback="use b.txt"))


def test_a_decision_returns_the_way_the_request_came(harness: BrokerHarness) -> None:
    """Ancestors forward a subagent's request, and the decision returns through them."""
    deep = Address("/primary/general-2")
    harness.park_and_show(make_request(agent=deep))
    harness.submit(make_submission("once"))
    harness.expect_written(make_decided("once", agent=deep))

    harness.primary.expect(make_decided("once", agent=deep))


def test_requests_are_shown_in_arrival_order(harness: BrokerHarness) -> None:
    harness.park_and_show(make_request("r1"), parked_count=1)
    harness.park_and_show(make_request("r2"), parked_count=2)
    harness.park_and_show(make_request("r3"), parked_count=3)


# Grants


def test_a_grant_is_stored_before_the_decision_is_delivered(harness: BrokerHarness) -> None:
    request = make_request()
    harness.park_and_show(request)
    harness.submit(make_submission("session"))
    harness.expect_written(make_decided("session"))

    harness.engine.expect(make_store_grant(request))
    harness.primary.expect_nothing_more()
    harness.engine.tell(APPROVALS, GrantStored(id="r1", policy_version=2))
    harness.primary.expect(make_decided("session"))


def test_a_grant_that_cannot_be_stored_allows_once(harness: BrokerHarness) -> None:
    harness.park_and_show(make_request("r1"))
    harness.park_and_show(make_request("r2"), parked_count=2)
    harness.submit(make_submission("session"))
    harness.expect_written(make_decided("session"))
    harness.engine.expect(make_store_grant(make_request()))
    harness.engine.tell(APPROVALS, StoreGrantFailed(id="r1", detail="disk full"))

    harness.primary.expect(make_decided("session"))
    harness.engine.expect_nothing_more()


def test_parked_requests_that_a_grant_allows_are_released(harness: BrokerHarness) -> None:
    requests = [make_request(request_id) for request_id in ("r1", "r2", "r3")]
    for position, request in enumerate(requests):
        harness.park_and_show(request, parked_count=position + 1)
    harness.submit(make_submission("session"))
    harness.expect_written(make_decided("session"))
    harness.engine.expect(make_store_grant(requests[0]))
    harness.engine.tell(APPROVALS, GrantStored(id="r1", policy_version=2))
    harness.engine.tell(APPROVALS, PolicyChanged(policy_version=2))

    harness.engine.expect(make_evaluation(requests[1]), make_evaluation(requests[2]))
    harness.engine.tell(APPROVALS, make_permission_decision("r2", "ask"))
    harness.engine.tell(APPROVALS, make_permission_decision("r3", "allow"))
    harness.expect_written(make_decided_by_rule("r3"))
    harness.primary.expect(make_decided("session"), make_decided_by_rule("r3"))
    harness.expect_dismissed("r1")
    harness.expect_dismissed("r3")


def test_a_rule_decision_before_display_waits_for_its_record(
    harness: BrokerHarness,
) -> None:
    """The record of the request must not be mistaken for that of the decision."""
    harness.park_and_show(make_request("r1"))
    harness.send_request(make_request("r2"))
    harness.submit(make_submission("session"))
    harness.journal.expect(
        Append(id=2, after_id=1, records=(make_request("r2"),)),
        Append(id=3, after_id=2, records=(make_decided("session"),)),
    )
    harness.journal.tell(APPROVALS, Appended(id=3))
    harness.engine.expect(make_store_grant(make_request("r1")))
    harness.engine.tell(APPROVALS, GrantStored(id="r1", policy_version=2))
    harness.engine.tell(APPROVALS, PolicyChanged(policy_version=2))
    harness.engine.expect(make_evaluation(make_request("r2")))
    harness.primary.expect(make_decided("session"))
    harness.engine.tell(APPROVALS, make_permission_decision("r2", "allow"))
    harness.journal.expect(Append(id=4, after_id=3, records=(make_decided_by_rule("r2"),)))

    harness.journal.tell(APPROVALS, Appended(id=2))
    harness.journal.tell(APPROVALS, Appended(id=4))
    harness.primary.expect(make_decided_by_rule("r2"))
    harness.expect_dismissed("r1")
    harness.console.expect_nothing_more()


def test_a_policy_change_ends_denied_and_allowed_requests(
    harness: BrokerHarness,
) -> None:
    requests = [make_request(request_id) for request_id in ("r1", "r2", "r3")]
    for position, request in enumerate(requests):
        harness.park_and_show(request, parked_count=position + 1)
    harness.engine.tell(APPROVALS, PolicyChanged(policy_version=2))
    harness.engine.expect(*map(make_evaluation, requests))
    for _ in range(2):
        harness.engine.tell(APPROVALS, make_permission_decision("r1", "deny"))
        harness.engine.tell(APPROVALS, make_permission_decision("r2", "allow"))
        harness.engine.tell(APPROVALS, make_permission_decision("r3", "ask"))
    harness.expect_written(make_decided_by_rule("r2"))

    reason = "a policy change denies it: a grant"
    harness.primary.expect(
        ApprovalUnavailable(id="r1", agent=PRIMARY, reason=reason), make_decided_by_rule("r2")
    )
    harness.expect_withdrawn("r1")
    harness.expect_dismissed("r2")
    harness.submit(make_submission("once", "r3"))
    harness.expect_written(make_decided("once", "r3"))
    harness.primary.expect(make_decided("once", "r3"))
    harness.primary.expect_nothing_more()


def test_an_outdated_request_is_reevaluated_on_arrival(
    harness: BrokerHarness,
) -> None:
    harness.engine.tell(APPROVALS, PolicyChanged(policy_version=2))
    late = make_request().model_copy(update={"policy_version": 1})
    harness.park_and_show(late)
    harness.engine.expect(make_evaluation(late))
    current = make_request("r2").model_copy(update={"policy_version": 2})
    harness.park_and_show(current, parked_count=2)
    harness.engine.expect_nothing_more()
    harness.engine.tell(APPROVALS, make_permission_decision("r1", "allow"))
    harness.expect_written(make_decided_by_rule("r1"))
    harness.primary.expect(make_decided_by_rule("r1"))


def test_a_reevaluation_after_the_users_decision_is_ignored(
    harness: BrokerHarness,
) -> None:
    harness.park_and_show(make_request())
    harness.submit(make_submission("no"))
    harness.engine.tell(APPROVALS, make_permission_decision("r1", "allow"))
    harness.engine.tell(APPROVALS, make_permission_decision("r1", "deny"))
    harness.expect_written(make_decided("no"))

    harness.primary.expect(make_decided("no"))


@pytest.mark.parametrize(
    ("available", "submitted", "recorded"),
    [
        (("once", "no"), "session", "once"),
        (("session", "no"), "once", "no"),
        (("no",), "session", "no"),
    ],
)
def test_an_unavailable_decision_is_clamped_to_a_weaker_one(
    harness: BrokerHarness,
    available: tuple[ApprovalDecision, ...],
    submitted: ApprovalDecision,
    recorded: ApprovalDecision,
) -> None:
    harness.park_and_show(make_request(available_decisions=available))
    harness.submit(make_submission(submitted))

    harness.expect_written(make_decided(recorded))
    harness.primary.expect(make_decided(recorded))
    harness.engine.expect_nothing_more()


def test_an_outdated_grant_becomes_once_and_the_user_is_notified(
    harness: BrokerHarness,
) -> None:
    """For example, because plan mode was entered after the request was shown."""
    harness.park_and_show(make_request())
    harness.engine.tell(APPROVALS, make_permission_decision("r1", "ask"))  # with nothing to grant
    harness.submit(make_submission("session"))

    harness.console.expect(StoreGrantFailed(id="r1", detail=GRANT_NO_LONGER_OFFERED))
    harness.expect_written(make_decided("once"))
    harness.primary.expect(make_decided("once"))
    harness.engine.expect_nothing_more()


# Unexpected decisions


def test_decisions_on_requests_not_shown_are_ignored(harness: BrokerHarness) -> None:
    harness.send_request(make_request("r1"))
    harness.submit(make_submission("once", "r1"))
    harness.submit(make_submission("once", "unknown"))

    harness.expect_written(make_request("r1"))
    harness.console.expect(ShowApproval(request=make_request("r1"), parked_count=1))
    harness.park_and_show(make_request("r2"), parked_count=2)


def test_a_second_decision_is_ignored(harness: BrokerHarness) -> None:
    harness.park_and_show(make_request())
    harness.submit(make_submission("no"))
    harness.submit(make_submission("once"))
    harness.expect_written(make_decided("no"))
    harness.submit(make_submission("once"))

    harness.primary.expect(make_decided("no"))
    harness.expect_dismissed()
    harness.park_and_show(make_request("r2"))


def test_a_duplicate_request_is_not_shown_again(harness: BrokerHarness) -> None:
    harness.park_and_show(make_request())
    harness.send_request(make_request())
    harness.submit(make_submission("once"))
    harness.expect_written(make_decided("once"))
    harness.expect_dismissed()
    harness.send_request(make_request())

    harness.park_and_show(make_request("r2"))


# Withdrawal


def test_a_withdrawn_request_is_dismissed_without_a_decision(
    harness: BrokerHarness,
) -> None:
    harness.park_and_show(make_request())
    harness.primary.tell(APPROVALS, ApprovalWithdrawn(id="r1"))
    harness.expect_withdrawn()
    harness.expect_written(ApprovalWithdrawn(id="r1"))
    harness.submit(make_submission("once"))

    harness.park_and_show(make_request("r2"))
    harness.primary.expect_nothing_more()


def test_a_request_withdrawn_before_display_is_never_shown(harness: BrokerHarness) -> None:
    harness.send_request(make_request())
    harness.primary.tell(APPROVALS, ApprovalWithdrawn(id="r1"))
    harness.expect_written(make_request())
    harness.expect_written(ApprovalWithdrawn(id="r1"))

    harness.park_and_show(make_request("r2"))


def test_a_request_withdrawn_during_the_write_is_not_decided(
    harness: BrokerHarness,
) -> None:
    harness.park_and_show(make_request())
    harness.submit(make_submission("session"))
    harness.primary.tell(APPROVALS, ApprovalWithdrawn(id="r1"))
    harness.expect_withdrawn()
    harness.expect_written(make_decided("session"))
    harness.expect_written(ApprovalWithdrawn(id="r1"))

    harness.park_and_show(make_request("r2"))
    harness.primary.expect_nothing_more()
    harness.engine.expect_nothing_more()


def test_a_subtree_is_withdrawn_by_whole_segments(harness: BrokerHarness) -> None:
    agents = {
        "r1": Address("/primary/general-1"),
        "r2": Address("/primary/general-1/explore-1"),
        "r3": Address("/primary/general-10"),
        "r4": PRIMARY,
    }
    for parked_count, (request_id, agent) in enumerate(agents.items(), start=1):
        harness.park_and_show(make_request(request_id, agent), parked_count)
    harness.primary.tell(APPROVALS, WithdrawApprovals(under=Address("/primary/general-1")))

    harness.expect_withdrawn("r1")
    harness.expect_withdrawn("r2")
    harness.expect_written(ApprovalWithdrawn(id="r1"))
    harness.expect_written(ApprovalWithdrawn(id="r2"))
    harness.park_and_show(make_request("r5"), parked_count=3)


# No approver, and disk failures


def test_a_request_without_an_approver_is_unavailable_at_once(system: ActorSystem) -> None:
    harness = start_broker(system)
    harness.console.tell(APPROVALS, ApproverAvailabilityChanged(can_decide=False))
    harness.send_request(make_request())

    reason = "this session has no user to ask"
    harness.primary.expect(ApprovalUnavailable(id="r1", agent=PRIMARY, reason=reason))
    harness.journal.expect_nothing_more()


@pytest.mark.parametrize("can_decide", [True, False])
def test_requests_wait_until_approver_availability_is_known(
    system: ActorSystem, *, can_decide: bool
) -> None:
    harness = start_broker(system)
    harness.send_request(make_request())
    harness.journal.expect_nothing_more()
    harness.console.tell(APPROVALS, ApproverAvailabilityChanged(can_decide=can_decide))
    if can_decide:
        harness.expect_written(make_request())
        harness.console.expect(ShowApproval(request=make_request(), parked_count=1))
    else:
        harness.primary.expect_kind(ApprovalUnavailable)


def test_losing_the_console_ends_parked_and_later_requests(
    harness: BrokerHarness,
) -> None:
    harness.park_and_show(make_request("r1"))
    harness.park_and_show(make_request("r2"), parked_count=2)
    harness.console.tell(
        APPROVALS, ApproverAvailabilityChanged(can_decide=False, reason=NO_APPROVER)
    )
    harness.send_request(make_request("r3"))

    harness.primary.expect(
        *(
            ApprovalUnavailable(id=request_id, agent=PRIMARY, reason=NO_APPROVER)
            for request_id in ("r1", "r2", "r3")
        )
    )


def test_a_decision_before_the_console_was_lost_applies(harness: BrokerHarness) -> None:
    harness.park_and_show(make_request())
    harness.submit(make_submission("once"))
    harness.console.tell(
        APPROVALS, ApproverAvailabilityChanged(can_decide=False, reason=NO_APPROVER)
    )
    harness.expect_written(make_decided("once"))

    harness.primary.expect(make_decided("once"))


def test_requests_are_shown_when_the_console_returns(harness: BrokerHarness) -> None:
    harness.console.tell(
        APPROVALS, ApproverAvailabilityChanged(can_decide=False, reason=NO_APPROVER)
    )
    harness.console.tell(APPROVALS, ApproverAvailabilityChanged(can_decide=True))

    harness.park_and_show(make_request())


def test_a_request_that_cannot_be_recorded_is_unavailable(harness: BrokerHarness) -> None:
    harness.send_request(make_request())
    harness.journal.expect_kind(Append)
    harness.journal.tell(APPROVALS, AppendFailed(id=1, detail="disk full"))

    reason = "the session could not be saved: disk full"
    harness.primary.expect(ApprovalUnavailable(id="r1", agent=PRIMARY, reason=reason))
    harness.console.expect_nothing_more()


def test_a_decision_that_cannot_be_recorded_is_not_delivered(harness: BrokerHarness) -> None:
    harness.park_and_show(make_request())
    harness.submit(make_submission("session"))
    harness.journal.expect_kind(Append)
    harness.journal.tell(APPROVALS, AppendFailed(id=2, detail="disk full"))

    unavailable = harness.primary.expect_kind(ApprovalUnavailable)
    assert unavailable.reason == "the session could not be saved: disk full"
    harness.expect_withdrawn()
    harness.engine.expect_nothing_more()


def test_messages_about_unknown_requests_are_ignored(harness: BrokerHarness) -> None:
    harness.park_and_show(make_request())
    harness.engine.tell(APPROVALS, GrantStored(id="r1", policy_version=2))
    harness.engine.tell(APPROVALS, PolicyChanged(policy_version=2))
    harness.engine.expect(make_evaluation(make_request()))
    for message in (Appended(id=1), Appended(id=99), AppendFailed(id=1, detail="?")):
        harness.journal.tell(APPROVALS, message)
    harness.engine.tell(APPROVALS, StoreGrantFailed(id="r9", detail="?"))
    harness.engine.tell(APPROVALS, make_permission_decision("r9", "allow"))
    harness.primary.tell(APPROVALS, ApprovalWithdrawn(id="r9"))

    harness.submit(make_submission("once"))
    harness.append_count = 1
    harness.expect_written(make_decided("once"))
    harness.primary.expect(make_decided("once"))


# User questions


def make_two_questions() -> QuestionRequest:
    return QuestionRequest(
        id="r1",
        agent=PRIMARY,
        turn=1,
        call_id="c1",
        tool="question",
        cwd="/repo",
        reason="a question",
        requests=(PermissionRequest(permission="question", target="*"),),
        available_decisions=("once", "no"),
        questions=(UserQuestion(text="One?"), UserQuestion(text="Two?")),
    )


def test_answers_are_on_disk_before_they_are_delivered(harness: BrokerHarness) -> None:
    harness.park_and_show(make_two_questions())
    harness.submit(SubmitDecision(id="r1", decision="once", answers=("1", "2")))

    answered = ApprovalDecided(id="r1", agent=PRIMARY, decision="once", answers=("1", "2"))
    harness.expect_written(answered)
    harness.primary.expect(answered)


def test_too_few_answers_count_as_no_answer(harness: BrokerHarness) -> None:
    harness.park_and_show(make_two_questions())
    harness.submit(SubmitDecision(id="r1", decision="once", answers=("1",)))

    harness.expect_written(ApprovalDecided(id="r1", agent=PRIMARY, decision="no"))


def test_an_agent_cannot_decide_on_its_own_request(harness: BrokerHarness) -> None:
    harness.park_and_show(make_request())

    harness.primary.tell(APPROVALS, make_submission("once"))
    harness.primary.tell(APPROVALS, make_permission_decision("r1", "allow"))
    harness.journal.expect_nothing_more()

    harness.submit(make_submission("no"))
    harness.expect_written(make_decided("no"))
