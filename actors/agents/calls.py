"""What happens to each tool call of a reply, from waiting to its one result."""

from typing import assert_never

from actors.agents.effects import AskPerson, JudgeCall, PlanCall, RunCall, StopCall
from actors.agents.state import Call, CallStage, Stage, Step
from messages.approvals import (
    ApprovalAnswered,
    ApprovalRefused,
    ApprovalRequest,
    PatchApprovalRequest,
)
from messages.permissions import PermissionVerdict
from messages.tools import Plan, ToolFailed, ToolPlanned, ToolSucceeded
from messages.turns import ToolEnded, ToolStarted, ToolStatus, TurnInterrupted

NEVER_RAN = "Cancelled: the user interrupted the turn before this call ran."
OUTCOME_UNKNOWN = (
    "The program ended while this call ran: its outcome is unknown. It is not run again by itself; "
    "look at what it did before you repeat it."
)
CUT_SHORT = "Cancelled while it ran: the user interrupted the turn. Part of it may have happened."


def start_ready(step: Step) -> None:
    """Begin every call whose turn has come.

    A changing call waits for all before it and holds all after it; reading ones run side by side.
    """
    for position, call in enumerate(step.turn.calls):
        before = step.turn.calls[:position]
        held = any(
            each.stage is not CallStage.DONE and (call.changes or each.changes) for each in before
        )
        if call.stage is CallStage.WAITING and not held:
            step.put(call, stage=CallStage.PLANNING)
            step.do(PlanCall(call.use.id))


def planned(step: Step, message: ToolPlanned) -> None:
    """Have a plan judged."""
    call = step.call(message.call_id, CallStage.PLANNING)
    if call is not None:
        approved = call.consent is not None and is_for(call.consent, message.plan)
        step.put(call, stage=CallStage.JUDGING, plan=message.plan, approved=approved)
        step.do(JudgeCall(call.use.id, message.plan))


def is_for(request: ApprovalRequest, plan: Plan) -> bool:
    """Whether a person who said yes to `request` saw exactly this plan."""
    if request.requests != plan.requests:
        return False
    if isinstance(request, PatchApprovalRequest):
        return plan.patch is not None and plan.patch.diff == request.diff
    return plan.patch is None and (plan.shown or plan.title) == request.command


def judged(step: Step, verdict: PermissionVerdict) -> None:
    """Start, refuse, or ask a person; a person's yes stands unless it is denied now."""
    call = step.call(verdict.id, CallStage.JUDGING)
    if call is None or call.plan is None:
        return
    if verdict.action == "deny":
        end(step, call, "denied", f"Denied: {verdict.reason}.")
    elif verdict.action == "allow" or call.approved:
        _start(step, call)
    else:
        _ask(step, call, verdict)


def answered(step: Step, message: ApprovalAnswered) -> None:
    """Take a person's answer; a yes is judged again, since rules may have changed meanwhile."""
    call = _parked(step, message.id)
    if call is None or call.plan is None:
        return
    if message.answer == "no":
        said = f" They said: {message.feedback}" if message.feedback else ""
        end(step, call, "denied", f"Denied by the user.{said}")
    else:
        step.put(call, stage=CallStage.JUDGING, approved=True)
        step.do(JudgeCall(call.use.id, call.plan))


def refused(step: Step, message: ApprovalRefused) -> None:
    """Go on without: nobody could be asked."""
    call = _parked(step, message.id)
    if call is not None:
        end(step, call, "denied", f"Denied: it needs a person's approval, and {message.reason}.")


def succeeded(step: Step, message: ToolSucceeded) -> None:
    """Take a result."""
    call = step.call(message.call_id, CallStage.RUNNING)
    if call is not None:
        end(step, call, "error" if message.output.failed else "ok", message.output.text)


