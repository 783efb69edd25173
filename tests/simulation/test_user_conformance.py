"""A simulated person sees what the real screen sees: its own state machine, behind the console."""

import pytest

from messages.address import PRIMARY
from messages.approvals import (
    AnyApprovalRequest,
    DismissApproval,
    ExecApprovalRequest,
    ShowApproval,
    SubmitDecision,
)
from messages.base import Message
from messages.policy import PermissionRequest
from shell.console.screen_events import ScreenEventQueue
from tests.simulation.simulated_loop import SimulatedLoop, make_random, make_simulated_loop
from tests.simulation.simulated_user import SimulatedUser

pytestmark = pytest.mark.quick

SEEDS = range(40)


def make_request(number: int) -> ExecApprovalRequest:
    return ExecApprovalRequest(
        id=f"/primary#{number}@1",
        agent=PRIMARY,
        turn=1,
        call_id=f"call-{number}",
        tool="bash",
        cwd="/work",
        reason="every command asks",
        requests=(PermissionRequest(permission="bash", target="true"),),
        available_decisions=("once", "no"),
        command="true",
    )


class UserFixture:
    """A person with an inbox, and all that they looked at and said."""

    def __init__(self, seed: int) -> None:
        self.loop: SimulatedLoop = make_simulated_loop(make_random(seed, "loop"))
        self.shown_requests: list[AnyApprovalRequest] = []
        self.sent_messages: list[Message] = []
        self.user = SimulatedUser(
            self.loop, make_random(seed, "person"), self.shown_requests.append
        )
        self.inbox = ScreenEventQueue()
        self.user.start_run(self.inbox, self.sent_messages.append, prompts=0)

    def run_until_idle(self) -> None:
        self.loop.run(lambda: False)

    def list_decisions(self) -> list[SubmitDecision]:
        return [each for each in self.sent_messages if isinstance(each, SubmitDecision)]


def test_a_question_that_is_pressed_for_is_answered_and_leaves_the_screen() -> None:
    for seed in SEEDS:
        desk = UserFixture(seed)
        desk.inbox.put(ShowApproval(request=make_request(1), parked_count=1))
        desk.run_until_idle()
        desk.user.finish()
        desk.run_until_idle()
        assert desk.user.open_request_ids == ()
        assert {each.id for each in desk.list_decisions()} == {make_request(1).id}


def test_a_retracted_question_is_not_looked_at_again() -> None:
    for seed in SEEDS:
        desk = UserFixture(seed)
        desk.inbox.put(ShowApproval(request=make_request(1), parked_count=1))
        desk.inbox.put(DismissApproval(id=make_request(1).id, outcome="withdrawn"))
        desk.run_until_idle()
        desk.user.finish()
        desk.run_until_idle()
        assert desk.user.open_request_ids == ()
        assert len(desk.shown_requests) == 1


def test_people_answer_in_every_way_late_twice_and_not_at_all() -> None:
    counts: set[int] = set()
    answers: set[str] = set()
    for seed in SEEDS:
        desk = UserFixture(seed)
        desk.inbox.put(ShowApproval(request=make_request(1), parked_count=1))
        desk.run_until_idle()
        counts.add(len(desk.list_decisions()))
        answers.update(each.decision for each in desk.list_decisions())
    assert counts == {0, 1, 2}
    assert {"once", "no"} <= answers
