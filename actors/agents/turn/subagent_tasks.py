"""What a turn makes of the agents below it: tasks, their results, and what climbs through. Pure.

Long because it is the one way that every task goes.
"""

from dataclasses import dataclass, replace
from typing import assert_never

from actors.agents.turn.agent_state import CallStage, ToolCall
from actors.agents.turn.agent_switch import get_max_mode
from actors.agents.turn.call_completion import build_tool_started, record_result
from actors.agents.turn.call_completion import end_call as end_call
from actors.agents.turn.effects import (
    AskForSpawn,
    BroadcastToChildren,
    ForceStopChild,
    ForwardDown,
    ForwardUp,
    ReturnSlot,
    StartChild,
    StopChild,
    WithdrawSubtree,
)
from actors.agents.turn.limits import find_reached_limit
from actors.agents.turn.self_messages import TaskCancelTimeout
from actors.agents.turn.subagent_results import (
    format_interrupted,
    format_result,
    get_outcome,
    to_tool_status,
)
from actors.agents.turn.subagent_table import SubagentEntry
from actors.agents.turn.transition import Transition
from actors.permissions.mode_order import find_strictest_mode
from messages.address import Address
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalUnavailable,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
    WithdrawApprovals,
)
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.content import join_text
from messages.subagents import (
    AncestorBudgetExhausted,
    SpawnAdmitted,
    SpawnRejected,
    SubagentEnded,
    SubagentStarted,
    SubagentStatus,
)
from messages.tool_calls import SubagentTask
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
PROGRAM_ENDED = "the program ended while it was at work"


def handle(step: Transition, message: ChildInput | ChildEvent) -> None:
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


def request_spawn(step: Transition, call: ToolCall, task: SubagentTask) -> None:
    """Ask whether one more may be started."""
    step.update_call(call, stage=CallStage.AWAITING_SPAWN)
    step.emit(AskForSpawn(call.tool_use.id, task))


def _allowed(step: Transition, allowed: SpawnAdmitted) -> None:
    """Have the child on disk before it starts."""
    call = step.find_call(allowed.call_id, CallStage.AWAITING_SPAWN)
    if call is None or call.plan is None or call.plan.task is None:
        return
    started = _started(step, call, call.plan.task, allowed.name)
    known = step.state.subagents.find(started.child)
    living = known is not None and known.is_alive
    step.update(subagents=step.state.subagents.with_started(started, is_alive=living))
    step.update_call(
        call,
        stage=CallStage.STARTING,
        start_append_id=step.state.last_append_id + 2,
        subagent_started=started,
    )
    step.write(build_tool_started(step, call))
    step.write(started)


def _started(step: Transition, call: ToolCall, task: SubagentTask, name: str) -> SubagentStarted:
    turn = step.state
    parent = Address(turn.agent_address)
    known = turn.subagents.entries.get(name)
    return SubagentStarted(
        child=parent.child(name),
        parent=parent,
        agent_type=task.agent_type,
        depth=len(parent.segments),
        task_number=known.task_number + 1 if known else 1,
        turn=turn.turn_number,
        call_id=call.tool_use.id,
        description=task.description,
        model=turn.model,
        one_shot=task.one_shot,
        max_mode=find_strictest_mode(
            get_max_mode(turn), known.max_mode if known and known.is_alive else "yolo"
        ),
    )


def start_subagent(
    step: Transition, call: ToolCall, started: SubagentStarted, *, has_records: bool = False
) -> None:
    """Start the child; its call runs until it ends."""
    family = step.state.subagents
    known = family.find(started.child)
    lives = known is not None and known.is_alive
    step.update(subagents=family.with_started(started))
    step.publish(started)
    task = call.plan.task if call.plan else None
    again = has_records or started.task_number > 1
    step.emit(StartChild(started, task.prompt if task else "", is_alive=lives, has_records=again))


def cancel_recorded_start(step: Transition, call: ToolCall) -> None:
    """Take back what was said of a child whose start is not on disk."""
    child = step.state.subagents.find_by_call(call.tool_use.id)
    if child is not None:
        _record_end(step, child, "cancelled", step.state.persistence.detail)


def _not_allowed(step: Transition, refused: SpawnRejected) -> None:
    call = step.find_call(refused.call_id, CallStage.AWAITING_SPAWN)
    if call is not None:
        end_call(step, call, "error", refused.detail)


