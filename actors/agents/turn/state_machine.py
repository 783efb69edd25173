"""The turn as a pure state machine: `(state, message) -> (state, effects)`.

Every `tool_use` gets exactly one `ToolEnded`. A changing call's `ToolStarted` is on disk before the
call runs. Before the next model request, every record is on disk or has failed to be written.
"""

from dataclasses import replace
from typing import assert_never

from actors.agents.turn import (
    agent_switch,
    assigned_tasks,
    background_tasks,
    call_lifecycle,
    cancellation,
    compaction,
    concurrency_slot,
    limit_answers,
    limit_pause,
    model_replies,
    persistence,
    prompt_context,
    reviews,
    snapshots,
    steering,
    subagent_tasks,
)
from actors.agents.turn.agent_state import AgentState, RestoredState
from actors.agents.turn.assigned_tasks import TaskInput
from actors.agents.turn.background_tasks import BackgroundInput
from actors.agents.turn.call_lifecycle import ApprovalInput, CallInput
from actors.agents.turn.compaction import CompactionInput
from actors.agents.turn.concurrency_slot import SlotInput
from actors.agents.turn.effects import Effect, RejectPrompt, RejectTurnNumber
from actors.agents.turn.limit_answers import PauseInput
from actors.agents.turn.model_replies import ModelInput
from actors.agents.turn.persistence import JournalInput
from actors.agents.turn.prompt_context import ContextInput
from actors.agents.turn.prompt_queue import QueuedPrompt
from actors.agents.turn.reviews import ReviewInput
from actors.agents.turn.self_messages import (
    AttachmentsRead,
    ContextPrepared,
    ModelFailed,
    ModelReplied,
    PlanFileChecked,
    RetryDelayElapsed,
    ReviewPrepared,
    SnapshotAttempted,
    ToolFailed,
    ToolPlanned,
    ToolSucceeded,
    TurnTimerStopped,
)
from actors.agents.turn.snapshots import SnapshotInput
from actors.agents.turn.subagent_tasks import ChildEvent, ChildInput
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import TurnStage
from actors.sessions.append_timeout import AppendTimeout
from messages.approvals import ApprovalDecided, ApprovalUnavailable
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.compaction import StartCompaction, SummaryFailed, SummaryWritten
from messages.journal import Appended, AppendFailed
from messages.model_limits import ModelLimitsFound
from messages.permissions import PermissionDecision
from messages.reviews import StartReview
from messages.snapshots import RecordUndo
from messages.steering import WithdrawPrompts
from messages.subagents import (
    AncestorBudgetExhausted,
    AssignTask,
    CancelSubagent,
    CancelTask,
    ContinueSubagent,
    MoveToBackground,
    PauseWork,
    ResumeWork,
    SlotAcquired,
    SlotPending,
)
from messages.turns import (
    CancelTurn,
    EffortChanged,
    ModelChanged,
    SetEffort,
    SetModel,
    StartTurn,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)

TurnControl = (
    StartTurn
    | WithdrawPrompts
    | CancelTurn
    | SetModel
    | SetEffort
    | PlanFileChecked
    | TurnTimerStopped
    | ContextInput
)
"""What starts and stops a turn, and what the user changes about it."""
TurnInput = (
    TurnControl
    | ModelInput
    | CallInput
    | ApprovalInput
    | JournalInput
    | TaskInput
    | SlotInput
    | BackgroundInput
    | ReviewInput
    | SnapshotInput
    | PauseInput
    | ChildInput
    | CompactionInput
)
"""Messages to an agent that its turn handles, by conversation; each has its own `match`."""
TurnMessage = TurnInput | ChildEvent


def advance(state: AgentState, message: TurnMessage) -> tuple[AgentState, tuple[Effect, ...]]:
    """Handle one message; return the next state and the effects, in order."""
    step = Transition(state)
    _handle(step, message)
    return _finish_transition(step)


