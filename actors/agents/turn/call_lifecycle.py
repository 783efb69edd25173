"""The lifecycle of each tool call of a reply, from waiting to its one result."""

from typing import Any, assert_never

from actors.agents.turn import (
    agent_switch,
    background_tasks,
    concurrency_slot,
    snapshots,
    subagent_tasks,
)
from actors.agents.turn.agent_state import SlotState, SnapshotState
from actors.agents.turn.approval_requests import (
    format_answers,
    format_denial,
    is_request_for,
    is_switch_confirmed,
)
from actors.agents.turn.call_completion import (
    build_tool_started,
    continue_turn,
    end_call,
    get_not_run_text,
    get_not_writable_text,
    get_stopped_text,
    is_alone,
    record_result,
)
from actors.agents.turn.effects import (
    CancelCall,
    CheckRead,
    EvaluateCall,
    PlanCall,
    RequestApproval,
    RunCall,
)
from actors.agents.turn.self_messages import ToolFailed, ToolPlanned, ToolSucceeded
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import CallStage, ToolCall
from messages.approvals import ApprovalDecided, ApprovalUnavailable, ExecApprovalRequest
from messages.permissions import PermissionDecision
from messages.tool_calls import CallPlan
from messages.turns import TodosUpdated

OUTCOME_UNKNOWN = (
    "Greenroom stopped while this call was running, so its outcome is unknown. It is not rerun "
    "automatically; check what it did before you repeat it."
)
TARGET_CHANGED = (
    "Not run: its target changed {count} times between planning and running, most recently: "
    "{detail}"
)
OUTPUT_HEADER = "Its output until then:"
MAX_TARGET_CHANGES = 5
TARGET_CHANGED_NOTE = "asking again because its target has changed"
PATH_CHANGED_NOTE = "you approved it, but a path in it now leads somewhere else"
APPROVAL_UNAVAILABLE = "Denied: {approval_reason}; it needs the user's approval, but {reason}."
NEVER_ASKS = "Denied: {reason}, and this agent cannot ask for approval."
UNREAD_FILE = (
    "Denied: {target} has not been read yet, and reading it is not allowed without approval "
    "({reason}). Read it first."
)

CallInput = ToolPlanned | ToolSucceeded | ToolFailed
"""What the jobs of tool calls report."""
ApprovalInput = PermissionDecision | ApprovalDecided | ApprovalUnavailable
"""Outcomes of permission evaluations and approval requests."""


def handle(step: Transition, message: CallInput) -> None:
    """Handle one message of a call's job."""
    match message:
        case ToolPlanned():
            on_tool_planned(step, message)
        case ToolSucceeded():
            on_tool_succeeded(step, message)
        case ToolFailed():
            on_tool_failed(step, message)
        case _:
            assert_never(message)


def handle_approval(step: Transition, message: ApprovalInput) -> None:
    """Handle one decision about a call of this agent."""
    match message:
        case PermissionDecision():
            on_permission_decision(step, message)
        case ApprovalDecided():
            on_approval_decided(step, message)
        case ApprovalUnavailable():
            on_approval_unavailable(step, message)
        case _:
            assert_never(message)


def on_tool_planned(step: Transition, message: ToolPlanned) -> None:
    """Have the plan evaluated."""
    call = step.state.turn.find_call(message.call_id, CallStage.PLANNING)
    if call is None:
        return
    if step.state.turn.is_stopping:
        end_call(step, call, "cancelled", get_not_run_text(step.state.turn))
    elif message.plan.unread_file and (message.plan.rejection or not _was_shown_to_user(call)):
        _check_read(step, call, message.plan)
    else:
        recorded = call.recorded_approval
        is_approved = recorded is not None and is_request_for(
            recorded, message.plan, step.state.identity.cwd
        )
        if recorded is not None:
            call = step.update_call(
                call,
                resolved_requests=recorded.resolved_requests,
                sandbox=recorded.sandbox if isinstance(recorded, ExecApprovalRequest) else None,
            )
        _evaluate(step, call, message.plan, is_approved=is_approved)


def _was_shown_to_user(call: ToolCall) -> bool:
    """Return whether an earlier run asked the user about the call, and so showed the file."""
    return bool(call.approval_id or call.recorded_approval)


