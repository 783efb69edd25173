"""The journey of an approval, as the broker's neighbours see it."""

from dataclasses import dataclass
from functools import partial

import pytest

from actors.approvals.broker import ONLY_ONCE, ApprovalBroker
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
from messages.permissions import (
    EvaluatePermission,
    GrantStored,
    PermissionDecision,
    PolicyChanged,
    StoreGrant,
    StoreGrantFailed,
)
from messages.questions import UserQuestion
from messages.rules import Action, PermissionRequest
from messages.transcript import Append, Appended, AppendFailed
from tests.actors.approvals.requests import asking
from tests.probe import Probe, new_probe

pytestmark = pytest.mark.quick

NOBODY = "the terminal is gone"


def given(answer: ApprovalDecision, approval: str = "r1", feedback: str = "") -> SubmitDecision:
    return SubmitDecision(id=approval, decision=answer, feedback=feedback)


def answered(
    answer: ApprovalDecision, approval: str = "r1", feedback: str = "", agent: Address = PRIMARY
) -> ApprovalDecided:
    return ApprovalDecided(id=approval, agent=agent, decision=answer, feedback=feedback)


def by_rule(approval: str) -> ApprovalDecided:
    return answered("once", approval).model_copy(update={"decided_by": "rule"})


def verdict(approval: str, action: Action) -> PermissionDecision:
    return PermissionDecision(id=approval, action=action, reason="a grant", policy_version=2)


def judging(request: ExecApprovalRequest) -> EvaluatePermission:
    return EvaluatePermission(id=request.id, agent=request.agent, requests=request.requests)


def storing(request: ExecApprovalRequest) -> StoreGrant:
    return StoreGrant(id=request.id, rules=request.grants)


@dataclass
class Desk:
    """The broker's neighbours; `written` plays the journal's good days."""

    journal: Probe
    engine: Probe
    console: Probe
    primary: Probe
    appends: int = 0

    def ask(self, request: AnyApprovalRequest) -> None:
        self.primary.tell(APPROVALS, request)

    def written(self, record: object) -> None:
        """Check that exactly this goes to disk next, and say that it is there."""
        self.appends += 1
        append = self.journal.expect_kind(Append)
        assert (append.id, append.records) == (self.appends, (record,))
        self.journal.tell(APPROVALS, Appended(id=append.id))

    def shown(self, request: AnyApprovalRequest, waiting: int = 1) -> None:
        """Bring a request up to the screen."""
        self.ask(request)
        self.written(request)
        self.console.expect(ShowApproval(request=request, waiting=waiting))

    def answer(self, answer: SubmitDecision) -> None:
        self.console.tell(APPROVALS, answer)

    def retracted(self, approval: str = "r1") -> None:
        self.console.expect(DismissApproval(id=approval, why="answered"))

    def withdrawn(self, approval: str = "r1") -> None:
        self.console.expect(DismissApproval(id=approval, why="withdrawn"))


@pytest.fixture
def desk(system: ActorSystem) -> Desk:
    """A broker to whom the console has said that somebody is there."""
    desk = opened(system)
    desk.console.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=True))
    return desk


def opened(system: ActorSystem) -> Desk:
    desk = Desk(
        journal=new_probe(system, "journal"),
        engine=new_probe(system, "permissions"),
        console=new_probe(system, "console"),
        primary=new_probe(system, "primary"),
    )
    system.start(partial(ApprovalBroker, JOURNAL, PERMISSIONS, CONSOLE), "approvals")
    return desk


# The plain way.


def test_a_request_is_on_disk_before_it_is_shown(desk: Desk) -> None:
    request = asking()
    desk.ask(request)

    desk.journal.expect(Append(id=1, records=(request,)))
    desk.console.expect_nothing_more()
    desk.journal.tell(APPROVALS, Appended(id=1))
    desk.console.expect(ShowApproval(request=request, waiting=1))


