"""The turn as a pure state machine: `(state, message) -> (state, effects)`.

Every `tool_use` gets exactly one `ToolEnded`, whatever happens; a changing call's `ToolStarted` is
on disk before it runs, and everything said is on disk, or refused by it, before the model is asked
again.
"""

from dataclasses import replace

from actors.agents import calls, children, disk, errands, places, replies, stopping, switching
from actors.agents.children import ChildEvent, ChildInput
from actors.agents.effects import Effect, RejectPrompt
from actors.agents.retry import RetryState
from actors.agents.state import AgentState, RestoredState, TurnStage
from actors.agents.step import Transition
from messages.approvals import ApprovalDecided, ApprovalUnavailable
from messages.content import Usage
from messages.models import (
    ModelFailed,
    ModelLimitsFound,
    ModelReplied,
    RetryDelayElapsed,
    TurnTimerStopped,
)
from messages.permissions import PermissionDecision
from messages.subagents import AssignTask, CancelTask, SlotAcquired, SlotPending
from messages.tools import ToolFailed, ToolPlanned, ToolSucceeded
from messages.transcript import Appended, AppendFailed, AppendTimeout
from messages.turns import (
    CancelTurn,
    ModelChanged,
    PlanFileChecked,
    SetModel,
    StartTurn,
    TurnInterrupted,
    TurnStarted,
)

TurnInput = (
    StartTurn
    | CancelTurn
    | SetModel
    | PlanFileChecked
    | ModelReplied
    | ModelFailed
    | ModelLimitsFound
    | RetryDelayElapsed
    | TurnTimerStopped
    | ToolPlanned
    | ToolSucceeded
    | ToolFailed
    | PermissionDecision
    | ApprovalDecided
    | ApprovalUnavailable
    | Appended
    | AppendFailed
    | ChildInput
    | AssignTask
    | CancelTask
    | SlotAcquired
    | SlotPending
    | AppendTimeout
)
"""What an agent receives for its turn."""
TurnMessage = TurnInput | ChildEvent


def advance(turn: AgentState, message: TurnMessage) -> tuple[AgentState, tuple[Effect, ...]]:
    """Take one message; the next state, and the effects in the order to carry them out."""
    step = Transition(turn)
    _take(step, message)
    return _settled(step)


def go_on(past: RestoredState) -> tuple[AgentState, tuple[Effect, ...]]:
    """Take up a turn where the records of an earlier run stop."""
    step = Transition(past.turn)
    reply = past.reply
    if past.turn.stage is TurnStage.ACTING and reply is not None:
        if not past.turn.calls:
            replies.conclude(step, reply)
        elif reply.stop_reason == "tool_use":
            calls.take_up(step)
        else:
            replies.cut_off(step, reply.stop_reason)
    return _settled(step)


def _take(step: Transition, message: TurnMessage) -> None:  # noqa: C901, PLR0912  (one case a message)
    match message:
        case StartTurn():
            _prompted(step, message)
        case CancelTurn():
            stopping.cancelled(step, message)
        case SetModel():
            _chosen(step, message)
        case PlanFileChecked():
            switching.prepared(step, message)
        case ModelReplied():
            replies.replied(step, message)
        case ModelFailed():
            replies.model_failed(step, message)
        case ModelLimitsFound():
            replies.measured(step, message)
        case RetryDelayElapsed():
            replies.waited(step, message)
        case TurnTimerStopped():
            stopping.clock_stopped(step, message)
        case ToolPlanned():
            calls.planned(step, message)
        case ToolSucceeded():
            calls.succeeded(step, message)
        case ToolFailed():
            calls.failed(step, message)
        case PermissionDecision():
            calls.judged(step, message)
        case ApprovalDecided() | ApprovalUnavailable() if message.id in step.turn.family.open:
            children.answered(step, message)
        case ApprovalDecided():
            calls.answered(step, message)
        case ApprovalUnavailable():
            calls.refused(step, message)
        case Appended():
            disk.synced(step, message)
        case AppendFailed():
            disk.refused(step, message)
        case AppendTimeout():
            disk.late(step, message)
        case AssignTask() | CancelTask():
            errands.take(step, message)
        case SlotAcquired() | SlotPending():
            places.take(step, message)
        case _:
            children.take(step, message)


def _settled(step: Transition) -> tuple[AgentState, tuple[Effect, ...]]:
    _move_on(step)
    places.keep(step)
    stopping.keep_time(step)
    return step.turn, tuple(step.effects)


def _prompted(step: Transition, prompt: StartTurn) -> None:
    turn = step.turn
    known = prompt.turn <= turn.number or any(each.turn == prompt.turn for each in turn.queue)
    if turn.one_shot:
        step.do(RejectPrompt())
    elif not known:
        step.set(queue=(*turn.queue, prompt))


def _begin(step: Transition, prompt: StartTurn) -> None:
    """Take up a prompt, unless its cancel overtook it: then it never leaves a record."""
    turn = step.turn
    refused = prompt.turn in turn.cancelled
    left = frozenset(each for each in turn.cancelled if each > prompt.turn)
    step.set(
        number=prompt.turn,
        cancelled=left,
        usage=Usage(),
        tries=RetryState(),
        malformed=0,
        account=replace(turn.account, reply_count=0),
        clock=replace(turn.clock, left_s=turn.account.limits.seconds),
    )
    if refused:
        step.report(TurnInterrupted(turn=prompt.turn))
    else:
        started = TurnStarted(turn=prompt.turn, prompt=prompt.text)
        step.set(stage=TurnStage.OPENING)
        step.write(started)
        step.report(started)


def _chosen(step: Transition, message: SetModel) -> None:
    """Ask another model from now on; the request that runs is not touched."""
    if message.model != step.turn.model:
        changed = ModelChanged(model=message.model)
        step.set(model=message.model)
        step.write(changed)
        step.report(changed)


def _move_on(step: Transition) -> None:
    """Leave the stages that only wait for the disk, then take up the prompts that wait."""
    turn = step.turn
    settled = max(turn.synced, turn.refused) >= turn.written
    if settled and turn.stage in (TurnStage.OPENING, TurnStage.SETTLING):
        replies.ask(step)
    elif settled and turn.ending is not None:
        step.report(turn.ending)
        step.set(stage=TurnStage.IDLE, calls=(), stopping=False, limit=None, ending=None)
        errands.finish_if_done(step)
    while (
        step.turn.stage is TurnStage.IDLE and step.turn.queue and not switching.awaited(step.turn)
    ):
        first, *rest = step.turn.queue
        step.set(queue=tuple(rest))
        _begin(step, first)