def on_permission_decision(step: Transition, decision: PermissionDecision) -> None:
    """Start the call, deny it or ask the user.

    The user's approval stays valid unless the call is denied now or resolves to something else.
    """
    call = next((call for call in step.state.turn.calls if call.decision_id == decision.id), None)
    if call is None or call.plan is None:
        return
    if call.stage is CallStage.CHECKING_READ:
        _apply_read_decision(step, call, call.plan, decision)
    elif call.stage is CallStage.EVALUATING and call.is_undecided:
        _decide_order(step, call, decision)
    elif call.stage is CallStage.EVALUATING:
        _apply_decision(step, call, decision)


def _decide_order(step: Transition, call: ToolCall, decision: PermissionDecision) -> None:
    """Run a command in parallel if it only reads; otherwise let it wait for the calls before it.

    A command that has waited is planned and evaluated again, because what it waited for may have
    changed its files.
    """
    is_read_only = decision.action == "allow" and decision.changes_nothing
    call = step.update_call(call, is_undecided=False, is_read_only_command=is_read_only)
    if is_read_only:
        _apply_decision(step, call, decision)
        continue_turn(step)  # the calls after it have waited for this
    elif is_alone(step.state.turn.calls, call):
        _apply_decision(step, call, decision)
    else:
        step.update_call(call, stage=CallStage.WAITING, plan=None)


def _apply_read_decision(
    step: Transition, call: ToolCall, plan: CallPlan, decision: PermissionDecision
) -> None:
    """Use a file's content only if the agent may read it: even an error could reveal content."""
    if decision.action != "allow":
        text = UNREAD_FILE.format(target=plan.unread_file, reason=decision.reason)
        end_call(step, call, "denied", text)
    elif plan.rejection:
        end_call(step, call, "error", plan.rejection)
    else:
        _evaluate(step, call, plan)


def _apply_decision(step: Transition, call: ToolCall, decision: PermissionDecision) -> None:
    if decision.action == "deny":
        end_call(step, call, "denied", f"Denied: {decision.reason}.")
    elif decision.action == "allow" or (
        call.is_approved
        and (decision.resolved_requests, decision.sandbox) == (call.resolved_requests, call.sandbox)
    ):
        _start(
            step,
            step.update_call(call, sandbox=decision.sandbox, read_policy=decision.read_policy),
        )
    elif call.is_approved:
        reason = f"{decision.reason}; {PATH_CHANGED_NOTE}"
        _request_approval(step, call, decision.model_copy(update={"reason": reason}))
    else:
        _request_approval(step, call, decision)


def on_approval_decided(step: Transition, message: ApprovalDecided) -> None:
    """Apply the user's decision; an approved call is evaluated again, as rules may have changed."""
    call = step.state.turn.find_call_awaiting(message.id)
    if call is None or call.plan is None:
        return
    if message.decision == "no":
        end_call(step, call, "denied", format_denial(message))
    elif message.answers:
        _apply_answers(step, call, call.plan, message.answers)
    else:
        is_approved = message.decided_by == "user"
        _evaluate(step, call, call.plan, is_approved=is_approved, approval_id="")


def _apply_answers(
    step: Transition, call: ToolCall, plan: CallPlan, answers: tuple[str, ...]
) -> None:
    """End the call with the user's answers, and switch the agent if they confirm that."""
    proposal = plan.switch_proposal
    if proposal and is_switch_confirmed(proposal, answers):
        # Recorded before the result, so that no record of the result exists without the switch.
        agent_switch.switch_agent(step, proposal.agent, plan_exists=proposal.plan_exists)
    end_call(step, call, "ok", format_answers(plan.questions, answers, proposal))


def on_approval_unavailable(step: Transition, message: ApprovalUnavailable) -> None:
    """Deny the call: no user could be asked. A question to the user is not work left undone."""
    call = step.state.turn.find_call_awaiting(message.id)
    if call is not None:
        text = APPROVAL_UNAVAILABLE.format(
            approval_reason=call.approval_reason, reason=message.reason
        )
        is_question = call.plan is not None and bool(call.plan.questions)
        end_call(step, call, "denied", text, no_user=not is_question)