def test_an_answer_is_on_disk_before_it_is_delivered(desk: Desk) -> None:
    desk.shown(asking())
    desk.answer(given("once"))

    desk.journal.expect(Append(id=2, after=1, records=(answered("once"),)))
    desk.primary.expect_nothing_more()
    desk.journal.tell(APPROVALS, Appended(id=2))
    desk.primary.expect(answered("once"))
    desk.retracted()


def test_a_no_brings_what_the_person_said(desk: Desk) -> None:
    desk.shown(asking())
    desk.answer(given("no", feedback="use b.txt"))
    desk.written(answered("no", feedback="use b.txt"))

    desk.primary.expect(answered("no", feedback="use b.txt"))


def test_an_answer_goes_back_the_way_the_request_came(desk: Desk) -> None:
    """A deeper agent's request is handed on by its ancestors; the answer goes down the same way."""
    deep = Address("/primary/general-2")
    desk.shown(asking(agent=deep))
    desk.answer(given("once"))
    desk.written(answered("once", agent=deep))

    desk.primary.expect(answered("once", agent=deep))


def test_requests_are_shown_in_the_order_in_which_they_came(desk: Desk) -> None:
    desk.shown(asking("r1"), waiting=1)
    desk.shown(asking("r2"), waiting=2)
    desk.shown(asking("r3"), waiting=3)


# For this session.


def test_a_grant_is_stored_before_the_answer_is_delivered(desk: Desk) -> None:
    request = asking()
    desk.shown(request)
    desk.answer(given("session"))
    desk.written(answered("session"))

    desk.engine.expect(storing(request))
    desk.primary.expect_nothing_more()
    desk.engine.tell(APPROVALS, GrantStored(id="r1", policy_version=2))
    desk.primary.expect(answered("session"))


def test_a_grant_that_could_not_be_stored_counts_as_once(desk: Desk) -> None:
    desk.shown(asking("r1"))
    desk.shown(asking("r2"), waiting=2)
    desk.answer(given("session"))
    desk.written(answered("session"))
    desk.engine.expect(storing(asking()))
    desk.engine.tell(APPROVALS, StoreGrantFailed(id="r1", detail="disk full"))

    desk.primary.expect(answered("session"))
    desk.engine.expect_nothing_more()


def test_what_a_grant_allows_is_answered_without_asking(desk: Desk) -> None:
    requests = [asking(each) for each in ("r1", "r2", "r3")]
    for position, request in enumerate(requests):
        desk.shown(request, waiting=position + 1)
    desk.answer(given("session"))
    desk.written(answered("session"))
    desk.engine.expect(storing(requests[0]))
    desk.engine.tell(APPROVALS, GrantStored(id="r1", policy_version=2))
    desk.engine.tell(APPROVALS, PolicyChanged(policy_version=2))

    desk.engine.expect(judging(requests[1]), judging(requests[2]))
    desk.engine.tell(APPROVALS, verdict("r2", "ask"))
    desk.engine.tell(APPROVALS, verdict("r3", "allow"))
    desk.written(by_rule("r3"))
    desk.primary.expect(answered("session"), by_rule("r3"))
    desk.retracted("r1")
    desk.retracted("r3")


def test_what_a_rule_answers_before_it_was_shown_waits_for_its_own_record(desk: Desk) -> None:
    """The request's record must not be taken for the answer's."""
    desk.shown(asking("r1"))
    desk.ask(asking("r2"))
    desk.answer(given("session"))
    desk.journal.expect(
        Append(id=2, after=1, records=(asking("r2"),)),
        Append(id=3, after=2, records=(answered("session"),)),
    )
    desk.journal.tell(APPROVALS, Appended(id=3))
    desk.engine.expect(storing(asking("r1")))
    desk.engine.tell(APPROVALS, GrantStored(id="r1", policy_version=2))
    desk.engine.tell(APPROVALS, PolicyChanged(policy_version=2))
    desk.engine.expect(judging(asking("r2")))
    desk.primary.expect(answered("session"))
    desk.engine.tell(APPROVALS, verdict("r2", "allow"))
    desk.journal.expect(Append(id=4, after=3, records=(by_rule("r2"),)))

    desk.journal.tell(APPROVALS, Appended(id=2))
    desk.journal.tell(APPROVALS, Appended(id=4))
    desk.primary.expect(by_rule("r2"))
    desk.retracted("r1")
    desk.console.expect_nothing_more()


