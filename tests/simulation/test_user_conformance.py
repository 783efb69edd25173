"""The simulated user sees requests through the real screen's state machine."""

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
from shell.console.screen_event_queue import ScreenEventQueue
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
        reason="bash asks by default",
        requests=(PermissionRequest(permission="bash", target="true"),),
        available_decisions=("once", "no"),
        command="true",
    )


class UserFixture:
    """A user with an event queue, the requests that appeared and the messages that were sent."""

    def __init__(self, seed: int) -> None:
        self.loop: SimulatedLoop = make_simulated_loop(make_random(seed, "loop"))
        self.shown_requests: list[AnyApprovalRequest] = []
        self.sent_messages: list[Message] = []
        self.user = SimulatedUser(self.loop, make_random(seed, "user"), self.shown_requests.append)
        self.events = ScreenEventQueue()
        self.user.start_run(self.events, self.sent_messages.append, prompts=0)

    def run_until_idle(self) -> None:
        self.loop.run(lambda: False)

    def list_decisions(self) -> list[SubmitDecision]:
        return [message for message in self.sent_messages if isinstance(message, SubmitDecision)]


def test_a_finishing_user_decides_every_open_request() -> None:
    for seed in SEEDS:
        fixture = UserFixture(seed)
        fixture.events.put(ShowApproval(request=make_request(1), parked_count=1))
        fixture.run_until_idle()
        fixture.user.finish()
        fixture.run_until_idle()
        assert fixture.user.open_request_ids == ()
        assert {decision.id for decision in fixture.list_decisions()} == {make_request(1).id}


def test_a_dismissed_request_is_not_shown_again() -> None:
    for seed in SEEDS:
        fixture = UserFixture(seed)
        fixture.events.put(ShowApproval(request=make_request(1), parked_count=1))
        fixture.events.put(DismissApproval(id=make_request(1).id, outcome="withdrawn"))
        fixture.run_until_idle()
        fixture.user.finish()
        fixture.run_until_idle()
        assert fixture.user.open_request_ids == ()
        assert len(fixture.shown_requests) == 1


def test_users_decide_once_twice_or_not_at_all() -> None:
    counts: set[int] = set()
    decisions: set[str] = set()
    for seed in SEEDS:
        fixture = UserFixture(seed)
        fixture.events.put(ShowApproval(request=make_request(1), parked_count=1))
        fixture.run_until_idle()
        counts.add(len(fixture.list_decisions()))
        decisions.update(decision.decision for decision in fixture.list_decisions())
    assert counts == {0, 1, 2}
    assert {"once", "no"} <= decisions
