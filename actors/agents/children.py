"""What a turn makes of the agents below it: tasks, their results, and what climbs through. Pure.

Long because it is the one way that every task goes.
"""

from dataclasses import dataclass, replace
from typing import assert_never

from actors.agents.effects import (
    AskToSpawn,
    ForceStopChild,
    ForwardDown,
    ForwardUp,
    ReturnSlot,
    StartChild,
    StopChild,
    TellChildren,
    WithdrawSubtree,
)
from actors.agents.family import SubagentEntry
from actors.agents.limits import reached
from actors.agents.results import interrupted_text, outcome_of, result_text, status_of
from actors.agents.settling import close, started_of
from actors.agents.settling import end as end_call
from actors.agents.state import CallStage, ToolCall
from actors.agents.step import Transition
from actors.agents.switching import ceiling_of
from actors.permissions.modes import strictest_mode
from messages.address import Address
from messages.agents import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalUnavailable,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
    WithdrawApprovals,
)
from messages.content import text_of
from messages.subagents import (
    AncestorBudgetExhausted,
    SpawnAdmitted,
    SpawnRejected,
    SubagentEnded,
    SubagentStarted,
    SubagentStatus,
    TaskCancelTimeout,
)
from messages.tools import SubagentTask
from messages.turns import (
    ModelRetrying,
    PersistenceChanged,
    ReplyCompleted,
    TurnCompleted,
    TurnEnded,
    TurnFailed,
    TurnInterrupted,
)

RelevantEvent = ReplyCompleted | ModelRetrying | PersistenceChanged | TurnEnded
"""What a turn goes by, of all that those below report; the rest is only handed on."""


@dataclass(frozen=True, slots=True)
class ChildEvent:
    """An event of an agent below, on its way up."""

    source: Address
    event: RelevantEvent


ChildInput = (
    ChildEnded
    | AnyApprovalRequest
    | WithdrawApprovals
    | SpawnAdmitted
    | SpawnRejected
    | TaskCancelTimeout
    | AncestorBudgetExhausted
)
LOST = "the program ended while it was at work"


def take(step: Transition, message: ChildInput | ChildEvent) -> None:
    """Take one message that has to do with those below."""
    match message:
        case ChildEvent():
            _heard(step, message.source, message.event)
        case ChildCompleted() | ChildCancelled() | ChildFailed():
            _ended(step, message)
        case ExecApprovalRequest() | PatchApprovalRequest() | QuestionRequest():
            _climbed(step, message)
        case WithdrawApprovals():
            _withdrawn(step, message.under)
        case SpawnAdmitted():
            _allowed(step, message)
        case SpawnRejected():
            _not_allowed(step, message)
        case TaskCancelTimeout():
            _overdue(step, message)
        case AncestorBudgetExhausted():
            _spent(step, message.detail)
        case _:
            assert_never(message)


# A task begins.


def admit(step: Transition, call: ToolCall, task: SubagentTask) -> None:
    """Ask whether one more may be started."""
    step.put(call, stage=CallStage.ADMITTING)
    step.do(AskToSpawn(call.use.id, task))


def _allowed(step: Transition, allowed: SpawnAdmitted) -> None:
    """Have the child on disk before it starts."""
    call = step.call(allowed.call_id, CallStage.ADMITTING)
    if call is None or call.plan is None or call.plan.task is None:
        return
    started = _started(step, call, call.plan.task, allowed.name)
    known = step.turn.family.find(started.child)
    living = known is not None and known.living
    step.set(family=step.turn.family.started(started, living=living))
    step.put(call, stage=CallStage.STARTING, mark=step.turn.written + 2, started=started)
    step.write(started_of(step, call))
    step.write(started)


def _started(step: Transition, call: ToolCall, task: SubagentTask, name: str) -> SubagentStarted:
    turn = step.turn
    parent = Address(turn.asker)
    known = turn.family.children.get(name)
    return SubagentStarted(
        child=parent.child(name),
        parent=parent,
        agent=task.agent,
        depth=len(parent.names),
        task_number=known.task_number + 1 if known else 1,
        turn=turn.number,
        call_id=call.use.id,
        description=task.description,
        model=turn.model,
        one_shot=task.one_shot,
        max_mode=strictest_mode(
            ceiling_of(turn), known.max_mode if known and known.living else "yolo"
        ),
    )


def run(
    step: Transition, call: ToolCall, started: SubagentStarted, *, on_disk: bool = False
) -> None:
    """Start the child; its call runs until it ends."""
    family = step.turn.family
    known = family.find(started.child)
    lives = known is not None and known.living
    step.set(family=family.started(started))
    step.report(started)
    task = call.plan.task if call.plan else None
    again = on_disk or started.task_number > 1
    step.do(StartChild(started, task.prompt if task else "", lives=lives, on_disk=again))


def not_started(step: Transition, call: ToolCall) -> None:
    """Take back what was said of a child whose start is not on disk."""
    child = step.turn.family.at(call.use.id)
    if child is not None:
        _record_end(step, child, "cancelled", step.turn.disk.detail)