def test_when_the_rules_change_what_is_denied_now_ends_with_its_reason_and_what_is_allowed_runs(
    desk: Desk,
) -> None:
    requests = [asking(each) for each in ("r1", "r2", "r3")]
    for position, request in enumerate(requests):
        desk.shown(request, waiting=position + 1)
    desk.engine.tell(APPROVALS, PolicyChanged(policy_version=2))
    desk.engine.expect(*map(judging, requests))
    for _ in range(2):
        desk.engine.tell(APPROVALS, verdict("r1", "deny"))
        desk.engine.tell(APPROVALS, verdict("r2", "allow"))
        desk.engine.tell(APPROVALS, verdict("r3", "ask"))
    desk.written(by_rule("r2"))

    reason = "it is denied now: a grant"
    desk.primary.expect(ApprovalUnavailable(id="r1", agent=PRIMARY, reason=reason), by_rule("r2"))
    desk.withdrawn("r1")
    desk.retracted("r2")
    desk.answer(given("once", "r3"))
    desk.written(answered("once", "r3"))
    desk.primary.expect(answered("once", "r3"))
    desk.primary.expect_nothing_more()


def test_a_request_whose_verdict_was_given_before_a_change_is_judged_anew_as_it_comes(
    desk: Desk,
) -> None:
    desk.engine.tell(APPROVALS, PolicyChanged(policy_version=2))
    late = asking().model_copy(update={"policy_version": 1})
    desk.shown(late)
    desk.engine.expect(judging(late))
    current = asking("r2").model_copy(update={"policy_version": 2})
    desk.shown(current, waiting=2)
    desk.engine.expect_nothing_more()
    desk.engine.tell(APPROVALS, verdict("r1", "allow"))
    desk.written(by_rule("r1"))
    desk.primary.expect(by_rule("r1"))


def test_a_verdict_that_comes_after_a_persons_answer_changes_nothing(desk: Desk) -> None:
    desk.shown(asking())
    desk.answer(given("no"))
    desk.engine.tell(APPROVALS, verdict("r1", "allow"))
    desk.engine.tell(APPROVALS, verdict("r1", "deny"))
    desk.written(answered("no"))

    desk.primary.expect(answered("no"))


@pytest.mark.parametrize(
    ("offered", "chosen", "counts_as"),
    [
        (("once", "no"), "session", "once"),
        (("session", "no"), "once", "no"),
        (("no",), "session", "no"),
    ],
)
def test_an_answer_that_was_not_offered_counts_as_less(
    desk: Desk,
    offered: tuple[ApprovalDecision, ...],
    chosen: ApprovalDecision,
    counts_as: ApprovalDecision,
) -> None:
    desk.shown(asking(answers=offered))
    desk.answer(given(chosen))

    desk.written(answered(counts_as))
    desk.primary.expect(answered(counts_as))
    desk.engine.expect_nothing_more()


def test_what_may_be_granted_no_longer_counts_as_once_and_the_person_is_told(desk: Desk) -> None:
    """As where they have begun to plan since it was shown."""
    desk.shown(asking())
    desk.engine.tell(APPROVALS, verdict("r1", "ask"))  # with nothing to grant
    desk.answer(given("session"))

    desk.console.expect(StoreGrantFailed(id="r1", detail=ONLY_ONCE))
    desk.written(answered("once"))
    desk.primary.expect(answered("once"))
    desk.engine.expect_nothing_more()


