"""The turn as a pure state machine: `(state, message) -> (state, effects)`.

Every `tool_use` gets exactly one `ToolEnded`, whatever happens; a changing call's `ToolStarted` is
on disk before it runs, and everything said is on disk, or refused by it, before the model is asked
again.
"""

from dataclasses import replace

from actors.agents import calls, children, disk, errands, places, replies, stopping, switching
from actors.agents.children import FromBelow, Heard
from actors.agents.effects import Effect, Refuse
from actors.agents.retry import Tries
from actors.agents.state import Past, Stage, Turn
from actors.agents.step import Step
from messages.approvals import ApprovalAnswered, ApprovalRefused
from messages.content import Usage
from messages.models import ClockStopped, ModelFailed, ModelMeasured, ModelReplied, WaitEnded
from messages.permissions import PermissionVerdict
from messages.subagents import CancelErrand, Errand, PlaceGiven, PlacesFull
from messages.tools import ToolFailed, ToolPlanned, ToolSucceeded
from messages.transcript import Appended, AppendFailed, AppendLate
from messages.turns import (
    CancelTurn,
    ChooseModel,
    ModelChanged,
    Prompt,
    SwitchPrepared,
    TurnInterrupted,
    TurnStarted,
)

TurnInput = (
    Prompt
    | CancelTurn
    | ChooseModel
    | SwitchPrepared
    | ModelReplied
    | ModelFailed
    | ModelMeasured
    | WaitEnded
    | ClockStopped
    | ToolPlanned
    | ToolSucceeded
    | ToolFailed
    | PermissionVerdict
    | ApprovalAnswered
    | ApprovalRefused
    | Appended
    | AppendFailed
    | FromBelow
    | Errand
    | CancelErrand
    | PlaceGiven
    | PlacesFull
    | AppendLate
)
"""What an agent receives for its turn."""
TurnMessage = TurnInput | Heard


def advance(turn: Turn, message: TurnMessage) -> tuple[Turn, tuple[Effect, ...]]:
    """Take one message; the next state, and the effects in the order to carry them out."""
    step = Step(turn)
    _take(step, message)
    return _settled(step)


def go_on(past: Past) -> tuple[Turn, tuple[Effect, ...]]:
    """Take up a turn where the records of an earlier run stop."""
    step = Step(past.turn)
    reply = past.reply
    if past.turn.stage is Stage.ACTING and reply is not None:
        if not past.turn.calls:
            replies.conclude(step, reply)
        elif reply.stop_reason == "tool_use":
            calls.take_up(step)
        else:
            replies.cut_off(step, reply.stop_reason)
    return _settled(step)


def _take(step: Step, message: TurnMessage) -> None:  # noqa: C901, PLR0912  (one case a message)
    match message:
        case Prompt():
            _prompted(step, message)
        case CancelTurn():
            stopping.cancelled(step, message)
        case ChooseModel():
            _chosen(step, message)
        case SwitchPrepared():
            switching.prepared(step, message)
        case ModelReplied():
            replies.replied(step, message)
        case ModelFailed():
            replies.model_failed(step, message)
        case ModelMeasured():
            replies.measured(step, message)
        case WaitEnded():
            replies.waited(step, message)
        case ClockStopped():
            stopping.clock_stopped(step, message)
        case ToolPlanned():
            calls.planned(step, message)
        case ToolSucceeded():
            calls.succeeded(step, message)
        case ToolFailed():
            calls.failed(step, message)
        case PermissionVerdict():
            calls.judged(step, message)
        case ApprovalAnswered() | ApprovalRefused() if message.id in step.turn.family.open:
            children.answered(step, message)
        case ApprovalAnswered():
            calls.answered(step, message)
        case ApprovalRefused():
            calls.refused(step, message)
        case Appended():
            disk.synced(step, message)
        case AppendFailed():
            disk.refused(step, message)
        case AppendLate():
            disk.late(step, message)
        case Errand() | CancelErrand():
            errands.take(step, message)
        case PlaceGiven() | PlacesFull():
            places.take(step, message)
        case _:
            children.take(step, message)


def _settled(step: Step) -> tuple[Turn, tuple[Effect, ...]]:
    _move_on(step)
    places.keep(step)
    stopping.keep_time(step)
    return step.turn, tuple(step.effects)


def _prompted(step: Step, prompt: Prompt) -> None:
    turn = step.turn
    known = prompt.turn <= turn.number or any(each.turn == prompt.turn for each in turn.queue)
    if turn.one_shot:
        step.do(Refuse())
    elif not known:
        step.set(queue=(*turn.queue, prompt))


def _begin(step: Step, prompt: Prompt) -> None:
    """Take up a prompt, unless its cancel overtook it: then it never leaves a record."""
    turn = step.turn
    refused = prompt.turn in turn.cancelled
    left = frozenset(each for each in turn.cancelled if each > prompt.turn)
    step.set(
        number=prompt.turn,
        cancelled=left,
        usage=Usage(),
        tries=Tries(),
        malformed=0,
        account=replace(turn.account, replies=0),
        clock=replace(turn.clock, left_s=turn.account.limits.seconds),
    )
    if refused:
        step.report(TurnInterrupted(turn=prompt.turn))
    else:
        started = TurnStarted(turn=prompt.turn, prompt=prompt.text)
        step.set(stage=Stage.OPENING)
        step.write(started)
        step.report(started)


def _chosen(step: Step, message: ChooseModel) -> None:
    """Ask another model from now on; the request that runs is not touched."""
    if message.model != step.turn.model:
        changed = ModelChanged(model=message.model)
        step.set(model=message.model)
        step.write(changed)
        step.report(changed)


def _move_on(step: Step) -> None:
    """Leave the stages that only wait for the disk, then take up the prompts that wait."""
    turn = step.turn
    settled = max(turn.synced, turn.refused) >= turn.written
    if settled and turn.stage in (Stage.OPENING, Stage.SETTLING):
        replies.ask(step)
    elif settled and turn.ending is not None:
        step.report(turn.ending)
        step.set(stage=Stage.IDLE, calls=(), stopping=False, limit=None, ending=None)
        errands.finish_if_done(step)
    while step.turn.stage is Stage.IDLE and step.turn.queue and not switching.awaited(step.turn):
        first, *rest = step.turn.queue
        step.set(queue=tuple(rest))
        _begin(step, first)