def failed(step: Step, message: ToolFailed) -> None:
    """Take the news that a call was not carried out."""
    call = step.call(message.call_id, CallStage.PLANNING, CallStage.RUNNING)
    if call is None:
        return
    match message.reason:
        case "refused":
            end(step, call, "error", message.detail)
        case "crashed":
            end(step, call, "error", f"The tool failed (a fault of Greenroom): {message.detail}")
        case "cancelled":
            ran = call.stage is CallStage.RUNNING
            end(step, call, "cancelled", CUT_SHORT if ran else NEVER_RAN)
        case "drifted" if step.turn.stopping:
            end(step, call, "cancelled", NEVER_RAN)
        case "drifted":
            step.put(call, stage=CallStage.PLANNING, plan=None, consent=None, approval="")
            step.do(PlanCall(call.use.id))
        case _:
            assert_never(message.reason)


def run_recorded(step: Step) -> None:
    """Run the changing calls whose start is on disk now."""
    for call in step.turn.calls:
        if call.stage is CallStage.STARTING and call.mark <= step.turn.synced:
            _run(step, call)


def take_up(step: Step, denied: tuple[str, ...]) -> None:
    """After a resume: close what began or was denied, then go on with the rest."""
    for call in step.turn.calls:
        if call.stage is CallStage.RUNNING:
            end(step, call, "unknown", OUTCOME_UNKNOWN)
        elif call.use.id in denied:
            end(step, call, "denied", "Denied by the user.")
    if step.turn.stage is Stage.ACTING:
        start_ready(step)


def cancel(step: Step) -> None:
    """End what has not begun, and stop what runs; a running call ends when its work has ended."""
    for call in step.turn.calls:
        if call.stage is CallStage.RUNNING:
            step.do(StopCall(call.use.id))
    for call in step.turn.calls:
        if call.stage not in (CallStage.RUNNING, CallStage.DONE):
            if call.stage is CallStage.PLANNING:
                step.do(StopCall(call.use.id))
            end(step, call, "cancelled", NEVER_RAN)


def end(step: Step, call: Call, status: ToolStatus, text: str) -> None:
    """Give a call its one result; after the last one the turn goes on."""
    requests = call.plan.requests if call.plan else ()
    ended = ToolEnded(
        turn=step.turn.number,
        call_id=call.use.id,
        tool=call.use.name,
        title=call.title,
        target=requests[0].target if requests else "",
        status=status,
        text=text,
    )
    step.put(call, stage=CallStage.DONE)
    step.write(ended)
    step.report(ended)
    if any(each.stage is not CallStage.DONE for each in step.turn.calls):
        if not step.turn.stopping:
            start_ready(step)
    elif step.turn.stopping:
        step.close(TurnInterrupted(turn=step.turn.number, usage=step.turn.usage))
    else:
        step.set(stage=Stage.SETTLING)


def _start(step: Step, call: Call) -> None:
    if not call.changes:
        _run(step, call)
        return
    started = _started(step, call)
    step.put(call, stage=CallStage.STARTING, mark=step.turn.written + 1)
    step.write(started)


def _run(step: Step, call: Call) -> None:
    if call.plan is not None:
        step.put(call, stage=CallStage.RUNNING)
        step.report(_started(step, call))
        step.do(RunCall(call.use.id, call.plan))


def _started(step: Step, call: Call) -> ToolStarted:
    return ToolStarted(
        turn=step.turn.number, call_id=call.use.id, tool=call.use.name, title=call.title
    )


def _ask(step: Step, call: Call, verdict: PermissionVerdict) -> None:
    if call.plan is None:
        return
    turn = step.turn
    if not call.approval:
        step.set(asked=turn.asked + 1)
    approval = call.approval or f"{turn.asker}#{turn.asked + 1}@{turn.run}"
    step.put(call, stage=CallStage.PARKED, approval=approval)
    step.do(AskPerson(approval, call.use.id, call.plan, verdict))


def _parked(step: Step, approval: str) -> Call | None:
    for call in step.turn.calls:
        if call.stage is CallStage.PARKED and call.approval == approval:
            return call
    return None