# Answers to nothing.


def test_answers_to_what_is_not_on_the_screen_change_nothing(desk: Desk) -> None:
    desk.ask(asking("r1"))
    desk.answer(given("once", "r1"))
    desk.answer(given("once", "unknown"))

    desk.written(asking("r1"))
    desk.console.expect(ShowApproval(request=asking("r1"), waiting=1))
    desk.shown(asking("r2"), waiting=2)


def test_the_second_answer_changes_nothing(desk: Desk) -> None:
    desk.shown(asking())
    desk.answer(given("no"))
    desk.answer(given("once"))
    desk.written(answered("no"))
    desk.answer(given("once"))

    desk.primary.expect(answered("no"))
    desk.retracted()
    desk.shown(asking("r2"))


def test_a_request_that_comes_again_is_not_asked_again(desk: Desk) -> None:
    desk.shown(asking())
    desk.ask(asking())
    desk.answer(given("once"))
    desk.written(answered("once"))
    desk.retracted()
    desk.ask(asking())

    desk.shown(asking("r2"))


# Withdrawn.


def test_a_withdrawn_request_leaves_the_screen_and_nobody_is_told_of_a_refusal(desk: Desk) -> None:
    desk.shown(asking())
    desk.primary.tell(APPROVALS, ApprovalWithdrawn(id="r1"))
    desk.withdrawn()
    desk.written(ApprovalWithdrawn(id="r1"))
    desk.answer(given("once"))

    desk.shown(asking("r2"))
    desk.primary.expect_nothing_more()


def test_a_request_withdrawn_before_it_was_shown_never_is(desk: Desk) -> None:
    desk.ask(asking())
    desk.primary.tell(APPROVALS, ApprovalWithdrawn(id="r1"))
    desk.written(asking())
    desk.written(ApprovalWithdrawn(id="r1"))

    desk.shown(asking("r2"))


def test_a_request_withdrawn_while_its_answer_is_written_is_not_answered(desk: Desk) -> None:
    desk.shown(asking())
    desk.answer(given("session"))
    desk.primary.tell(APPROVALS, ApprovalWithdrawn(id="r1"))
    desk.withdrawn()
    desk.written(answered("session"))
    desk.written(ApprovalWithdrawn(id="r1"))

    desk.shown(asking("r2"))
    desk.primary.expect_nothing_more()
    desk.engine.expect_nothing_more()


def test_a_subtree_is_withdrawn_by_whole_segments(desk: Desk) -> None:
    agents = {
        "r1": Address("/primary/general-1"),
        "r2": Address("/primary/general-1/explore-1"),
        "r3": Address("/primary/general-10"),
        "r4": PRIMARY,
    }
    for waiting, (approval, agent) in enumerate(agents.items(), start=1):
        desk.shown(asking(approval, agent), waiting)
    desk.primary.tell(APPROVALS, WithdrawApprovals(under=Address("/primary/general-1")))

    desk.withdrawn("r1")
    desk.withdrawn("r2")
    desk.written(ApprovalWithdrawn(id="r1"))
    desk.written(ApprovalWithdrawn(id="r2"))
    desk.shown(asking("r5"), waiting=3)


# Nobody is there, or the disk refuses.


def test_where_nobody_can_be_asked_a_request_is_refused_at_once(system: ActorSystem) -> None:
    desk = opened(system)
    desk.console.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=False))
    desk.ask(asking())

    reason = "nobody can be asked here"
    desk.primary.expect(ApprovalUnavailable(id="r1", agent=PRIMARY, reason=reason))
    desk.journal.expect_nothing_more()


