"""Code of the mutants: copies of the actors' code with one fault each.

The tests in `test_mutants.py` fail if a name used here no longer exists.
"""

import asyncio
from dataclasses import replace
from typing import Any

from actors.agents import agent
from actors.agents.restore.restored_state import restore
from actors.agents.turn import call_completion, call_lifecycle
from actors.agents.turn.agent_state import AgentState, RestoredState
from actors.agents.turn.effects import CancelCall
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import CallStage, ToolCall
from actors.permissions import engine
from actors.permissions.evaluation_job import EvaluationFinished
from actors.permissions.policy_changes import PolicyUpdate, apply_update
from actors.runtime.cell import Cell
from actors.runtime.jobs import Jobs
from actors.runtime.mailbox import StopCell
from actors.sessions.journal import Journal
from actors.sessions.record_queries import find_last_settings
from actors.supervisor.supervisor import RootSupervisor
from actors.wiring.session_setup import SessionOptions
from messages.address import APPROVALS, CONSOLE, PRIMARY, ROOT, Address
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalUnavailable,
    DismissApproval,
    ShowApproval,
    SubmitDecision,
    WithdrawApprovals,
)
from messages.base import Message
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.journal import Append, Appended, Record
from messages.permissions import (
    PermissionDecision,
    RegisterAgent,
    ReplaceRules,
    StoreGrant,
)
from messages.policy import GrantScope, PermissionMode, Policy, Rule
from messages.tool_calls import CallPlan
from shell.view.screen_state import ScreenState, ScreenUpdate, show_approval
from tests.actors.agents.turn import turn_mutants
from tests.simulation.simulated_command_runner import SimulatedCommandRunner

Internals = Any
"""An actor whose private members a mutant uses; no other code does."""


def do_nothing(*_arguments: object, **_options: object) -> None:
    pass


def always_true(*_arguments: object) -> bool:
    return True


def always_false(*_arguments: object) -> bool:
    return False


# Tool calls.


def lose_results_of_cancelled_calls(step: Transition) -> None:
    for call in step.state.turn.calls:
        if call.stage in (CallStage.PLANNING, CallStage.RUNNING):
            step.emit(CancelCall(call.tool_use.id))
        else:
            step.update_call(call, stage=CallStage.DONE)
    call_completion.continue_turn(step)


def write_results_twice(step: Transition, *arguments: Any, **named: Any) -> None:  # noqa: ANN401
    ORIGINAL_RECORD_RESULT(step, *arguments, **named)
    ORIGINAL_RECORD_RESULT(step, *arguments, **named)


ORIGINAL_RECORD_RESULT: Any = call_completion.record_result


def keep_approval_after_target_change(
    step: Transition,
    call: ToolCall,
    plan: CallPlan,
    **changes: Any,  # noqa: ANN401
) -> None:
    if call.target_changes:
        changes = {"is_approved": True, "resolved_requests": call.resolved_requests}
    ORIGINAL_EVALUATE(step, call, plan, **changes)


ORIGINAL_EVALUATE: Any = vars(call_lifecycle)["_evaluate"]

ORIGINAL_RUN: Any = vars(call_lifecycle)["_run"]


def run_before_start_is_synced(step: Transition, call: ToolCall) -> None:
    ORIGINAL_RUN(step, call)


def rerun_started_calls(records: tuple[Record, ...], blank: AgentState) -> RestoredState:
    return turn_mutants.rerun_started_calls(restore(records, blank))


async def leave_command_running(
    _self: SimulatedCommandRunner, task: "asyncio.Future[None]", *, ignores_term: bool
) -> None:
    if not ignores_term:
        task.cancel()


ORIGINAL_JOB_DONE: Any = vars(Jobs)["_on_task_done"]


def drop_cancelled_outcomes(self: Internals, job_id: int, task: "asyncio.Task[Message]") -> None:
    if task.cancelled():
        self._failure_handlers.pop(job_id, None)
        del self._tasks[job_id]
    else:
        ORIGINAL_JOB_DONE(self, job_id, task)


# Permissions and approvals.


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
        unavailable = ApprovalUnavailable(id=message.id, agent=message.agent, reason="injected")
        return message, unavailable
    return (message,)