def on_tool_succeeded(step: Transition, message: ToolSucceeded) -> None:
    """End the call with the tool's output."""
    call = step.state.turn.find_call(message.call_id, CallStage.RUNNING)
    if call is None:
        return
    if message.output.todos is not None:
        updated = TodosUpdated(turn=step.state.turn.number, todos=message.output.todos)
        step.write(updated)
        step.publish(updated)
    output = message.output
    if output.task_to_stop:
        background_tasks.stop_task(step, output.task_to_stop)
    call = step.update_call(call, observed_files=output.observed_files)
    end_call(step, call, "error" if output.is_error else "ok", output.text)


def on_tool_failed(step: Transition, message: ToolFailed) -> None:
    """End the call with an error, or plan it again if its target has changed."""
    call = step.state.turn.find_call(message.call_id, CallStage.PLANNING, CallStage.RUNNING)
    if call is None:
        return
    match message.reason:
        case "rejected":
            end_call(step, call, "error", message.detail)
        case "crashed":
            text = f"The tool failed because of a bug in Greenroom: {message.detail}"
            end_call(step, call, "error", text)
        case "cancelled":
            was_running = call.stage is CallStage.RUNNING
            get_text = get_stopped_text if was_running else get_not_run_text
            text = get_text(step.state.turn)
            if was_running and message.detail:
                text = f"{text}\n{OUTPUT_HEADER}\n{message.detail}"
            end_call(step, call, "cancelled", text)
        case "target_changed":
            _plan_again(step, call, message.detail)
        case _:
            assert_never(message.reason)


def _plan_again(step: Transition, call: ToolCall, detail: str) -> None:
    """Plan a call whose target changed; an earlier approval was for something else."""
    count = call.target_changes + 1
    if step.state.turn.is_stopping:
        end_call(step, call, "cancelled", get_not_run_text(step.state.turn))
    elif count > MAX_TARGET_CHANGES:
        end_call(step, call, "error", TARGET_CHANGED.format(count=count, detail=detail))
    else:
        step.update_call(
            call,
            stage=CallStage.PLANNING,
            plan=None,
            is_approved=False,
            recorded_approval=None,
            target_changes=count,
            # With another target, it may no longer only read.
            is_undecided=call.is_undecided or call.is_read_only_command,
            is_read_only_command=False,
        )
        step.emit(PlanCall(call.tool_use.id))


def run_synced_calls(step: Transition) -> None:
    """Run the changing calls whose start is now on disk."""
    for call in step.state.turn.calls:
        if (
            call.stage is CallStage.STARTING
            and call.start_append_id <= step.state.persistence.synced_append_id
        ):
            _run(step, call)


def resume(step: Transition) -> None:
    """After a resume: end the calls that had started or were decided, then start the others."""
    for call in step.state.turn.calls:
        found = step.state.subagents.find_by_call(step.state.turn.number, call.tool_use.id)
        if found is not None and call.stage is not CallStage.DONE:
            subagent_tasks.resume(step, call, *found)
        elif call.stage is CallStage.RUNNING:
            record_result(step, call, "unknown", OUTCOME_UNKNOWN)
        elif call.final_result is not None:
            proposal = call.switch_proposal
            if proposal is not None:
                agent_switch.switch_agent(step, proposal.agent, plan_exists=proposal.plan_exists)
            record_result(step, call, *call.final_result)
    continue_turn(step)


def cancel_calls(step: Transition) -> None:
    """Cancel running calls and end the others; a cancelled call ends when its job has ended."""
    for call in step.state.turn.calls:
        if call.stage is CallStage.RUNNING and call.subagent_started is not None:
            started = call.subagent_started
            subagent_tasks.request_stop(step, started.child, started.task_number)
        elif call.stage in (CallStage.PLANNING, CallStage.RUNNING):
            step.emit(CancelCall(call.tool_use.id))
        elif call.stage is not CallStage.DONE:
            subagent_tasks.cancel_recorded_start(step, call)
            record_result(step, call, "cancelled", get_not_run_text(step.state.turn))
    continue_turn(step)


