"""What the planted faults do: the code of actors, wrong in one place each."""

import asyncio
from dataclasses import replace
from typing import Any

from actors.agents import agent, calls, settling
from actors.agents.effects import StopCall
from actors.agents.resume import past_of
from actors.agents.state import AgentState, CallStage, RestoredState, ToolCall
from actors.agents.step import Transition
from actors.permissions import engine
from actors.permissions.changing import PolicyUpdate, changed
from actors.root import RootSupervisor
from actors.runtime.lanes import StopOrder
from actors.runtime.life import Life
from actors.runtime.works import Works
from actors.session import SessionOptions
from actors.sessions.journal import Journal
from actors.sessions.runs import last_config
from messages.address import APPROVALS, CONSOLE, PRIMARY, ROOT, Address
from messages.agents import ChildCancelled, ChildEnded
from messages.approvals import (
    ApprovalDecided,
    ApprovalUnavailable,
    DismissApproval,
    ShowApproval,
    SubmitDecision,
    WithdrawApprovals,
)
from messages.base import Message
from messages.permissions import (
    EvaluationFinished,
    PermissionDecision,
    RegisterAgent,
    ReplaceRules,
    StoreGrant,
)
from messages.rules import GrantScope, PermissionMode, Policy, Rule
from messages.tools import CallPlan
from messages.transcript import Append, Appended, Record
from tests.actors.agents import faults as of_turns
from tests.simulation.commands import SimulatedProcesses

Innards = Any
"""What a fault reaches into; no other code does."""


def nothing(*_given: object) -> None:
    """Do not do it."""


def always(*_given: object) -> bool:
    """Say yes."""
    return True


def never(*_given: object) -> bool:
    """Say no."""
    return False


# Calls.


def forgets_results_of_cancelled_calls(step: Transition) -> None:
    for call in step.turn.calls:
        if call.stage in (CallStage.PLANNING, CallStage.RUNNING):
            step.do(StopCall(call.use.id))
        else:
            step.put(call, stage=CallStage.DONE)
    settling.proceed(step)


def writes_results_twice(step: Transition, call: ToolCall, status: Any, text: str) -> None:  # noqa: ANN401
    CLOSE(step, call, status, text)
    CLOSE(step, call, status, text)


CLOSE: Any = settling.close


def keeps_a_yes_after_a_drift(
    step: Transition, call: ToolCall, plan: CallPlan, **changes: Any
) -> None:
    JUDGE(step, call, plan, **({"approved": True} if call.drifts else changes))


JUDGE: Any = vars(calls)["_judge"]

RUN: Any = vars(calls)["_run"]


def starts_before_the_disk(step: Transition, call: ToolCall) -> None:
    RUN(step, call)


def runs_again(records: tuple[Record, ...], blank: AgentState) -> RestoredState:
    return of_turns.begins_again_what_began(past_of(records, blank))


async def leaves_a_command_at_work(
    _self: SimulatedProcesses, working: "asyncio.Future[None]", *, deaf: bool
) -> None:
    if not deaf:
        working.cancel()


WORK_DONE: Any = vars(Works)["_done"]


def drops_cancelled_outcomes(self: Innards, work: int, task: "asyncio.Task[Message]") -> None:
    if task.cancelled():
        self._failed.pop(work, None)
        del self._tasks[work]
    else:
        WORK_DONE(self, work, task)


# Permission and approval.


