"""What happens to each tool call of a reply, from waiting to its one result.

Long because it is the one way that every call goes.
"""

from typing import Any, assert_never

from actors.agents import children, switching
from actors.agents.answers import agreed, denial, is_for, told
from actors.agents.effects import (
    CheckRead,
    EvaluateCall,
    PlanCall,
    RequestApproval,
    RunCall,
    StopCall,
)
from actors.agents.settling import (
    close,
    cut_short,
    end,
    never_ran,
    proceed,
    started_of,
    unrecorded,
)
from actors.agents.state import CallStage, ToolCall
from actors.agents.step import Transition
from messages.approvals import ApprovalDecided, ApprovalUnavailable
from messages.permissions import PermissionDecision
from messages.tools import CallPlan, ToolFailed, ToolPlanned, ToolSucceeded
from messages.turns import TodosUpdated

OUTCOME_UNKNOWN = (
    "The program ended while this call ran: its outcome is unknown. It is not run again by itself; "
    "look at what it did before you repeat it."
)
DRIFTED = "Not run: its target changed {drifts} times between plan and run, the last time: {detail}"
MAX_DRIFTS = 5
CHANGED_SINCE = "asked again: what it is about has changed since"
LED_ELSEWHERE = "you said yes, but a path in it leads elsewhere now"
UNANSWERED = "Denied: {asked}; it needs a person's approval, and {refused}."
UNREAD = "Denied: {target} was not read yet, and reading it asks ({reason}). Read it first."


def planned(step: Transition, message: ToolPlanned) -> None:
    """Have a plan judged."""
    call = step.call(message.call_id, CallStage.PLANNING)
    if call is None:
        return
    if step.turn.stopping:
        end(step, call, "cancelled", never_ran(step.turn))
    elif message.plan.unread_file and (message.plan.refusal or not _was_shown(call)):
        _peek(step, call, message.plan)
    else:
        consent = call.consent
        approved = consent is not None and is_for(consent, message.plan, step.turn.cwd)
        parts = consent.resolved_requests if consent is not None else ()
        _judge(step, call, message.plan, approved=approved, resolved_requests=parts)


def _was_shown(call: ToolCall) -> bool:
    """Whether a person was asked about it in an earlier run, and so saw the file."""
    return bool(call.approval or call.consent)


def judged(step: Transition, verdict: PermissionDecision) -> None:
    """Start, refuse, or ask a person.

    A person's yes stands unless it is denied now, or comes to something else than they were asked.
    """
    call = next((each for each in step.turn.calls if each.query == verdict.id), None)
    if call is None or call.plan is None:
        return
    if call.stage is CallStage.PEEKING:
        _peeked(step, call, call.plan, verdict)
    elif call.stage is CallStage.JUDGING:
        _decided(step, call, verdict)


def _peeked(step: Transition, call: ToolCall, plan: CallPlan, verdict: PermissionDecision) -> None:
    """Go by a file's content only where it may be read, so that no refusal tells what is in it."""
    if verdict.action != "allow":
        end(step, call, "denied", UNREAD.format(target=plan.unread_file, reason=verdict.reason))
    elif plan.refusal:
        end(step, call, "error", plan.refusal)
    else:
        _judge(step, call, plan)


def _decided(step: Transition, call: ToolCall, verdict: PermissionDecision) -> None:
    if verdict.action == "deny":
        end(step, call, "denied", f"Denied: {verdict.reason}.")
    elif verdict.action == "allow" or (
        call.approved and verdict.resolved_requests == call.resolved_requests
    ):
        _start(step, step.put(call, read_policy=verdict.read_policy))
    elif call.approved:
        reason = f"{verdict.reason}; {LED_ELSEWHERE}"
        _ask(step, call, verdict.model_copy(update={"reason": reason}))
    else:
        _ask(step, call, verdict)


def answered(step: Transition, message: ApprovalDecided) -> None:
    """Take an answer; a yes is judged again, since rules may have changed meanwhile."""
    call = _parked(step, message.id)
    if call is None or call.plan is None:
        return
    if message.decision == "no":
        end(step, call, "denied", denial(message))
    elif message.answers:
        _replied(step, call, call.plan, message.answers)
    else:
        _judge(step, call, call.plan, approved=message.decided_by == "person", approval="")


def _replied(step: Transition, call: ToolCall, plan: CallPlan, replies: tuple[str, ...]) -> None:
    """Take a reply, and switch if it is the yes to that."""
    if plan.switch_proposal and agreed(plan.switch_proposal, replies):
        # It comes first on disk: a result that tells of a switch is never there without it.
        switching.switch(
            step, plan.switch_proposal.agent, plan_written=plan.switch_proposal.plan_written
        )
    end(step, call, "ok", told(plan.questions, replies, plan.switch_proposal))


def refused(step: Transition, message: ApprovalUnavailable) -> None:
    """Go on without: nobody could be asked."""
    call = _parked(step, message.id)
    if call is not None:
        end(step, call, "denied", UNANSWERED.format(asked=call.asked, refused=message.reason))


def succeeded(step: Transition, message: ToolSucceeded) -> None:
    """Take a result."""
    call = step.call(message.call_id, CallStage.RUNNING)
    if call is None:
        return
    if message.output.todos is not None:
        updated = TodosUpdated(turn=step.turn.number, todos=message.output.todos)
        step.write(updated)
        step.report(updated)
    end(step, call, "error" if message.output.failed else "ok", message.output.text)