def _start(step: Transition, call: ToolCall) -> None:
    task = call.plan.task if call.plan else None
    if task is not None:
        subagent_tasks.request_spawn(step, call, task)
    elif not call.is_changing:
        _run(step, call)
    elif snapshots.must_take_first(step, call):
        step.update_call(call, stage=CallStage.AWAITING_SNAPSHOT)
        snapshots.take_first(step)
    else:
        _record_start(step, call)


def start_after_snapshot(step: Transition) -> None:
    """Start the call that waited for the turn's first snapshot; it needs none to run."""
    if step.state.snapshot is SnapshotState.TAKING_FIRST:
        return
    for call in step.state.turn.calls:
        if call.stage is CallStage.AWAITING_SNAPSHOT:
            _record_start(step, call)


def _record_start(step: Transition, call: ToolCall) -> None:
    started = build_tool_started(step, call)
    step.update_call(
        call,
        stage=CallStage.STARTING,
        start_append_id=step.state.persistence.last_append_id + 1,
    )
    step.write(started)


def _run(step: Transition, call: ToolCall) -> None:
    if call.plan is None:
        return
    step.update_call(call, stage=CallStage.RUNNING)
    step.publish(build_tool_started(step, call))
    if call.subagent_started is not None:
        subagent_tasks.start_subagent(step, call, call.subagent_started)
    else:
        step.emit(RunCall(call.tool_use.id, call.plan, call.sandbox, call.read_policy))


def _check_read(step: Transition, call: ToolCall, plan: CallPlan) -> None:
    decision_id = _new_decision_id(step, call)
    step.update_call(call, stage=CallStage.CHECKING_READ, plan=plan, decision_id=decision_id)
    step.emit(CheckRead(decision_id, call.tool_use.id, plan.unread_file))


def evaluate_waiting_calls(step: Transition) -> None:
    """Evaluate the calls that waited for a slot, if the agent has one now."""
    if step.state.slot is not SlotState.HELD:
        return
    for call in step.state.turn.calls:
        if call.stage is CallStage.AWAITING_SLOT and call.plan is not None:
            _evaluate(step, call, call.plan)


def _evaluate(step: Transition, call: ToolCall, plan: CallPlan, **changes: Any) -> None:  # noqa: ANN401  (as `update_call`)
    """Evaluate a call, once the agent has a slot: the call may start right after."""
    if not concurrency_slot.ensure_slot(step):
        step.update_call(call, stage=CallStage.AWAITING_SLOT, plan=plan, **changes)
        return
    decision_id = _new_decision_id(step, call)
    step.update_call(
        call, stage=CallStage.EVALUATING, plan=plan, decision_id=decision_id, **changes
    )
    step.emit(EvaluateCall(decision_id, call.tool_use.id, plan))


def _new_decision_id(step: Transition, call: ToolCall) -> str:
    """Return a new evaluation id, so that a decision for an earlier evaluation is ignored."""
    number = step.state.turn.evaluation_count + 1
    step.update_turn(evaluation_count=number)
    return f"{call.tool_use.id}/{number}"


def _request_approval(step: Transition, call: ToolCall, decision: PermissionDecision) -> None:
    """Ask the user; a request that an earlier run left open keeps its id."""
    if call.plan is None:
        return
    if step.state.identity.never_asks:
        end_call(step, call, "denied", NEVER_ASKS.format(reason=decision.reason))
        return
    if step.state.persistence.is_failing:  # neither request nor answer could be recorded
        end_call(step, call, "denied", get_not_writable_text(step.state.persistence))
        return
    approval_id = call.approval_id
    if not approval_id:
        number = step.state.turn.approval_count + 1
        step.update_turn(approval_count=number)
        approval_id = step.state.identity.build_approval_id(number)
    if call.target_changes:
        reason = f"{decision.reason}; {TARGET_CHANGED_NOTE}"
        decision = decision.model_copy(update={"reason": reason})
    step.update_call(
        call,
        stage=CallStage.AWAITING_APPROVAL,
        approval_id=approval_id,
        approval_reason=decision.reason,
        is_approved=False,
        resolved_requests=decision.resolved_requests,
        sandbox=decision.sandbox,
    )
    step.emit(RequestApproval(approval_id, call.tool_use.id, call.plan, decision))
