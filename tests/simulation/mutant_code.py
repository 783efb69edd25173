"""What the planted faults do: the code of actors, wrong in one place each."""

import asyncio
from dataclasses import replace
from typing import Any

from actors.agents import agent
from actors.agents.restore.restored_state import restore
from actors.agents.turn import call_completion, call_lifecycle
from actors.agents.turn.agent_state import AgentState, CallStage, RestoredState, ToolCall
from actors.agents.turn.effects import CancelCall
from actors.agents.turn.transition import Transition
from actors.permissions import engine
from actors.permissions.evaluation_job import EvaluationFinished
from actors.permissions.policy_changes import PolicyUpdate, apply_update
from actors.runtime.cell import Cell
from actors.runtime.jobs import Jobs
from actors.runtime.mailbox import StopCell
from actors.sessions.journal import Journal
from actors.sessions.run_info import find_last_settings
from actors.supervisor.supervisor import RootSupervisor
from actors.wiring.session_setup import SessionOptions
from messages.address import APPROVALS, CONSOLE, PRIMARY, ROOT, Address
from messages.approvals import (
    ApprovalDecided,
    ApprovalUnavailable,
    DismissApproval,
    ShowApproval,
    SubmitDecision,
    WithdrawApprovals,
)
from messages.base import Message
from messages.child_lifecycle import ChildCancelled, ChildEnded
from messages.journal import Append, Appended, Record
from messages.permissions import (
    PermissionDecision,
    RegisterAgent,
    ReplaceRules,
    StoreGrant,
)
from messages.policy import GrantScope, PermissionMode, Policy, Rule
from messages.tool_calls import CallPlan
from tests.actors.agents.turn import turn_mutants as of_turns
from tests.simulation.simulated_command_runner import SimulatedCommandRunner

Internals = Any
"""What a fault reaches into; no other code does."""


def do_nothing(*_given: object) -> None:
    """Do not do it."""


def always_true(*_given: object) -> bool:
    """Say yes."""
    return True


def always_false(*_given: object) -> bool:
    """Say no."""
    return False


# Calls.


def lose_results_of_cancelled_calls(step: Transition) -> None:
    for call in step.state.calls:
        if call.stage in (CallStage.PLANNING, CallStage.RUNNING):
            step.emit(CancelCall(call.tool_use.id))
        else:
            step.update_call(call, stage=CallStage.DONE)
    call_completion.continue_turn(step)


def write_results_twice(step: Transition, call: ToolCall, status: Any, text: str) -> None:  # noqa: ANN401
    ORIGINAL_CLOSE(step, call, status, text)
    ORIGINAL_CLOSE(step, call, status, text)


ORIGINAL_CLOSE: Any = call_completion.record_result


def keep_approval_after_target_change(
    step: Transition, call: ToolCall, plan: CallPlan, **changes: Any
) -> None:
    ORIGINAL_JUDGE(step, call, plan, **({"is_approved": True} if call.target_changes else changes))


ORIGINAL_JUDGE: Any = vars(call_lifecycle)["_evaluate"]

ORIGINAL_RUN: Any = vars(call_lifecycle)["_run"]


def run_before_start_is_synced(step: Transition, call: ToolCall) -> None:
    ORIGINAL_RUN(step, call)


def rerun_started_calls(records: tuple[Record, ...], blank: AgentState) -> RestoredState:
    return of_turns.rerun_started_calls(restore(records, blank))


async def leave_command_running(
    _self: SimulatedCommandRunner, working: "asyncio.Future[None]", *, deaf: bool
) -> None:
    if not deaf:
        working.cancel()


ORIGINAL_JOB_DONE: Any = vars(Jobs)["_on_task_done"]


def drop_cancelled_outcomes(self: Internals, work: int, task: "asyncio.Task[Message]") -> None:
    if task.cancelled():
        self._failure_handlers.pop(work, None)
        del self._tasks[work]
    else:
        ORIGINAL_JOB_DONE(self, work, task)


# Permission and approval.