def failed(step: Transition, message: ToolFailed) -> None:
    """Take the news that a call was not carried out."""
    call = step.call(message.call_id, CallStage.PLANNING, CallStage.RUNNING)
    if call is None:
        return
    match message.reason:
        case "rejected":
            end(step, call, "error", message.detail)
        case "crashed":
            end(step, call, "error", f"The tool failed (a fault of Greenroom): {message.detail}")
        case "cancelled":
            ran = call.stage is CallStage.RUNNING
            end(step, call, "cancelled", (cut_short if ran else never_ran)(step.turn))
        case "target_changed":
            _drifted(step, call, message.detail)
        case _:
            assert_never(message.reason)


def _drifted(step: Transition, call: ToolCall, detail: str) -> None:
    """Plan anew: whatever was decided, it was about something else."""
    drifts = call.drifts + 1
    if step.turn.stopping:
        end(step, call, "cancelled", never_ran(step.turn))
    elif drifts > MAX_DRIFTS:
        end(step, call, "error", DRIFTED.format(drifts=drifts, detail=detail))
    else:
        step.put(
            call,
            stage=CallStage.PLANNING,
            plan=None,
            approved=False,
            consent=None,
            drifts=drifts,
        )
        step.do(PlanCall(call.use.id))


def run_recorded(step: Transition) -> None:
    """Run the changing calls whose start is on disk now."""
    for call in step.turn.calls:
        if call.stage is CallStage.STARTING and call.mark <= step.turn.synced:
            _run(step, call)


def take_up(step: Transition) -> None:
    """After a resume: close what began or was denied, then go on with the rest."""
    for call in step.turn.calls:
        child = step.turn.family.at(call.use.id)
        if child is not None and call.stage is not CallStage.DONE:
            children.take_up(step, call, child)
        elif call.stage is CallStage.RUNNING:
            close(step, call, "unknown", OUTCOME_UNKNOWN)
        elif call.settled is not None:
            if call.switch_proposal is not None:
                written = call.switch_proposal.plan_written
                switching.switch(step, call.switch_proposal.agent, plan_written=written)
            close(step, call, *call.settled)
    proceed(step)


def cancel(step: Transition) -> None:
    """Stop what works, and end what has not begun; a stopped call ends when its work has ended."""
    works = (CallStage.PLANNING, CallStage.RUNNING)
    for call in step.turn.calls:
        if call.stage is CallStage.RUNNING and call.started is not None:
            children.stop(step, call.started)
        elif call.stage in works:
            step.do(StopCall(call.use.id))
        elif call.stage is not CallStage.DONE:
            close(step, call, "cancelled", never_ran(step.turn))
    proceed(step)


def _start(step: Transition, call: ToolCall) -> None:
    task = call.plan.task if call.plan else None
    if task is not None:
        children.admit(step, call, task)
    elif not call.changes:
        _run(step, call)
    else:
        started = started_of(step, call)
        step.put(call, stage=CallStage.STARTING, mark=step.turn.written + 1)
        step.write(started)


def _run(step: Transition, call: ToolCall) -> None:
    if call.plan is None:
        return
    step.put(call, stage=CallStage.RUNNING)
    step.report(started_of(step, call))
    if call.started is not None:
        children.run(step, call, call.started)
    else:
        step.do(RunCall(call.use.id, call.plan, call.read_policy))


def _peek(step: Transition, call: ToolCall, plan: CallPlan) -> None:
    query = _new_query(step, call)
    step.put(call, stage=CallStage.PEEKING, plan=plan, query=query)
    step.do(CheckRead(query, call.use.id, plan.unread_file))


def _judge(step: Transition, call: ToolCall, plan: CallPlan, **changes: Any) -> None:  # noqa: ANN401  (as `put`)
    query = _new_query(step, call)
    step.put(call, stage=CallStage.JUDGING, plan=plan, query=query, **changes)
    step.do(EvaluateCall(query, call.use.id, plan))


def _new_query(step: Transition, call: ToolCall) -> str:
    """Mint an id for a question to the engine, so that an answer to an earlier one is late."""
    step.set(judged=step.turn.judged + 1)
    return f"{call.use.id}/{step.turn.judged}"


def _ask(step: Transition, call: ToolCall, verdict: PermissionDecision) -> None:
    """Ask a person; a question that an earlier run left open keeps its id."""
    if call.plan is None:
        return
    if step.turn.disk.state == "failing":
        end(step, call, "denied", unrecorded(step.turn))
        return
    approval = call.approval
    if not approval:
        step.set(asked=step.turn.asked + 1)
        approval = f"{step.turn.asker}#{step.turn.asked}@{step.turn.era}"
    parts = verdict.resolved_requests
    if call.drifts:
        verdict = verdict.model_copy(update={"reason": f"{verdict.reason}; {CHANGED_SINCE}"})
    asked = verdict.reason
    step.put(
        call,
        stage=CallStage.PARKED,
        approval=approval,
        asked=asked,
        approved=False,
        resolved_requests=parts,
    )
    step.do(RequestApproval(approval, call.use.id, call.plan, verdict))


def _parked(step: Transition, approval: str) -> ToolCall | None:
    for call in step.turn.calls:
        if call.stage is CallStage.PARKED and call.approval == approval:
            return call
    return None