def _not_allowed(step: Transition, refused: SpawnRejected) -> None:
    call = step.call(refused.call_id, CallStage.ADMITTING)
    if call is not None:
        end_call(step, call, "error", refused.detail)


def take_up(step: Transition, call: ToolCall, child: SubagentEntry) -> None:
    """After a resume: whoever left a question open goes on, anyone else waits to be asked to."""
    started = SubagentStarted(
        child=child.address,
        parent=child.address.parent,
        agent=child.agent,
        depth=len(child.address.names) - 1,
        task_number=child.task_number,
        turn=step.turn.number,
        call_id=call.use.id,
        description=str(call.use.input.get("description", "")),
        model=step.turn.model,
        one_shot=child.one_shot,
        max_mode=child.max_mode,
    )
    if child.address.name in step.turn.family.returning:
        run(step, step.put(call, started=started), started, on_disk=True)
        return
    _record_end(step, child, "cancelled", LOST)
    close(step, call, "cancelled", interrupted_text(child.address.name))


# A task ends.


def stop(step: Transition, started: SubagentStarted) -> None:
    """Let a child end its task; its end still comes."""
    step.do(StopChild(started.child, started.task_number))


def _overdue(step: Transition, overdue: TaskCancelTimeout) -> None:
    child = step.turn.family.find(overdue.child)
    if (
        child is not None
        and child.living
        and child.task_number == overdue.task_number
        and child.call_id
    ):
        step.do(ForceStopChild(child.address))


def _ended(step: Transition, end: ChildEnded) -> None:
    """Take a child's end: nothing of it is left, and its task has its result."""
    child = step.turn.family.find(end.child)
    if child is None:
        return
    if any(each.agent.is_under(child.address) for each in step.turn.family.open.values()):
        _withdrawn(step, child.address)
    step.do(ReturnSlot(child.address))
    _conclude(step, replace(child, living=False), end)


def _conclude(step: Transition, child: SubagentEntry, end: ChildEnded | None) -> None:
    """Note how a child stands; if it was at a task, that has its result now."""
    call = step.call(child.call_id, CallStage.RUNNING) if child.call_id else None
    if call is None:
        step.set(family=step.turn.family.with_child(child))
        return
    status, detail = outcome_of(child, end)
    _record_end(step, child, status, detail)
    end_call(step, call, status_of(status), result_text(child, status, detail))


def _record_end(
    step: Transition, child: SubagentEntry, status: SubagentStatus, detail: str
) -> None:
    ended = SubagentEnded(
        child=child.address,
        task_number=child.task_number,
        turn=step.turn.number,
        status=status,
        detail=detail,
    )
    step.set(family=step.turn.family.with_child(replace(child, call_id="")))
    step.write(ended)
    step.report(ended)


# What climbs.


def _heard(step: Transition, source: Address, event: RelevantEvent) -> None:
    """Count what those below use, and note what a child says."""
    if isinstance(event, ReplyCompleted | ModelRetrying):
        _count(step, event)
    if isinstance(event, PersistenceChanged):
        step.set(disk=event)
    child = step.turn.family.find(source)
    if child is None or not child.call_id:
        return
    match event:
        case ReplyCompleted():
            said = text_of(event.content)
            if said.strip():
                step.set(family=step.turn.family.with_child(replace(child, said=said)))
        case TurnCompleted() | TurnInterrupted() | TurnFailed():
            child = replace(child, end=event)
            if child.one_shot:
                step.set(family=step.turn.family.with_child(child))
            else:
                _conclude(step, child, None)
        case _:
            pass


def _count(step: Transition, event: ReplyCompleted | ModelRetrying) -> None:
    account = step.turn.account
    before = reached(account)
    step.set(account=replace(account, below=account.below + event.usage))
    now = reached(step.turn.account)
    if now is not None and before is None:
        step.do(TellChildren(AncestorBudgetExhausted(detail=now.detail)))


def _spent(step: Transition, detail: str) -> None:
    step.set(over=detail)
    step.do(TellChildren(AncestorBudgetExhausted(detail=detail)))


def _climbed(step: Transition, question: AnyApprovalRequest) -> None:
    """Pass a question on, unless whoever asks is being stopped: then nobody need answer."""
    if step.turn.stopping:
        return
    family = step.turn.family
    step.set(family=replace(family, open={**family.open, question.id: question}))
    step.do(ForwardUp(question))


def answered(step: Transition, answer: ApprovalDecided | ApprovalUnavailable) -> None:
    """Hand an answer on to who asked."""
    family = step.turn.family
    if answer.id in family.open:
        left = {each: kept for each, kept in family.open.items() if each != answer.id}
        step.set(family=replace(family, open=left))
        step.do(ForwardDown(answer))


def _withdrawn(step: Transition, under: Address) -> None:
    """Drop the questions under an agent, and pass that on; nobody is asked about them any more."""
    step.set(family=step.turn.family.without_open(under))
    step.do(WithdrawSubtree(under))