def show_after_dismiss(to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    if isinstance(message, ShowApproval) and to == CONSOLE:
        SHOWN_REQUESTS[message.request.id] = message
    if isinstance(message, DismissApproval) and message.id in SHOWN_REQUESTS:
        return message, SHOWN_REQUESTS.pop(message.id)
    return (message,)


SHOWN_REQUESTS: dict[str, ShowApproval] = {}


def show_decided_request(state: ScreenState, request: AnyApprovalRequest) -> ScreenUpdate:
    return ORIGINAL_SHOW_APPROVAL(replace(state, submitted={}), request)


ORIGINAL_SHOW_APPROVAL = show_approval


def deliver_before_sync(self: Internals, parked: Any, decision: ApprovalDecided) -> None:  # noqa: ANN401
    parked.decision = decision
    self._write(decision)
    self._deliver(decision.id)


def skip_withdrawal_after_crash(self: Internals) -> None:
    original_tell = self.tell

    def tell(to: Address, message: Message) -> None:
        if not isinstance(message, WithdrawApprovals):
            original_tell(to, message)

    self.tell = tell
    try:
        ORIGINAL_AGENT_START(self)
    finally:
        del self.tell


ORIGINAL_AGENT_START: Any = agent.Agent.on_start


# Modes and grants.


def apply_before_sync(
    tightening: tuple[PolicyUpdate, ...], update: PolicyUpdate
) -> tuple[PolicyUpdate, ...]:
    return (*tightening, update)


def keep_policy(_self: Internals, policy: Policy) -> Policy:
    return policy


def revoke_nothing(policy: Policy, _rule: Rule, _scope: GrantScope) -> Policy:
    return replace(policy, policy_version=policy.policy_version + 1)


def revoke_all(policy: Policy, _rule: Rule, _scope: GrantScope) -> Policy:
    return replace(policy, grants=(), project_grants=(), policy_version=policy.policy_version + 1)


def grant_wider_rule(_to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    if isinstance(message, StoreGrant):
        rules = tuple(
            replace(rule, pattern="work *") if rule.permission == "bash" else rule
            for rule in message.rules
        )
        return (message.model_copy(update={"rules": rules}),)
    return (message,)


def grant_for_project(_to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    if isinstance(message, StoreGrant):
        return (message.model_copy(update={"scope": "project"}),)
    return (message,)


def apply_after_failed_sync(self: Internals, _detail: str) -> None:
    if self._pending.first is not None:
        self._on_update_stored(apply_update(self._policy, self._pending.first))


def keep_mode_on_resume(options: SessionOptions, records: tuple[Record, ...]) -> PermissionMode:
    settings = find_last_settings(records)
    return settings.mode if settings else options.mode


def keep_mode_after_crash(
    policy: Policy, records: tuple[Record, ...], incarnation: int
) -> tuple[Policy, ReplaceRules | None]:
    policy, rules = ORIGINAL_RECOVER_POLICY(policy, records, incarnation)
    settings = find_last_settings(records)
    return (replace(policy, mode=settings.mode) if settings else policy), rules


ORIGINAL_RECOVER_POLICY: Any = vars(engine)["recover_policy"]


def register_every_agent_as_build(
    _to: Address, message: Message, _sender: Address
) -> tuple[Message, ...]:
    if isinstance(message, RegisterAgent):
        profile = replace(message.profile, max_mode="yolo", disallowed_tools=())
        return (message.model_copy(update={"profile": profile}),)
    return (message,)


def forward_outdated_decision(self: Internals, result: EvaluationFinished) -> None:
    _, requester = self._running_evaluations.pop(result.evaluation_id)
    self.tell(requester, result.decision)


# Records.


def acknowledge_before_write(self: Internals, append: Append) -> None:
    ORIGINAL_QUEUE_APPEND(self, append)
    self.tell(self.sender, Appended(id=append.id))


ORIGINAL_QUEUE_APPEND: Any = vars(Journal)["_queue_append"]


# Lifecycles.


def ignore_ended_services(self: Internals, message: Message) -> None:
    match message:
        case ChildCompleted() | ChildCancelled() | ChildFailed() if message.child != PRIMARY:
            pass
        case _:
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
    item = self._mailbox.take()
    self._is_scheduled = False
    if item is not None:
        self.handle_item(item)


def stop_before_mailbox_is_read(self: Internals, request: StopCell) -> None:
    self._begin_stopping(ChildCancelled(child=self.address), request.deadline_s)
