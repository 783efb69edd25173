"""The turn as a pure state machine: `(state, message) -> (state, effects)`.

Every `tool_use` gets exactly one `ToolEnded`, whatever happens; a changing call's `ToolStarted` is
on disk before it runs, and everything said is on disk before the model is asked again.
"""

from typing import assert_never

from actors.agents import calls
from actors.agents.effects import AskModel, Effect, StopModel, WithdrawAll
from actors.agents.state import Call, CallStage, Past, Stage, Step, Turn
from messages.approvals import ApprovalAnswered, ApprovalRefused
from messages.content import ToolUseBlock, Usage, text_of
from messages.models import ModelFailed, ModelReplied
from messages.permissions import PermissionVerdict
from messages.tools import ToolFailed, ToolPlanned, ToolSucceeded
from messages.transcript import Appended, AppendFailed
from messages.turns import (
    CancelTurn,
    Prompt,
    ReplyCompleted,
    TurnCompleted,
    TurnFailed,
    TurnFailureReason,
    TurnInterrupted,
    TurnStarted,
)

TurnMessage = (
    Prompt
    | CancelTurn
    | ModelReplied
    | ModelFailed
    | ToolPlanned
    | ToolSucceeded
    | ToolFailed
    | PermissionVerdict
    | ApprovalAnswered
    | ApprovalRefused
    | Appended
    | AppendFailed
)

MAX_CALLS = 128
"""Tool calls of one reply."""
CUT_OFF = "Not run: the reply ended ({reason}) before this call was known to be complete."
STOPPED: dict[str, tuple[TurnFailureReason, str]] = {
    "max_tokens": ("max_tokens", "the reply reached the output limit; say 'go on' to continue"),
    "refusal": ("refusal", "the model declined to answer"),
    "tool_use": ("protocol", "the model announced a tool call and sent none"),
    "end_turn": ("protocol", "the model ended its turn and called tools all the same"),
}


def advance(  # noqa: C901, PLR0912  (one case a message)
    turn: Turn, message: TurnMessage
) -> tuple[Turn, tuple[Effect, ...]]:
    """Take one message; the next state, and the effects in the order to carry them out."""
    step = Step(turn)
    match message:
        case Prompt():
            _prompted(step, message)
        case CancelTurn():
            _cancelled(step, message)
        case ModelReplied():
            _replied(step, message)
        case ModelFailed():
            _model_failed(step, message)
        case ToolPlanned():
            calls.planned(step, message)
        case ToolSucceeded():
            calls.succeeded(step, message)
        case ToolFailed():
            calls.failed(step, message)
        case PermissionVerdict():
            calls.judged(step, message)
        case ApprovalAnswered():
            calls.answered(step, message)
        case ApprovalRefused():
            calls.refused(step, message)
        case Appended():
            _synced(step, message)
        case AppendFailed():
            _unwritable(step, message)
        case _:
            assert_never(message)
    _move_on(step)
    return step.turn, tuple(step.effects)


def go_on(past: Past) -> tuple[Turn, tuple[Effect, ...]]:
    """Take up a turn where the records of an earlier run stop."""
    step = Step(past.turn)
    reply = past.reply
    if past.turn.stage is Stage.ACTING and reply is not None:
        if not past.turn.calls:
            _conclude(step, reply)
        elif reply.stop_reason == "tool_use":
            calls.take_up(step)
        else:
            _cut_off(step, reply.stop_reason)
    _move_on(step)
    return step.turn, tuple(step.effects)


def _prompted(step: Step, prompt: Prompt) -> None:
    turn = step.turn
    known = prompt.turn <= turn.number or any(each.turn == prompt.turn for each in turn.queue)
    if not known:
        step.set(queue=(*turn.queue, prompt))


def _begin(step: Step, prompt: Prompt) -> None:
    """Take up a prompt, unless its cancel overtook it: then it never leaves a record."""
    refused = prompt.turn in step.turn.cancelled
    left = frozenset(turn for turn in step.turn.cancelled if turn > prompt.turn)
    step.set(number=prompt.turn, cancelled=left, usage=Usage())
    if refused:
        step.report(TurnInterrupted(turn=prompt.turn))
    else:
        started = TurnStarted(turn=prompt.turn, prompt=prompt.text)
        step.set(stage=Stage.OPENING)
        step.write(started)
        step.report(started)


def _cancelled(step: Step, message: CancelTurn) -> None:
    turn = step.turn
    if message.turn > turn.number:
        step.set(cancelled=turn.cancelled | {message.turn})
    elif message.turn == turn.number and turn.stage not in (Stage.IDLE, Stage.CLOSING):
        _stop(step)


def _stop(step: Step) -> None:
    """Withdraw before abort: the person must not be asked about what is being stopped."""
    turn = step.turn
    if turn.stopping and turn.stage in (Stage.THINKING, Stage.ACTING):
        return  # it has been told; its end comes
    step.set(stopping=True)
    if any(call.stage is CallStage.PARKED for call in turn.calls):
        step.do(WithdrawAll())
    if turn.stage is Stage.THINKING:
        step.do(StopModel())
    elif turn.stage is Stage.ACTING:
        calls.cancel(step)
    else:
        _interrupted(step)