def allow_instead_of_ask(_to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    if isinstance(message, PermissionDecision) and message.action == "ask":
        message = message.model_copy(update={"action": "allow"})
    return (message,)


def treat_no_as_once(to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    if isinstance(message, SubmitDecision) and to == APPROVALS:
        message = SubmitDecision(id=message.id, decision="once")
    return (message,)


def send_decision_and_unavailable(
    _to: Address, message: Message, _sender: Address
) -> tuple[Message, ...]:
    if isinstance(message, ApprovalDecided):
        refused = ApprovalUnavailable(id=message.id, agent=message.agent, reason="planted")
        return message, refused
    return (message,)


def show_after_dismiss(to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    if isinstance(message, ShowApproval) and to == CONSOLE:
        SHOWN_REQUESTS[message.request.id] = message
    if isinstance(message, DismissApproval) and message.id in SHOWN_REQUESTS:
        return message, SHOWN_REQUESTS.pop(message.id)
    return (message,)


SHOWN_REQUESTS: dict[str, ShowApproval] = {}


def deliver_before_sync(self: Internals, parked: Any, answer: ApprovalDecided) -> None:  # noqa: ANN401
    parked.answer = answer
    self._write(answer)
    self._deliver(answer.id)


def skip_withdrawal_after_crash(self: Internals) -> None:
    tell = self.tell

    def told(to: Address, message: Message) -> None:
        if not isinstance(message, WithdrawApprovals):
            tell(to, message)

    self.tell = told
    try:
        ORIGINAL_AGENT_START(self)
    finally:
        del self.tell


ORIGINAL_AGENT_START: Any = agent.Agent.on_start


# Modes and grants.


def apply_before_sync(
    tight: tuple[PolicyUpdate, ...], change: PolicyUpdate
) -> tuple[PolicyUpdate, ...]:
    return (*tight, change)


def keep_policy(_self: Internals, policy: Policy) -> Policy:
    return policy


def revoke_nothing(policy: Policy, _rule: Rule, _scope: GrantScope) -> Policy:
    return replace(policy, policy_version=policy.policy_version + 1)


def revoke_all(policy: Policy, _rule: Rule, _scope: GrantScope) -> Policy:
    return replace(policy, grants=(), project_grants=(), policy_version=policy.policy_version + 1)


def grant_wider_rule(_to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    if isinstance(message, StoreGrant):
        wide = tuple(
            replace(rule, pattern="work *") if rule.permission == "bash" else rule
            for rule in message.rules
        )
        return (message.model_copy(update={"rules": wide}),)
    return (message,)


def grant_for_project(_to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    if isinstance(message, StoreGrant):
        return (message.model_copy(update={"scope": "project"}),)
    return (message,)


def apply_after_failed_sync(self: Internals, _detail: str) -> None:
    if self._pending.first is not None:
        self._made(apply_update(self._policy, self._pending.first))


def keep_mode_on_resume(options: SessionOptions, records: tuple[Record, ...]) -> PermissionMode:
    config = find_last_settings(records)
    return config.mode if config else options.mode


def keep_mode_after_crash(
    policy: Policy, records: tuple[Record, ...], incarnation: int
) -> tuple[Policy, ReplaceRules | None]:
    policy, loaded = ORIGINAL_RECOVERY(policy, records, incarnation)
    config = find_last_settings(records)
    return (replace(policy, mode=config.mode) if config else policy), loaded


ORIGINAL_RECOVERY: Any = vars(engine)["recover_policy"]


def register_every_agent_as_build(
    _to: Address, message: Message, _sender: Address
) -> tuple[Message, ...]:
    if isinstance(message, RegisterAgent):
        profile = replace(message.profile, max_mode="yolo", disallowed_tools=())
        return (message.model_copy(update={"profile": profile}),)
    return (message,)


def forward_outdated_decision(self: Internals, judged: EvaluationFinished) -> None:
    _, asker = self._judging.pop(judged.evaluation_id)
    self.tell(asker, judged.decision)


# Records.


def acknowledge_before_write(self: Internals, append: Append) -> None:
    ORIGINAL_QUEUE_APPEND(self, append)
    self.tell(self.sender, Appended(id=append.id))


ORIGINAL_QUEUE_APPEND: Any = vars(Journal)["_queue_append"]


# Lives.


def ignore_ended_services(self: Internals, message: ChildEnded) -> None:
    if message.child == PRIMARY:
        ORIGINAL_ROOT_RECEIVE(self, message)


ORIGINAL_ROOT_RECEIVE: Any = RootSupervisor.on_receive


def report_end_twice(self: Internals, child: Address, end: ChildEnded) -> None:
    ORIGINAL_CHILD_ENDED(self, child, end)
    if child == CONSOLE:
        self._receive_from_runtime(end, child)


def drop_end(self: Internals, child: Address, end: ChildEnded) -> None:
    if self.address == ROOT and child != CONSOLE:
        ORIGINAL_CHILD_ENDED(self, child, end)
    else:
        self._children.remove(child)


ORIGINAL_CHILD_ENDED: Any = vars(Cell)["_on_child_ended"]


def stop_reading_mailbox(self: Internals) -> None:
    parcel = self._mailbox.take()
    self._is_scheduled = False
    if parcel is not None:
        self.handle_item(parcel)


def stop_before_mailbox_is_read(self: Internals, order: StopCell) -> None:
    self._begin_stopping(ChildCancelled(child=self.address), order.deadline_s)