def resume_turn(restored: RestoredState) -> tuple[AgentState, tuple[Effect, ...]]:
    """Continue a turn where the records of an earlier run end."""
    step = Transition(restored.state)
    background_tasks.resume(step, has_crashed=restored.has_crashed)
    compaction.end_lost(step)
    reply = restored.open_reply
    turn = restored.state.turn
    if turn.stage is TurnStage.ACTING and reply is not None:
        if not turn.calls:
            model_replies.complete_turn(step, reply)
        elif reply.stop_reason == "tool_use":
            call_lifecycle.resume(step)
        else:
            model_replies.close_incomplete_calls(step, reply.stop_reason)
    subagent_tasks.end_interrupted_reviews(step)
    return _finish_transition(step)


def _handle(step: Transition, message: TurnMessage) -> None:  # noqa: C901, PLR0912  (one case per conversation)
    match message:
        case (
            StartTurn()
            | WithdrawPrompts()
            | CancelTurn()
            | SetModel()
            | SetEffort()
            | PlanFileChecked()
            | TurnTimerStopped()
            | ContextPrepared()
            | AttachmentsRead()
        ):
            _handle_control(step, message)
        case ModelReplied() | ModelFailed() | ModelLimitsFound() | RetryDelayElapsed():
            model_replies.handle(step, message)
        case ToolPlanned() | ToolSucceeded() | ToolFailed():
            call_lifecycle.handle(step, message)
        case PermissionDecision() | ApprovalDecided() | ApprovalUnavailable():
            _handle_approval(step, message)
        case Appended() | AppendFailed() | AppendTimeout():
            persistence.handle(step, message)
        case AssignTask() | CancelTask():
            assigned_tasks.handle(step, message)
        case StartReview() | ReviewPrepared():
            reviews.handle(step, message)
        case SnapshotAttempted() | RecordUndo():
            snapshots.handle(step, message)
            call_lifecycle.start_after_snapshot(step)
        case SlotAcquired() | SlotPending():
            concurrency_slot.handle(step, message)
            call_lifecycle.evaluate_waiting_calls(step)
        case CancelSubagent() if compaction.is_compactor(step, message.child):
            compaction.request_stop(step, message.child)
        case CancelSubagent() | ContinueSubagent() | MoveToBackground():
            background_tasks.handle(step, message)
        case PauseWork() | ResumeWork() | AncestorBudgetExhausted():
            limit_answers.handle(step, message)
        case StartCompaction() | SummaryWritten() | SummaryFailed():
            compaction.handle(step, message)
        case ChildCompleted() | ChildCancelled() | ChildFailed():
            _handle_child_end(step, message)
        case _:
            subagent_tasks.handle(step, message)


def _handle_child_end(step: Transition, end: ChildEnded) -> None:
    """End a task, or a compaction whose subagent ended without an outcome."""
    if compaction.is_compactor(step, end.child):
        compaction.on_child_ended(step, end)
    else:
        subagent_tasks.handle(step, end)


def _handle_control(step: Transition, message: TurnControl) -> None:
    match message:
        case StartTurn():
            _queue_prompt(step, message)
        case WithdrawPrompts():
            steering.withdraw_prompts(step, message)
        case CancelTurn():
            cancellation.on_cancel_turn(step, message)
        case SetModel():
            _set_model(step, message)
        case SetEffort():
            _set_effort(step, message)
        case PlanFileChecked():
            agent_switch.on_plan_file_checked(step, message)
        case TurnTimerStopped():
            cancellation.on_timer_stopped(step, message)
        case ContextPrepared() | AttachmentsRead():
            prompt_context.handle(step, message)
        case _:
            assert_never(message)


def _handle_approval(step: Transition, message: ApprovalInput) -> None:
    """Forward the outcome of a subagent's request; apply any other to the agent's own work."""
    if isinstance(message, PermissionDecision):
        if message.id in step.state.reviews.awaited_ids:
            reviews.on_permission_decision(step, message)
        elif not prompt_context.handle_decision(step, message):
            call_lifecycle.handle_approval(step, message)
    elif message.id in step.state.subagents.open_requests:
        subagent_tasks.forward_approval_outcome(step, message)
    elif message.id == step.state.pause.question_id:
        limit_answers.on_answer(step, message)
    else:
        call_lifecycle.handle_approval(step, message)