def resume(step: Transition, call: ToolCall, child: SubagentEntry) -> None:
    """After a resume: whoever left a question open goes on, anyone else waits to be asked to."""
    started = SubagentStarted(
        child=child.address,
        parent=child.address.parent,
        agent_type=child.agent,
        depth=len(child.address.segments) - 1,
        task_number=child.task_number,
        turn=step.state.turn_number,
        call_id=call.tool_use.id,
        description=str(call.tool_use.input.get("description", "")),
        model=step.state.model,
        one_shot=child.one_shot,
        max_mode=child.max_mode,
    )
    if child.address.name in step.state.subagents.names_to_resume:
        start_subagent(
            step, step.update_call(call, subagent_started=started), started, has_records=True
        )
        return
    _record_end(step, child, "cancelled", PROGRAM_ENDED)
    record_result(step, call, "cancelled", format_interrupted(child.address.name))


# A task ends.


def request_stop(step: Transition, started: SubagentStarted) -> None:
    """Let a child end its task; its end still comes."""
    step.emit(StopChild(started.child, started.task_number))


def _overdue(step: Transition, overdue: TaskCancelTimeout) -> None:
    child = step.state.subagents.find(overdue.child)
    if (
        child is not None
        and child.is_alive
        and child.task_number == overdue.task_number
        and child.call_id
    ):
        step.emit(ForceStopChild(child.address))


def _ended(step: Transition, end: ChildEnded) -> None:
    """Take a child's end: nothing of it is left, and its task has its result."""
    child = step.state.subagents.find(end.child)
    if child is None:
        return
    if any(
        each.agent.is_under(child.address) for each in step.state.subagents.open_requests.values()
    ):
        _withdrawn(step, child.address)
    step.emit(ReturnSlot(child.address))
    _conclude(step, replace(child, is_alive=False), end)


def _conclude(step: Transition, child: SubagentEntry, end: ChildEnded | None) -> None:
    """Note how a child stands; if it was at a task, that has its result now."""
    call = step.find_call(child.call_id, CallStage.RUNNING) if child.call_id else None
    if call is None:
        step.update(subagents=step.state.subagents.with_entry(child))
        return
    status, detail = get_outcome(child, end)
    _record_end(step, child, status, detail)
    end_call(step, call, to_tool_status(status), format_result(child, status, detail))


def _record_end(
    step: Transition, child: SubagentEntry, status: SubagentStatus, detail: str
) -> None:
    ended = SubagentEnded(
        child=child.address,
        task_number=child.task_number,
        turn=step.state.turn_number,
        status=status,
        detail=detail,
    )
    step.update(subagents=step.state.subagents.with_entry(replace(child, call_id="")))
    step.write(ended)
    step.publish(ended)


# What climbs.


def _heard(step: Transition, source: Address, event: RelevantEvent) -> None:
    """Count what those below use, and note what a child says."""
    if isinstance(event, ReplyCompleted | ModelRetrying):
        _count(step, event)
    if isinstance(event, PersistenceChanged):
        step.update(persistence=event)
    child = step.state.subagents.find(source)
    if child is None or not child.call_id:
        return
    match event:
        case ReplyCompleted():
            said = join_text(event.content)
            if said.strip():
                step.update(
                    subagents=step.state.subagents.with_entry(replace(child, last_text=said))
                )
        case TurnCompleted() | TurnInterrupted() | TurnFailed():
            child = replace(child, turn_end=event)
            if child.one_shot:
                step.update(subagents=step.state.subagents.with_entry(child))
            else:
                _conclude(step, child, None)
        case _:
            pass


def _count(step: Transition, event: ReplyCompleted | ModelRetrying) -> None:
    account = step.state.totals
    before = find_reached_limit(account)
    step.update(totals=replace(account, subagents=account.subagents + event.usage))
    now = find_reached_limit(step.state.totals)
    if now is not None and before is None:
        step.emit(BroadcastToChildren(AncestorBudgetExhausted(detail=now.detail)))


def _spent(step: Transition, detail: str) -> None:
    step.update(budget_exhausted=detail)
    step.emit(BroadcastToChildren(AncestorBudgetExhausted(detail=detail)))


def _climbed(step: Transition, question: AnyApprovalRequest) -> None:
    """Pass a question on, unless whoever asks is being stopped: then nobody need answer."""
    if step.state.is_stopping:
        return
    family = step.state.subagents
    step.update(
        subagents=replace(family, open_requests={**family.open_requests, question.id: question})
    )
    step.emit(ForwardUp(question))


def forward_approval_outcome(
    step: Transition, answer: ApprovalDecided | ApprovalUnavailable
) -> None:
    """Hand an answer on to who asked."""
    family = step.state.subagents
    if answer.id in family.open_requests:
        left = {each: kept for each, kept in family.open_requests.items() if each != answer.id}
        step.update(subagents=replace(family, open_requests=left))
        step.emit(ForwardDown(answer))


def _withdrawn(step: Transition, under: Address) -> None:
    """Drop the questions under an agent, and pass that on; nobody is asked about them any more."""
    step.update(subagents=step.state.subagents.without_requests(under))
    step.emit(WithdrawSubtree(under))