def _replied(step: Step, reply: ModelReplied) -> None:
    turn = step.turn
    if turn.stage is not Stage.THINKING or reply.request != turn.request:
        return
    step.set(usage=turn.usage + reply.usage)
    uses = [block for block in reply.content if isinstance(block, ToolUseBlock)]
    problem = _problem(uses)
    if problem:
        _fail(step, "protocol", problem, text_of(reply.content))
        return
    completed = ReplyCompleted(
        turn=turn.number,
        content=reply.content,
        stop_reason=reply.stop_reason,
        usage=reply.usage,
        model=reply.model,
    )
    step.write(completed)
    step.report(completed)
    if uses:
        _act(step, uses, reply.stop_reason)
    else:
        _conclude(step, reply)


def _problem(uses: list[ToolUseBlock]) -> str:
    if len({use.id for use in uses}) < len(uses):
        return "two tool calls of one reply have the same id; none was run"
    if len(uses) > MAX_CALLS:
        return f"one reply has {len(uses)} tool calls, more than {MAX_CALLS}; none was run"
    return ""


def _act(step: Step, uses: list[ToolUseBlock], stop_reason: str) -> None:
    new = tuple(Call(use, changes=use.name not in step.turn.reading) for use in uses)
    step.set(stage=Stage.ACTING, calls=new)
    if step.turn.stopping:
        calls.cancel(step)
    elif stop_reason == "tool_use":
        calls.start_ready(step)
    else:
        _cut_off(step, stop_reason)


def _cut_off(step: Step, stop_reason: str) -> None:
    """Answer calls that are not known to be complete; whole JSON is no proof that all was said."""
    for call in step.turn.calls:
        if call.stage is not CallStage.DONE:
            calls.close(step, call, "error", CUT_OFF.format(reason=stop_reason))
    if stop_reason == "max_tokens":
        calls.proceed(step)
    else:
        _fail(step, *_stopped(stop_reason))


def _conclude(step: Step, reply: ModelReplied | ReplyCompleted) -> None:
    turn = step.turn
    if turn.stopping:
        _interrupted(step)
    elif reply.stop_reason in ("end_turn", "stop_sequence"):
        completed = TurnCompleted(
            turn=turn.number,
            text=text_of(reply.content),
            stop_reason=reply.stop_reason,
            usage=turn.usage,
        )
        step.close(completed)
    else:
        _fail(step, *_stopped(reply.stop_reason))


def _stopped(stop_reason: str) -> tuple[TurnFailureReason, str]:
    unknown = f"the model stopped for a reason we do not know: {stop_reason}"
    return STOPPED.get(stop_reason, ("stop_reason", unknown))


def _model_failed(step: Step, failed: ModelFailed) -> None:
    turn = step.turn
    if turn.stage is not Stage.THINKING or failed.request != turn.request:
        return
    _fail(step, failed.reason, failed.detail, failed.partial)


def _interrupted(step: Step, partial: str = "") -> None:
    turn = step.turn
    step.close(TurnInterrupted(turn=turn.number, partial=partial, usage=turn.usage))


def _fail(step: Step, reason: TurnFailureReason, detail: str, partial: str = "") -> None:
    """End with a reason; what goes wrong while a turn is being stopped is no failure of it."""
    turn = step.turn
    if turn.stopping:
        _interrupted(step, partial)
        return
    failed = TurnFailed(
        turn=turn.number, reason=reason, detail=detail, partial=partial, usage=turn.usage
    )
    step.close(failed)


def _synced(step: Step, message: Appended) -> None:
    step.set(synced=max(step.turn.synced, message.id))
    calls.run_recorded(step)


def _unwritable(step: Step, message: AppendFailed) -> None:
    """End the turn without a record, since none can be written; nothing more may have an effect.

    What runs is stopped and waited for, so that the next turn never runs beside it. The failures
    of the same turn's other records, which come later, are not the next turn's.
    """
    turn = step.turn
    if turn.stage is Stage.IDLE or message.id <= turn.synced:
        return
    detail = f"the session could not be written: {message.detail}"
    step.set(unwritable=detail, synced=turn.written)
    _stop(step)


def _move_on(step: Step) -> None:
    """Leave the stages that only wait for the disk, then take up the prompts that wait."""
    turn = step.turn
    synced = turn.synced >= turn.written
    if synced and turn.stage in (Stage.OPENING, Stage.SETTLING):
        step.set(stage=Stage.THINKING, request=turn.request + 1, calls=())
        step.do(AskModel(step.turn.request))
    elif synced and turn.ending is not None:
        step.report(turn.ending)
        step.set(stage=Stage.IDLE, calls=(), stopping=False, unwritable="", ending=None)
    while step.turn.stage is Stage.IDLE and step.turn.queue:
        first, *rest = step.turn.queue
        step.set(queue=tuple(rest))
        _begin(step, first)
