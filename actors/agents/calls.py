"""What happens to each tool call of a reply, from waiting to its one result.

Long because it is the one way that every call goes.
"""

from typing import Any, assert_never

from actors.agents import children, switching
from actors.agents.answers import agreed, denial, is_for, told
from actors.agents.effects import AskPerson, JudgeCall, PeekCall, PlanCall, RunCall, StopCall
from actors.agents.settling import (
    close,
    cut_short,
    end,
    never_ran,
    proceed,
    started_of,
    unrecorded,
)
from actors.agents.state import Call, CallStage
from actors.agents.step import Step
from messages.approvals import ApprovalAnswered, ApprovalRefused
from messages.permissions import PermissionVerdict
from messages.tools import Plan, ToolFailed, ToolPlanned, ToolSucceeded
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


def planned(step: Step, message: ToolPlanned) -> None:
    """Have a plan judged."""
    call = step.call(message.call_id, CallStage.PLANNING)
    if call is None:
        return
    if step.turn.stopping:
        end(step, call, "cancelled", never_ran(step.turn))
    elif message.plan.peeked and (message.plan.refusal or not _was_shown(call)):
        _peek(step, call, message.plan)
    else:
        consent = call.consent
        approved = consent is not None and is_for(consent, message.plan, step.turn.cwd)
        parts = consent.parts if consent is not None else ()
        _judge(step, call, message.plan, approved=approved, parts=parts)


def _was_shown(call: Call) -> bool:
    """Whether a person was asked about it in an earlier run, and so saw the file."""
    return bool(call.approval or call.consent)


def judged(step: Step, verdict: PermissionVerdict) -> None:
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


def _peeked(step: Step, call: Call, plan: Plan, verdict: PermissionVerdict) -> None:
    """Go by a file's content only where it may be read, so that no refusal tells what is in it."""
    if verdict.action != "allow":
        end(step, call, "denied", UNREAD.format(target=plan.peeked, reason=verdict.reason))
    elif plan.refusal:
        end(step, call, "error", plan.refusal)
    else:
        _judge(step, call, plan)


def _decided(step: Step, call: Call, verdict: PermissionVerdict) -> None:
    if verdict.action == "deny":
        end(step, call, "denied", f"Denied: {verdict.reason}.")
    elif verdict.action == "allow" or (call.approved and verdict.parts == call.parts):
        _start(step, step.put(call, reads=verdict.reads))
    elif call.approved:
        reason = f"{verdict.reason}; {LED_ELSEWHERE}"
        _ask(step, call, verdict.model_copy(update={"reason": reason}))
    else:
        _ask(step, call, verdict)


def answered(step: Step, message: ApprovalAnswered) -> None:
    """Take an answer; a yes is judged again, since rules may have changed meanwhile."""
    call = _parked(step, message.id)
    if call is None or call.plan is None:
        return
    if message.answer == "no":
        end(step, call, "denied", denial(message))
    elif message.replies:
        _replied(step, call, call.plan, message.replies)
    else:
        _judge(step, call, call.plan, approved=message.decided_by == "person", approval="")


def _replied(step: Step, call: Call, plan: Plan, replies: tuple[str, ...]) -> None:
    """Take a reply, and switch if it is the yes to that."""
    if plan.switch and agreed(plan.switch, replies):
        # It comes first on disk: a result that tells of a switch is never there without it.
        switching.switch(step, plan.switch.agent, plan_written=plan.switch.plan_written)
    end(step, call, "ok", told(plan.questions, replies, plan.switch))


def refused(step: Step, message: ApprovalRefused) -> None:
    """Go on without: nobody could be asked."""
    call = _parked(step, message.id)
    if call is not None:
        end(step, call, "denied", UNANSWERED.format(asked=call.asked, refused=message.reason))


def succeeded(step: Step, message: ToolSucceeded) -> None:
    """Take a result."""
    call = step.call(message.call_id, CallStage.RUNNING)
    if call is None:
        return
    if message.output.todos is not None:
        updated = TodosUpdated(turn=step.turn.number, todos=message.output.todos)
        step.write(updated)
        step.report(updated)
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
            end(step, call, "cancelled", (cut_short if ran else never_ran)(step.turn))
        case "drifted":
            _drifted(step, call, message.detail)
        case _:
            assert_never(message.reason)


def _drifted(step: Step, call: Call, detail: str) -> None:
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


def run_recorded(step: Step) -> None:
    """Run the changing calls whose start is on disk now."""
    for call in step.turn.calls:
        if call.stage is CallStage.STARTING and call.mark <= step.turn.synced:
            _run(step, call)


def take_up(step: Step) -> None:
    """After a resume: close what began or was denied, then go on with the rest."""
    for call in step.turn.calls:
        child = step.turn.family.at(call.use.id)
        if child is not None and call.stage is not CallStage.DONE:
            children.take_up(step, call, child)
        elif call.stage is CallStage.RUNNING:
            close(step, call, "unknown", OUTCOME_UNKNOWN)
        elif call.settled is not None:
            if call.switch is not None:
                written = call.switch.plan_written
                switching.switch(step, call.switch.agent, plan_written=written)
            close(step, call, *call.settled)
    proceed(step)


def cancel(step: Step) -> None:
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


def _start(step: Step, call: Call) -> None:
    task = call.plan.task if call.plan else None
    if task is not None:
        children.admit(step, call, task)
    elif not call.changes:
        _run(step, call)
    else:
        started = started_of(step, call)
        step.put(call, stage=CallStage.STARTING, mark=step.turn.written + 1)
        step.write(started)


def _run(step: Step, call: Call) -> None:
    if call.plan is None:
        return
    step.put(call, stage=CallStage.RUNNING)
    step.report(started_of(step, call))
    if call.started is not None:
        children.run(step, call, call.started)
    else:
        step.do(RunCall(call.use.id, call.plan, call.reads))


def _peek(step: Step, call: Call, plan: Plan) -> None:
    query = _new_query(step, call)
    step.put(call, stage=CallStage.PEEKING, plan=plan, query=query)
    step.do(PeekCall(query, call.use.id, plan.peeked))


def _judge(step: Step, call: Call, plan: Plan, **changes: Any) -> None:  # noqa: ANN401  (as `put`)
    query = _new_query(step, call)
    step.put(call, stage=CallStage.JUDGING, plan=plan, query=query, **changes)
    step.do(JudgeCall(query, call.use.id, plan))


def _new_query(step: Step, call: Call) -> str:
    """Mint an id for a question to the engine, so that an answer to an earlier one is late."""
    step.set(judged=step.turn.judged + 1)
    return f"{call.use.id}/{step.turn.judged}"


def _ask(step: Step, call: Call, verdict: PermissionVerdict) -> None:
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
    parts = verdict.parts
    if call.drifts:
        verdict = verdict.model_copy(update={"reason": f"{verdict.reason}; {CHANGED_SINCE}"})
    asked = verdict.reason
    step.put(
        call, stage=CallStage.PARKED, approval=approval, asked=asked, approved=False, parts=parts
    )
    step.do(AskPerson(approval, call.use.id, call.plan, verdict))


def _parked(step: Step, approval: str) -> Call | None:
    for call in step.turn.calls:
        if call.stage is CallStage.PARKED and call.approval == approval:
            return call
    return None