@pytest.mark.parametrize("somebody", [True, False])
def test_what_comes_before_it_is_known_whether_somebody_is_there_waits(
    system: ActorSystem, *, somebody: bool
) -> None:
    desk = opened(system)
    desk.ask(asking())
    desk.journal.expect_nothing_more()
    desk.console.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=somebody))
    if somebody:
        desk.written(asking())
        desk.console.expect(ShowApproval(request=asking(), waiting=1))
    else:
        desk.primary.expect_kind(ApprovalUnavailable)


def test_a_console_that_goes_refuses_what_waits_and_what_comes_after(desk: Desk) -> None:
    desk.shown(asking("r1"))
    desk.shown(asking("r2"), waiting=2)
    desk.console.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=False, reason=NOBODY))
    desk.ask(asking("r3"))

    desk.primary.expect(
        *(ApprovalUnavailable(id=each, agent=PRIMARY, reason=NOBODY) for each in ("r1", "r2", "r3"))
    )


def test_an_answer_given_before_the_console_went_still_counts(desk: Desk) -> None:
    desk.shown(asking())
    desk.answer(given("once"))
    desk.console.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=False, reason=NOBODY))
    desk.written(answered("once"))

    desk.primary.expect(answered("once"))


def test_people_can_be_asked_again_when_the_console_is_back(desk: Desk) -> None:
    desk.console.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=False, reason=NOBODY))
    desk.console.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=True))

    desk.shown(asking())


def test_a_request_that_could_not_be_written_is_refused_unseen(desk: Desk) -> None:
    desk.ask(asking())
    desk.journal.expect_kind(Append)
    desk.journal.tell(APPROVALS, AppendFailed(id=1, detail="disk full"))

    reason = "the session could not be written: disk full"
    desk.primary.expect(ApprovalUnavailable(id="r1", agent=PRIMARY, reason=reason))
    desk.console.expect_nothing_more()


def test_an_answer_that_could_not_be_written_is_not_delivered(desk: Desk) -> None:
    desk.shown(asking())
    desk.answer(given("session"))
    desk.journal.expect_kind(Append)
    desk.journal.tell(APPROVALS, AppendFailed(id=2, detail="disk full"))

    refused = desk.primary.expect_kind(ApprovalUnavailable)
    assert refused.reason == "the session could not be written: disk full"
    desk.withdrawn()
    desk.engine.expect_nothing_more()


def test_news_about_nothing_changes_nothing(desk: Desk) -> None:
    desk.shown(asking())
    desk.engine.tell(APPROVALS, GrantStored(id="r1", policy_version=2))
    desk.engine.tell(APPROVALS, PolicyChanged(policy_version=2))
    desk.engine.expect(judging(asking()))
    for news in (Appended(id=1), Appended(id=99), AppendFailed(id=1, detail="?")):
        desk.journal.tell(APPROVALS, news)
    desk.engine.tell(APPROVALS, StoreGrantFailed(id="r9", detail="?"))
    desk.engine.tell(APPROVALS, verdict("r9", "allow"))
    desk.primary.tell(APPROVALS, ApprovalWithdrawn(id="r9"))

    desk.answer(given("once"))
    desk.appends = 1
    desk.written(answered("once"))
    desk.primary.expect(answered("once"))


# Questions.


def asking_two() -> QuestionRequest:
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
        questions=(UserQuestion(question="One?"), UserQuestion(question="Two?")),
    )


def test_replies_are_on_disk_before_they_are_delivered(desk: Desk) -> None:
    desk.shown(asking_two())
    desk.answer(SubmitDecision(id="r1", decision="once", answers=("1", "2")))

    answered = ApprovalDecided(id="r1", agent=PRIMARY, decision="once", answers=("1", "2"))
    desk.written(answered)
    desk.primary.expect(answered)


def test_a_question_with_a_reply_too_few_counts_as_not_answered(desk: Desk) -> None:
    desk.shown(asking_two())
    desk.answer(SubmitDecision(id="r1", decision="once", answers=("1",)))

    desk.written(ApprovalDecided(id="r1", agent=PRIMARY, decision="no"))
