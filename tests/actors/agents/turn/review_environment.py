"""A random environment in which the user also starts reviews, and what must hold for them."""

from collections import Counter
from dataclasses import dataclass, field

from actors.agents.turn.conversation_history import ConversationHistory
from actors.agents.turn.effects import (
    AskForSpawn,
    BroadcastToChildren,
    Effect,
    EvaluateReview,
    PrepareReview,
    ReturnSlot,
    StartChild,
    WriteRecord,
)
from actors.agents.turn.limits import Limits
from actors.agents.turn.self_messages import ReviewPrepared
from actors.agents.turn.state_machine import TurnMessage, advance
from actors.agents.turn.subagent_tasks import ChildEvent, RelevantEvent
from messages.address import Address
from messages.child_lifecycle import ChildCompleted, ChildFailed
from messages.content import TextBlock
from messages.journal import Record
from messages.reviews import CustomTarget, ReviewEnded, ReviewStarted, StartReview
from messages.subagents import SpawnAdmitted, SpawnRejected, SubagentEnded, SubagentStarted
from messages.turns import ReplyCompleted, TurnCompleted, TurnFailed, TurnInterrupted
from tests.actors.agents.turn import message_builders
from tests.actors.agents.turn.message_builders import NO_LIMITS, USAGE
from tests.actors.agents.turn.random_environment import (
    DECISIONS,
    Advance,
    EnvironmentStep,
    RandomEnvironment,
)
from tests.actors.agents.turn.retry_invariants import RetryInvariants
from tests.actors.agents.turn.turn_invariants import TurnInvariants

REPLIES = (
    '{"findings": [{"title": "[P1] Check it", "priority": 1}, 7]}',
    "Looks good.",
    " ",
)
ReviewEffect = (
    EvaluateReview | PrepareReview | AskForSpawn | StartChild | ReturnSlot | BroadcastToChildren
)
"""The effects that reviews add to those of a turn."""
DeliveredOnce = ReviewPrepared | ChildEvent | ChildCompleted | ChildFailed
"""Messages that the runtime never delivers twice."""


@dataclass
class ReviewInvariants(TurnInvariants):
    """Adds to the invariants of a turn that each review has one start and one end."""

    started: Counter[str] = field(default_factory=Counter[str])
    ended: Counter[str] = field(default_factory=Counter[str])
    running_children: set[Address] = field(default_factory=set[Address])

    def _load_record(self, record: Record) -> None:
        super()._load_record(record)
        self._count(record)

    def _check_effect(self, effect: Effect) -> None:
        if isinstance(effect, WriteRecord):
            self._count(effect.record)
        if not isinstance(effect, ReviewEffect):
            super()._check_effect(effect)

    def _count(self, record: Record) -> None:
        match record:
            case ReviewStarted():
                self.started[record.id] += 1
                assert self.started[record.id] == 1, "a review started twice"
            case ReviewEnded():
                self.ended[record.id] += 1
                assert self.ended[record.id] <= self.started[record.id], "a review ended twice"
                assert (record.output is not None) == (record.status == "completed")
            case SubagentStarted():
                assert record.child not in self.running_children
                self.running_children.add(record.child)
            case SubagentEnded():
                self.running_children.remove(record.child)
            case _:
                pass

    def check_idle(self) -> None:
        super().check_idle()
        assert self.started == self.ended, "a review did not end"
        assert self.running_children == set(), "the task of a review did not end"


class ReviewEnvironment(RandomEnvironment):
    """Answers what a review asks for: files that may be read, changes, a spawn, a subagent."""

    def __init__(
        self,
        seed: int,
        *,
        run: int = 1,
        step: Advance = advance,
        disk_may_fail: bool = False,
        limits: Limits = NO_LIMITS,
    ) -> None:
        """As in `RandomEnvironment`; `run` is part of the ids of its reviews."""
        super().__init__(seed, step=step, disk_may_fail=disk_may_fail, limits=limits)
        self.invariants = ReviewInvariants(RetryInvariants(limits=limits))
        self._run = run
        self._review_count = 0
        self._preparations: list[str] = []

    def deliver(self, message: TurnMessage) -> None:
        super().deliver(message)
        if isinstance(message, DeliveredOnce):
            self.delivered_messages.remove(message)

    def run_to_idle(self) -> None:
        super().run_to_idle()
        assert self.state.reviews.open == {}
        restored = ConversationHistory()
        for record in self.disk_records:
            restored.add(record)
        assert restored.messages == self.invariants.history.messages, "a resume changes the history"

    def _list_steps(self) -> list[EnvironmentStep]:
        steps = super()._list_steps()
        steps += [self._finish_preparation] if self._preparations else []
        steps += [self._start_review] if self._has_disturbances else []
        return steps

    def _start_review(self) -> None:
        if self._chance(0.2):
            self._review_count += 1
            review_id = f"{self._run}-{self._review_count}"
            self.deliver(StartReview(id=review_id, target=CustomTarget(instructions="look")))

    def _execute(self, effect: Effect) -> None:
        match effect:
            case EvaluateReview():
                action = self.random.choice(DECISIONS)
                self._post("engine", message_builders.make_decision(effect.id, action))
            case PrepareReview():
                self._preparations.append(effect.id)
            case AskForSpawn():
                self._answer_spawn(effect.call_id)
            case StartChild():
                self._start_child(effect)
            case _:
                super()._execute(effect)

    def _finish_preparation(self) -> None:
        review_id = self._preparations.pop(self.random.randrange(len(self._preparations)))
        if self._chance(0.8):
            self.deliver(ReviewPrepared(id=review_id, prompt="look"))
        else:
            failure = self.random.choice(("nothing_to_review", "invalid_target", "failed"))
            fields = {"id": review_id, "failure": failure, "detail": "why"}
            self.deliver(ReviewPrepared.model_validate(fields))

    def _answer_spawn(self, review_id: str) -> None:
        if self._chance(0.1):
            self._post("root", SpawnRejected(call_id=review_id, detail="too many"))
        else:
            self._post("root", SpawnAdmitted(call_id=review_id, name=f"review-{review_id}"))

    def _start_child(self, effect: StartChild) -> None:
        assert effect.started in self.disk_records, "a review started before its record"
        child = effect.started.child
        text = self.random.choice(REPLIES)
        reply = ReplyCompleted(
            turn=1,
            content=(TextBlock(text=text),),
            stop_reason="end_turn",
            usage=USAGE,
            model="m",
            task_number=1,
        )
        interrupted = TurnInterrupted(turn=1, task_number=1)
        failed = TurnFailed(turn=1, reason="overloaded", detail="why", task_number=1)
        completed = TurnCompleted(
            turn=1, text=text, stop_reason="end_turn", usage=USAGE, task_number=1
        )
        scripts: list[list[RelevantEvent]] = [
            [reply, completed],
            [interrupted],
            [reply, failed],
            [],
        ]
        events = self.random.choice(scripts)
        for event in events:
            self._post(child, ChildEvent(child, event))
        is_fault = not events and self._chance(0.8)
        end = ChildFailed(child=child, cause="crash") if is_fault else ChildCompleted(child=child)
        self._post(child, end)