def allows_what_asks(_to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    if isinstance(message, PermissionDecision) and message.action == "ask":
        message = message.model_copy(update={"action": "allow"})
    return (message,)


def takes_a_no_for_a_yes(to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    if isinstance(message, SubmitDecision) and to == APPROVALS:
        message = SubmitDecision(id=message.id, decision="once")
    return (message,)


def answers_and_refuses(_to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    if isinstance(message, ApprovalDecided):
        refused = ApprovalUnavailable(id=message.id, agent=message.agent, reason="planted")
        return message, refused
    return (message,)


def shows_what_it_retracts(to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    if isinstance(message, ShowApproval) and to == CONSOLE:
        SHOWN[message.request.id] = message
    if isinstance(message, DismissApproval) and message.id in SHOWN:
        return message, SHOWN.pop(message.id)
    return (message,)


SHOWN: dict[str, ShowApproval] = {}


def delivers_before_the_disk(self: Innards, parked: Any, answer: ApprovalDecided) -> None:  # noqa: ANN401
    parked.answer = answer
    self._write(answer)
    self._deliver(answer.id)


def leaves_its_questions_behind(self: Innards) -> None:
    tell = self.tell

    def told(to: Address, message: Message) -> None:
        if not isinstance(message, WithdrawApprovals):
            tell(to, message)

    self.tell = told
    try:
        AGENT_STARTS(self)
    finally:
        del self.tell


AGENT_STARTS: Any = agent.Agent.on_start


# Modes and grants.


def holds_at_once(
    tight: tuple[PolicyUpdate, ...], change: PolicyUpdate
) -> tuple[PolicyUpdate, ...]:
    return (*tight, change)


def as_it_is(_self: Innards, policy: Policy) -> Policy:
    return policy


def revokes_nothing(policy: Policy, _rule: Rule, _scope: GrantScope) -> Policy:
    return replace(policy, policy_version=policy.policy_version + 1)


def revokes_all(policy: Policy, _rule: Rule, _scope: GrantScope) -> Policy:
    return replace(policy, grants=(), project_grants=(), policy_version=policy.policy_version + 1)


def grants_more(_to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    if isinstance(message, StoreGrant):
        wide = tuple(
            replace(rule, pattern="work *") if rule.permission == "bash" else rule
            for rule in message.rules
        )
        return (message.model_copy(update={"rules": wide}),)
    return (message,)


def grants_for_longer(_to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    if isinstance(message, StoreGrant):
        return (message.model_copy(update={"scope": "project"}),)
    return (message,)


def makes_what_the_disk_refused(self: Innards, _detail: str) -> None:
    if self._pending.first is not None:
        self._made(changed(self._policy, self._pending.first))


def keeps_any_mode(options: SessionOptions, records: tuple[Record, ...]) -> PermissionMode:
    config = last_config(records)
    return config.mode if config else options.mode


def remembers_any_mode(
    policy: Policy, records: tuple[Record, ...], incarnation: int
) -> tuple[Policy, ReplaceRules | None]:
    policy, loaded = REMEMBERED(policy, records, incarnation)
    config = last_config(records)
    return (replace(policy, mode=config.mode) if config else policy), loaded


REMEMBERED: Any = vars(engine)["remembered"]


def registers_anyone_as_build(
    _to: Address, message: Message, _sender: Address
) -> tuple[Message, ...]:
    if isinstance(message, RegisterAgent):
        profile = replace(message.profile, mode="yolo", disallowed_tools=())
        return (message.model_copy(update={"profile": profile}),)
    return (message,)


def passes_on_what_is_out_of_date(self: Innards, judged: EvaluationFinished) -> None:
    _, asker = self._judging.pop(judged.evaluation_id)
    self.tell(asker, judged.decision)


# Records.


def acknowledges_at_once(self: Innards, append: Append) -> None:
    TAKE(self, append)
    self.tell(self.sender, Appended(id=append.id))


TAKE: Any = vars(Journal)["_take"]


# Lives.


def ignores_the_ends_of_services(self: Innards, message: ChildEnded) -> None:
    if message.child == PRIMARY:
        ROOT_RECEIVES(self, message)


ROOT_RECEIVES: Any = RootSupervisor.on_receive


def hears_an_end_again(self: Innards, child: Address, end: ChildEnded) -> None:
    CHILD_GONE(self, child, end)
    if child == CONSOLE:
        self._tell_own(end, child)


def does_not_hear_of_ends(self: Innards, child: Address, end: ChildEnded) -> None:
    if self.address == ROOT and child != CONSOLE:
        CHILD_GONE(self, child, end)
    else:
        self._children.remove(child)


CHILD_GONE: Any = vars(Life)["_child_gone"]


def falls_asleep_over_its_mail(self: Innards) -> None:
    parcel = self._lanes.take()
    self._scheduled = False
    if parcel is not None:
        self.handle(parcel)


def stops_at_once(self: Innards, order: StopOrder) -> None:
    self._wind_down(ChildCancelled(child=self.address), order.deadline_s)