def _finish_transition(step: Transition) -> tuple[AgentState, tuple[Effect, ...]]:
    # In this order: each looks at what those before it have changed.
    compaction.apply_ready(step)
    _continue_if_synced(step)
    limit_pause.withdraw_if_pointless(step)
    compaction.count_added(step)
    concurrency_slot.release_if_idle(step)
    cancellation.update_timer(step)
    return step.state, tuple(step.effects)


def _queue_prompt(step: Transition, prompt: StartTurn) -> None:
    prompts = step.state.prompts
    if prompts.one_shot:
        step.emit(RejectPrompt())
    elif prompt.turn in prompts.own_turns:
        step.emit(RejectTurnNumber(prompt, prompts.next_number))
    elif prompt.turn > prompts.last_number:  # else it has arrived before
        queued = QueuedPrompt(
            prompt.turn, prompt.text, mentions=prompt.mentions, starts_turn=prompt.starts_turn
        )
        step.update(prompts=prompts.with_prompt(queued))


def _start_first_turn(step: Transition) -> None:
    """Start the first queued prompt; if it was cancelled before, it ends without a record."""
    state = step.state
    prompt = state.prompts.queued[0]
    is_cancelled = prompt.turn in state.prompts.cancelled_turns
    step.update(
        prompts=state.prompts.without_first(),
        totals=state.totals.with_next_prompt(),
        pause=limit_pause.with_next_turn(state),
        turn=state.turn.with_next_turn(prompt, state.totals.limits.seconds),
    )
    if is_cancelled:
        step.publish(TurnInterrupted(turn=prompt.turn))
    else:
        prompt_context.prepare(step, prompt)


def _must_wake(state: AgentState) -> bool:
    """Return whether notifications start a turn; a cancelled prompt must not arrive during it."""
    return state.subagents.must_wake and not state.prompts.cancelled_turns


def _start_own_turn(step: Transition) -> None:
    """Start a turn for the notifications; the limits of the last prompt still apply to it."""
    state = step.state
    number = state.prompts.next_number
    step.update(
        prompts=state.prompts.with_own_turn(number),
        turn=state.turn.with_next_turn(QueuedPrompt(number, ""), state.turn.timer.remaining_s),
    )
    prompt_context.record_start(step, TurnStarted(turn=number, prompt="", has_prompt=False))


def _set_model(step: Transition, message: SetModel) -> None:
    """Use another model from the next request on; a running request is not affected."""
    model = step.state.model
    if message.model != model.name:
        compaction.reset(step)
        changed = ModelChanged(model=message.model)
        step.update(model=replace(model, name=message.model, is_fixed=True))
        step.write(changed)
        step.publish(changed)


def _set_effort(step: Transition, message: SetEffort) -> None:
    """Use another effort from the next request on; a running request is not affected."""
    if message.effort != step.state.model.effort:
        changed = EffortChanged(effort=message.effort)
        step.update(model=replace(step.state.model, effort=message.effort, effort_is_fixed=True))
        step.write(changed)
        step.publish(changed)


def _continue_if_synced(step: Transition) -> None:
    """Leave a recording stage whose records are on disk, then start queued prompts."""
    steering.deliver_prompts(step)
    turn, is_settled = step.state.turn, step.state.persistence.is_settled
    if is_settled and turn.stage in (TurnStage.RECORDING_PROMPT, TurnStage.RECORDING_RESULTS):
        model_replies.request_reply(step)
    elif is_settled and turn.pending_end is not None and not snapshots.delays_end(step):
        step.publish(turn.pending_end)
        if isinstance(turn.pending_end, TurnFailed):
            steering.return_prompts(step)
        step.update(turn=turn.without_turn())
        assigned_tasks.finish_if_done(step)
    while (
        step.state.turn.stage is TurnStage.IDLE
        and (step.state.prompts.queued or _must_wake(step.state))
        and not agent_switch.is_switch_pending(step.state)
    ):
        if step.state.prompts.queued:
            _start_first_turn(step)
        else:
            _start_own_turn(step)
