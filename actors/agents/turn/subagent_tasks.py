"""How a turn runs subagents: it starts tasks, takes their results and forwards their requests."""

from dataclasses import dataclass, replace
from typing import assert_never

from actors.agents.kinds.review import REVIEW
from actors.agents.turn import limit_pause, reviews
from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.call_completion import build_tool_started, end_call, record_result
from actors.agents.turn.effects import (
    AskForSpawn,
    ForceStopChild,
    ForwardDown,
    ForwardUp,
    ReturnSlot,
    StartChild,
    StopChild,
    WithdrawSubtree,
)
from actors.agents.turn.limits import build_spawn_limit_reached
from actors.agents.turn.notifications import queue_notification
from actors.agents.turn.review_table import Review, ReviewStage
from actors.agents.turn.self_messages import TaskCancelTimeout
from actors.agents.turn.subagent_table import AssignedTask, SubagentEntry
from actors.agents.turn.task_result_text import (
    format_background_start,
    format_interrupted,
    format_notification,
    format_result,
    get_outcome,
    to_tool_status,
)
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import CallStage, ToolCall
from actors.permissions.mode_order import find_strictest_mode
from actors.tools.task import format_busy, get_prompt
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
from messages.content import Usage, join_text
from messages.subagents import (
    SpawnAdmitted,
    SpawnRejected,
    SubagentEnded,
    SubagentStarted,
    SubagentStatus,
    TaskDropped,
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
"""The events of subagents that affect the turn; all others are only forwarded."""


@dataclass(frozen=True, slots=True)
class ChildEvent:
    """An event of an agent in the subtree, on its way up."""

    source: Address
    event: RelevantEvent


ChildInput = (
    ChildEnded
    | AnyApprovalRequest
    | WithdrawApprovals
    | SpawnAdmitted
    | SpawnRejected
    | TaskDropped
    | TaskCancelTimeout
)
"""What children, and the supervisor that admits them, send."""
CONTINUED = "another task continues it"
SPAWN_NOT_ALLOWED = (
    "No subagent was started: a limit of this session is reached, and the user did not extend it."
)
PARENT_STOPPED = "the agent that started it stopped while the task was running"


def handle(step: Transition, message: ChildInput | ChildEvent) -> None:
    """Handle one message about subagents."""
    match message:
        case ChildEvent():
            _on_child_event(step, message.source, message.event)
        case ChildCompleted() | ChildCancelled() | ChildFailed():
            _on_child_ended(step, message)
        case ExecApprovalRequest() | PatchApprovalRequest() | QuestionRequest():
            _forward_request(step, message)
        case WithdrawApprovals():
            _withdraw_requests(step, message)
        case SpawnAdmitted():
            _on_spawn_admitted(step, message)
            reviews.on_spawn_admitted(step, message)
        case SpawnRejected():
            _on_spawn_rejected(step, message)
            reviews.on_spawn_rejected(step, message)
        case TaskDropped():
            _on_task_dropped(step, message)
        case TaskCancelTimeout():
            _on_task_cancel_timeout(step, message)
        case _:
            assert_never(message)


# Starting a task


def request_spawn(step: Transition, call: ToolCall, task: SubagentTask) -> None:
    """Ask the supervisor whether one more subagent may start.

    The subagent may have become busy since the call was planned: by another call of this reply.
    """
    if _is_busy(step.state, task.task_id):
        end_call(step, call, "error", format_busy(task.task_id))
    else:
        _request_spawn(step, call, task)


def _request_spawn(step: Transition, call: ToolCall, task: SubagentTask) -> None:
    if step.state.pause.stopped is not None:
        end_call(step, call, "error", SPAWN_NOT_ALLOWED)
    elif limit_pause.may_start_child(step):
        step.update_call(call, stage=CallStage.AWAITING_SPAWN)
        step.emit(AskForSpawn(call.tool_use.id, task))
    else:
        step.update_call(call, stage=CallStage.AWAITING_BUDGET)


def _is_busy(state: AgentState, name: str) -> bool:
    """Return whether a subagent has a task, or is about to get one."""
    entry = state.subagents.entries.get(name)
    if entry is None:
        return False
    return (entry.task is not None and not entry.is_paused) or any(
        call.stage in (CallStage.AWAITING_SPAWN, CallStage.AWAITING_BUDGET)
        and call.plan is not None
        and call.plan.task is not None
        and call.plan.task.task_id == name
        for call in state.turn.calls
    )


def _on_spawn_admitted(step: Transition, admitted: SpawnAdmitted) -> None:
    """Record the child's start; it starts when the record is on disk."""
    call = step.state.turn.find_call(admitted.call_id, CallStage.AWAITING_SPAWN)
    if call is None or call.plan is None or call.plan.task is None:
        return
    started = _build_subagent_started(step, call, call.plan.task, admitted.name)
    existing = step.state.subagents.find(started.child)
    is_alive = existing is not None and existing.is_alive
    if existing is not None and existing.task is not None:  # paused: the new task continues it
        ended = _build_end(step, existing, existing.task, "cancelled", CONTINUED)
        _record_end(step, existing, ended)
    step.update(subagents=step.state.subagents.with_started(started, is_alive=is_alive))
    step.update_call(
        call,
        stage=CallStage.STARTING,
        start_append_id=step.state.persistence.last_append_id + 2,  # both records below
        subagent_started=started,
    )
    step.write(build_tool_started(step, call))
    step.write(started)


def _build_subagent_started(
    step: Transition, call: ToolCall, task: SubagentTask, name: str
) -> SubagentStarted:
    state = step.state
    parent = Address(state.identity.address)
    existing = state.subagents.entries.get(name)
    return SubagentStarted(
        child=parent.child(name),
        parent=parent,
        agent_type=task.agent_type,
        depth=len(parent.segments),
        task_number=existing.task_number + 1 if existing else 1,
        turn=state.turn.number,
        call_id=call.tool_use.id,
        description=task.description,
        model=state.model.name,
        effort=state.model.effort,
        one_shot=task.one_shot,
        max_mode=find_strictest_mode(
            state.selection.get_max_mode(),
            # One that is running keeps the profile that it was started with.
            existing.max_mode if existing and existing.is_alive else "yolo",
        ),
        is_background=task.is_background,
        bubbles=task.bubbles,
    )


def start_subagent(
    step: Transition, call: ToolCall, started: SubagentStarted, *, has_records: bool = False
) -> None:
    """Start the child; its call runs until the child's task ends, unless in the background."""
    task = call.plan.task if call.plan else None
    # A resumed call has no plan. Its task may still be waiting behind the user's prompts.
    prompt = task.prompt if task else get_prompt(call.tool_use.input)
    launch(step, started, prompt, has_records=has_records)
    if started.is_background:
        end_call(step, call, "ok", format_background_start(started.child.name))


def launch(step: Transition, started: SubagentStarted, prompt: str, *, has_records: bool) -> None:
    """Start the child, or give it the task if it is running."""
    table = step.state.subagents
    existing = table.find(started.child)
    is_alive = existing is not None and existing.is_alive
    step.update(subagents=table.with_started(started, is_alive=True))
    step.publish(started)
    has_records = has_records or started.task_number > 1
    tokens_left = step.state.totals.tokens_left
    step.emit(StartChild(started, prompt, is_alive, has_records, tokens_left))
    limit_pause.sync_new_child(step)


def cancel_recorded_start(step: Transition, call: ToolCall) -> None:
    """Record that a child never started: its start is not on disk, or its call was cancelled."""
    found = step.state.subagents.find_by_call(step.state.turn.number, call.tool_use.id)
    if found is not None:
        detail = step.state.persistence.status.detail
        _record_end(step, found[0], _build_end(step, *found, "cancelled", detail))


def _on_spawn_rejected(step: Transition, rejected: SpawnRejected) -> None:
    """End the call, or ask the user if only the user can allow more subagents."""
    call = step.state.turn.find_call(rejected.call_id, CallStage.AWAITING_SPAWN)
    if call is None:
        return
    if rejected.limit is None:
        end_call(step, call, "error", rejected.detail)
        return
    step.update_call(call, stage=CallStage.AWAITING_BUDGET)
    if not step.state.turn.is_stopping:
        reached = build_spawn_limit_reached(rejected.detail, rejected.limit)
        limit_pause.ask_user(step, reached)


def repeat_spawn_request(step: Transition, call: ToolCall) -> None:
    """Ask for the spawn again, or end the call if the user has not extended the limit."""
    if call.plan is not None and call.plan.task is not None:
        _request_spawn(step, call, call.plan.task)


def resume(step: Transition, call: ToolCall, child: SubagentEntry, task: AssignedTask) -> None:
    """After a resume: continue a subagent with an open request; end the task of any other.

    A background task is no part of the call, whose result was not recorded yet.
    """
    if task.is_background:
        record_result(step, call, "ok", format_background_start(child.address.name))
        return
    if child.address.name in step.state.subagents.names_to_resume:
        call = step.update_call(call, subagent_started=task.started)
        start_subagent(step, call, task.started, has_records=True)
        return
    _record_end(step, child, _build_end(step, child, task, "cancelled", PARENT_STOPPED))
    record_result(step, call, "cancelled", format_interrupted(child.address.name))


# Ending a task


def request_stop(
    step: Transition, child: Address, task_number: int, *, with_everything: bool = False
) -> None:
    """Ask a child to end its task; its end still arrives."""
    step.emit(StopChild(child, task_number, with_everything=with_everything))


def _on_task_cancel_timeout(step: Transition, timeout: TaskCancelTimeout) -> None:
    found = step.state.subagents.find_task(timeout.child, timeout.task_number)
    if found is not None:
        withdraw_under(step, timeout.child)
        step.emit(ForceStopChild(timeout.child))


def _on_task_dropped(step: Transition, dropped: TaskDropped) -> None:
    found = step.state.subagents.find_task(dropped.child, dropped.task_number)
    if found is not None and dropped.detail:
        end_task(step, *found, "failed", dropped.detail)
    elif found is not None:
        _store_end(step, *found, dropped)


def _on_child_ended(step: Transition, end: ChildEnded) -> None:
    """Withdraw the child's requests, release its slots and end its task."""
    child = step.state.subagents.find(end.child)
    if child is None:
        return
    withdraw_under(step, child.address)
    step.emit(ReturnSlot(child.address))
    child = replace(child, is_alive=False)
    step.update(subagents=step.state.subagents.with_entry(child))
    if child.task is not None:
        end_task(step, child, child.task, *get_outcome(child.task, end))


def end_task(
    step: Transition,
    child: SubagentEntry,
    task: AssignedTask,
    status: SubagentStatus,
    detail: str,
) -> None:
    """End a task, and its call or with a notification."""
    name = child.address.name
    if task.is_background:
        notification = format_notification(name, task, status, detail)
        ended = _build_end(step, child, task, status, detail)
        ended = ended.model_copy(update={"notification": notification})
        _record_end(step, child, ended)
        queue_notification(step, ended, wakes=task.wakes_parent)
        return
    _record_end(step, child, _build_end(step, child, task, status, detail))
    review = (
        step.state.reviews.open.get(task.started.call_id) if child.agent == REVIEW.name else None
    )
    if review is not None:
        reviews.end_with_task(step, review, task, status, detail)
        return
    call = step.state.turn.find_call(task.started.call_id, CallStage.RUNNING)
    if call is not None:
        text = format_result(name, task, status, detail)
        end_call(step, call, to_tool_status(status), text)


def end_interrupted_reviews(step: Transition) -> None:
    """After a resume: end the reviews that were open, and record the ends of their subagents."""
    for review in tuple(step.state.reviews.open.values()):
        if review.stage is ReviewStage.INTERRUPTED:
            _end_stopped_review(step, review, PARENT_STOPPED)


def end_unsynced_reviews(step: Transition) -> None:
    """End the reviews whose subagents may not start because their start is not on disk."""
    for review in tuple(step.state.reviews.open.values()):
        if review.stage is ReviewStage.STARTING:
            _end_stopped_review(step, review, step.state.persistence.status.detail)


def _end_stopped_review(step: Transition, review: Review, detail: str) -> None:
    found = step.state.subagents.find_review(review.id)
    if found is None:
        reviews.end_review(step, review, "cancelled", detail)
    else:
        end_task(step, *found, "cancelled", detail)


def _build_end(
    step: Transition,
    child: SubagentEntry,
    task: AssignedTask,
    status: SubagentStatus,
    detail: str,
) -> SubagentEnded:
    return SubagentEnded(
        child=child.address,
        task_number=task.number,
        turn=step.state.turn.number,
        status=status,
        detail=detail,
    )


def _record_end(step: Transition, child: SubagentEntry, ended: SubagentEnded) -> None:
    child = replace(child, task=None, last_notification=ended.notification)
    step.update(subagents=step.state.subagents.with_entry(child))
    step.write(ended)
    step.publish(ended)


# Events and requests of the subtree


def _on_child_event(step: Transition, source: Address, event: RelevantEvent) -> None:
    """Add the subtree's usage to the totals, and store the progress of a direct child's task.

    Other turns of the child answer the user or belong to an earlier task; they are ignored.
    """
    if isinstance(event, ReplyCompleted | ModelRetrying):
        _add_usage(step, event.usage)
    elif isinstance(event, TurnInterrupted | TurnFailed):
        _add_usage(step, event.request.usage)
    if isinstance(event, PersistenceChanged):
        step.update(persistence=step.state.persistence.with_status(event))  # one file for all
    if isinstance(event, ModelRetrying | PersistenceChanged):
        return
    found = step.state.subagents.find_task(source, event.task_number)
    if found is None:
        return
    child, task = found
    match event:
        case ReplyCompleted():
            task = replace(task, last_text=join_text(event.content).strip() or task.last_text)
            child = replace(child, task=task)
            step.update(subagents=step.state.subagents.with_entry(child))
        case TurnCompleted() | TurnInterrupted() | TurnFailed():
            _store_end(step, child, task, event)
        case _:
            assert_never(event)


def _store_end(
    step: Transition, child: SubagentEntry, task: AssignedTask, end: TurnEnded | TaskDropped
) -> None:
    """Store how a task ended; the task of a one-shot subagent ends with its actor."""
    task = replace(task, end=end)
    if child.one_shot:
        child = replace(child, task=task)
        step.update(subagents=step.state.subagents.with_entry(child))
    else:
        end_task(step, child, task, *get_outcome(task, None))


def _add_usage(step: Transition, usage: Usage) -> None:
    step.update(totals=step.state.totals.with_subagent(usage))
    limit_pause.check_token_limit(step)


def _forward_request(step: Transition, request: AnyApprovalRequest) -> None:
    """Forward an approval request, unless it comes from work that is being stopped."""
    is_independent = any(
        request.agent.is_under(child) for child in step.state.subagents.list_independent()
    )
    if step.state.turn.is_stopping and not is_independent:
        return
    request = mark_background(step.state, request)
    step.update(subagents=step.state.subagents.with_request(request))
    step.emit(ForwardUp(request))


def mark_background(state: AgentState, request: AnyApprovalRequest) -> AnyApprovalRequest:
    """Return the request with what this agent knows: whether it comes from a background task."""
    child = state.subagents.find_above(request.agent)
    if child is None:
        return request
    is_background = child.task is not None and child.task.is_background
    marks = {
        "is_background": request.is_background or is_background,
        "bubbles": request.bubbles or child.bubbles,
    }
    return request.model_copy(update=marks)


def forward_approval_outcome(
    step: Transition, outcome: ApprovalDecided | ApprovalUnavailable
) -> None:
    """Forward the outcome of an open request toward the agent that sent it."""
    step.update(subagents=step.state.subagents.without_request(outcome.id))
    step.emit(ForwardDown(outcome))


def withdraw_under(step: Transition, child: Address) -> None:
    """Withdraw the open requests of a child's subtree, before anything is aborted."""
    open_requests = step.state.subagents.open_requests.values()
    if any(request.agent.is_under(child) for request in open_requests):
        _withdraw_requests(step, WithdrawApprovals(under=child))


def _withdraw_requests(step: Transition, withdrawal: WithdrawApprovals) -> None:
    """Drop open requests of a subtree and forward the withdrawal."""
    step.update(subagents=step.state.subagents.without_requests(withdrawal))
    step.emit(WithdrawSubtree(withdrawal))
