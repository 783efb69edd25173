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
from messages.rules import PermissionRequest
from shell.inbox import ScreenEventQueue
from tests.simulation.loop import SimLoop, random_of, sim_loop
from tests.simulation.person import SimulatedPerson

pytestmark = pytest.mark.quick

SEEDS = range(40)


def asking(number: int) -> ExecApprovalRequest:
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


class Desk:
    """A person with an inbox, and all that they looked at and said."""

    def __init__(self, seed: int) -> None:
        self.loop: SimLoop = sim_loop(random_of(seed, "loop"))
        self.looked: list[AnyApprovalRequest] = []
        self.said: list[Message] = []
        self.person = SimulatedPerson(self.loop, random_of(seed, "person"), self.looked.append)
        self.inbox = ScreenEventQueue()
        self.person.sit_down(self.inbox, self.said.append, prompts=0)

    def until_nothing_happens(self) -> None:
        self.loop.run(lambda: False)

    def answers(self) -> list[SubmitDecision]:
        return [each for each in self.said if isinstance(each, SubmitDecision)]


def test_a_question_that_is_pressed_for_is_answered_and_leaves_the_screen() -> None:
    for seed in SEEDS:
        desk = Desk(seed)
        desk.inbox.put(ShowApproval(request=asking(1), waiting=1))
        desk.until_nothing_happens()
        desk.person.press()
        desk.until_nothing_happens()
        assert desk.person.open_questions == ()
        assert {each.id for each in desk.answers()} == {asking(1).id}


def test_a_retracted_question_is_not_looked_at_again() -> None:
    for seed in SEEDS:
        desk = Desk(seed)
        desk.inbox.put(ShowApproval(request=asking(1), waiting=1))
        desk.inbox.put(DismissApproval(id=asking(1).id, why="withdrawn"))
        desk.until_nothing_happens()
        desk.person.press()
        desk.until_nothing_happens()
        assert desk.person.open_questions == ()
        assert len(desk.looked) == 1


def test_people_answer_in_every_way_late_twice_and_not_at_all() -> None:
    counts: set[int] = set()
    answers: set[str] = set()
    for seed in SEEDS:
        desk = Desk(seed)
        desk.inbox.put(ShowApproval(request=asking(1), waiting=1))
        desk.until_nothing_happens()
        counts.add(len(desk.answers()))
        answers.update(each.decision for each in desk.answers())
    assert counts == {0, 1, 2}
    assert {"once", "no"} <= answers
