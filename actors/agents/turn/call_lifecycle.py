"""What happens to each tool call of a reply, from waiting to its one result.

Long because it is the one way that every call goes.
"""

from typing import Any, assert_never

from actors.agents.turn import agent_switch, subagent_tasks
from actors.agents.turn.agent_state import CallStage, ToolCall
from actors.agents.turn.approval import (
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
from messages.approvals import ApprovalDecided, ApprovalUnavailable
from messages.permissions import PermissionDecision
from messages.tool_calls import CallPlan
from messages.turns import TodosUpdated

OUTCOME_UNKNOWN = (
    "The program ended while this call ran: its outcome is unknown. It is not run again by itself; "
    "look at what it did before you repeat it."
)
TARGET_CHANGED = (
    "Not run: its target changed {drifts} times between plan and run, the last time: {detail}"
)
MAX_TARGET_CHANGES = 5
TARGET_CHANGED_NOTE = "asked again: what it is about has changed since"
PATH_CHANGED_NOTE = "you said yes, but a path in it leads elsewhere now"
APPROVAL_UNAVAILABLE = "Denied: {asked}; it needs a person's approval, and {refused}."
UNREAD_FILE = "Denied: {target} was not read yet, and reading it asks ({reason}). Read it first."


def on_tool_planned(step: Transition, message: ToolPlanned) -> None:
    """Have a plan judged."""
    call = step.find_call(message.call_id, CallStage.PLANNING)
    if call is None:
        return
    if step.state.is_stopping:
        end_call(step, call, "cancelled", get_not_run_text(step.state))
    elif message.plan.unread_file and (message.plan.rejection or not _was_shown(call)):
        _peek(step, call, message.plan)
    else:
        consent = call.recorded_approval
        approved = consent is not None and is_request_for(consent, message.plan, step.state.cwd)
        parts = consent.resolved_requests if consent is not None else ()
        _judge(step, call, message.plan, is_approved=approved, resolved_requests=parts)


def _was_shown(call: ToolCall) -> bool:
    """Whether a person was asked about it in an earlier run, and so saw the file."""
    return bool(call.approval_id or call.recorded_approval)


def on_permission_decision(step: Transition, verdict: PermissionDecision) -> None:
    """Start, refuse, or ask a person.

    A person's yes stands unless it is denied now, or comes to something else than they were asked.
    """
    call = next((each for each in step.state.calls if each.decision_id == verdict.id), None)
    if call is None or call.plan is None:
        return
    if call.stage is CallStage.CHECKING_READ:
        _peeked(step, call, call.plan, verdict)
    elif call.stage is CallStage.EVALUATING:
        _decided(step, call, verdict)


def _peeked(step: Transition, call: ToolCall, plan: CallPlan, verdict: PermissionDecision) -> None:
    """Go by a file's content only where it may be read, so that no refusal tells what is in it."""
    if verdict.action != "allow":
        end_call(
            step, call, "denied", UNREAD_FILE.format(target=plan.unread_file, reason=verdict.reason)
        )
    elif plan.rejection:
        end_call(step, call, "error", plan.rejection)
    else:
        _judge(step, call, plan)


def _decided(step: Transition, call: ToolCall, verdict: PermissionDecision) -> None:
    if verdict.action == "deny":
        end_call(step, call, "denied", f"Denied: {verdict.reason}.")
    elif verdict.action == "allow" or (
        call.is_approved and verdict.resolved_requests == call.resolved_requests
    ):
        _start(step, step.update_call(call, read_policy=verdict.read_policy))
    elif call.is_approved:
        reason = f"{verdict.reason}; {PATH_CHANGED_NOTE}"
        _ask(step, call, verdict.model_copy(update={"reason": reason}))
    else:
        _ask(step, call, verdict)


def on_approval_decided(step: Transition, message: ApprovalDecided) -> None:
    """Take an answer; a yes is judged again, since rules may have changed meanwhile."""
    call = _parked(step, message.id)
    if call is None or call.plan is None:
        return
    if message.decision == "no":
        end_call(step, call, "denied", format_denial(message))
    elif message.answers:
        _replied(step, call, call.plan, message.answers)
    else:
        _judge(step, call, call.plan, is_approved=message.decided_by == "person", approval_id="")


def _replied(step: Transition, call: ToolCall, plan: CallPlan, replies: tuple[str, ...]) -> None:
    """Take a reply, and switch if it is the yes to that."""
    if plan.switch_proposal and is_switch_confirmed(plan.switch_proposal, replies):
        # It comes first on disk: a result that tells of a switch is never there without it.
        agent_switch.switch_agent(
            step, plan.switch_proposal.agent, plan_exists=plan.switch_proposal.plan_exists
        )
    end_call(step, call, "ok", format_answers(plan.questions, replies, plan.switch_proposal))


def on_approval_unavailable(step: Transition, message: ApprovalUnavailable) -> None:
    """Go on without: nobody could be asked."""
    call = _parked(step, message.id)
    if call is not None:
        end_call(
            step,
            call,
            "denied",
            APPROVAL_UNAVAILABLE.format(asked=call.approval_reason, refused=message.reason),
        )


def on_tool_succeeded(step: Transition, message: ToolSucceeded) -> None:
    """Take a result."""
    call = step.find_call(message.call_id, CallStage.RUNNING)
    if call is None:
        return
    if message.output.todos is not None:
        updated = TodosUpdated(turn=step.state.turn_number, todos=message.output.todos)
        step.write(updated)
        step.publish(updated)
    end_call(step, call, "error" if message.output.is_error else "ok", message.output.text)


def on_tool_failed(step: Transition, message: ToolFailed) -> None:
    """Take the news that a call was not carried out."""
    call = step.find_call(message.call_id, CallStage.PLANNING, CallStage.RUNNING)
    if call is None:
        return
    match message.reason:
        case "rejected":
            end_call(step, call, "error", message.detail)
        case "crashed":
            end_call(
                step, call, "error", f"The tool failed (a fault of Greenroom): {message.detail}"
            )
        case "cancelled":
            ran = call.stage is CallStage.RUNNING
            end_call(
                step, call, "cancelled", (get_stopped_text if ran else get_not_run_text)(step.state)
            )
        case "target_changed":
            _drifted(step, call, message.detail)
        case _:
            assert_never(message.reason)


def _drifted(step: Transition, call: ToolCall, detail: str) -> None:
    """Plan anew: whatever was decided, it was about something else."""
    drifts = call.target_changes + 1
    if step.state.is_stopping:
        end_call(step, call, "cancelled", get_not_run_text(step.state))
    elif drifts > MAX_TARGET_CHANGES:
        end_call(step, call, "error", TARGET_CHANGED.format(drifts=drifts, detail=detail))
    else:
        step.update_call(
            call,
            stage=CallStage.PLANNING,
            plan=None,
            is_approved=False,
            recorded_approval=None,
            target_changes=drifts,
        )
        step.emit(PlanCall(call.tool_use.id))


def run_synced_calls(step: Transition) -> None:
    """Run the changing calls whose start is on disk now."""
    for call in step.state.calls:
        if call.stage is CallStage.STARTING and call.start_append_id <= step.state.synced_append_id:
            _run(step, call)


def resume(step: Transition) -> None:
    """After a resume: close what began or was denied, then go on with the rest."""
    for call in step.state.calls:
        child = step.state.subagents.find_by_call(call.tool_use.id)
        if child is not None and call.stage is not CallStage.DONE:
            subagent_tasks.resume(step, call, child)
        elif call.stage is CallStage.RUNNING:
            record_result(step, call, "unknown", OUTCOME_UNKNOWN)
        elif call.final_result is not None:
            if call.switch_proposal is not None:
                written = call.switch_proposal.plan_exists
                agent_switch.switch_agent(step, call.switch_proposal.agent, plan_exists=written)
            record_result(step, call, *call.final_result)
    continue_turn(step)


def cancel_calls(step: Transition) -> None:
    """Stop what works, and end what has not begun; a stopped call ends when its work has ended."""
    works = (CallStage.PLANNING, CallStage.RUNNING)
    for call in step.state.calls:
        if call.stage is CallStage.RUNNING and call.subagent_started is not None:
            subagent_tasks.request_stop(step, call.subagent_started)
        elif call.stage in works:
            step.emit(CancelCall(call.tool_use.id))
        elif call.stage is not CallStage.DONE:
            record_result(step, call, "cancelled", get_not_run_text(step.state))
    continue_turn(step)


def _start(step: Transition, call: ToolCall) -> None:
    task = call.plan.task if call.plan else None
    if task is not None:
        subagent_tasks.request_spawn(step, call, task)
    elif not call.is_changing:
        _run(step, call)
    else:
        started = build_tool_started(step, call)
        step.update_call(
            call, stage=CallStage.STARTING, start_append_id=step.state.last_append_id + 1
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
        step.emit(RunCall(call.tool_use.id, call.plan, call.read_policy))


def _peek(step: Transition, call: ToolCall, plan: CallPlan) -> None:
    query = _new_query(step, call)
    step.update_call(call, stage=CallStage.CHECKING_READ, plan=plan, decision_id=query)
    step.emit(CheckRead(query, call.tool_use.id, plan.unread_file))


def _judge(step: Transition, call: ToolCall, plan: CallPlan, **changes: Any) -> None:  # noqa: ANN401  (as `put`)
    query = _new_query(step, call)
    step.update_call(call, stage=CallStage.EVALUATING, plan=plan, decision_id=query, **changes)
    step.emit(EvaluateCall(query, call.tool_use.id, plan))


def _new_query(step: Transition, call: ToolCall) -> str:
    """Mint an id for a question to the engine, so that an answer to an earlier one is late."""
    step.update(evaluation_count=step.state.evaluation_count + 1)
    return f"{call.tool_use.id}/{step.state.evaluation_count}"


def _ask(step: Transition, call: ToolCall, verdict: PermissionDecision) -> None:
    """Ask a person; a question that an earlier run left open keeps its id."""
    if call.plan is None:
        return
    if step.state.persistence.state == "failing":
        end_call(step, call, "denied", get_not_writable_text(step.state))
        return
    approval = call.approval_id
    if not approval:
        step.update(approval_count=step.state.approval_count + 1)
        approval = f"{step.state.agent_address}#{step.state.approval_count}@{step.state.id_suffix}"
    parts = verdict.resolved_requests
    if call.target_changes:
        verdict = verdict.model_copy(update={"reason": f"{verdict.reason}; {TARGET_CHANGED_NOTE}"})
    asked = verdict.reason
    step.update_call(
        call,
        stage=CallStage.AWAITING_APPROVAL,
        approval_id=approval,
        approval_reason=asked,
        is_approved=False,
        resolved_requests=parts,
    )
    step.emit(RequestApproval(approval, call.tool_use.id, call.plan, verdict))


def _parked(step: Transition, approval: str) -> ToolCall | None:
    for call in step.state.calls:
        if call.stage is CallStage.AWAITING_APPROVAL and call.approval_id == approval:
            return call
    return None
