"""From a session's records back to the turn where they stop."""

from dataclasses import replace

from actors.agents.state import Call, CallStage, Past, Stage, Turn
from messages.approvals import (
    ApprovalAnswered,
    ApprovalRefused,
    ApprovalRequest,
    ApprovalWithdrawn,
    ExecApprovalRequest,
    PatchApprovalRequest,
)
from messages.content import ToolUseBlock, Usage
from messages.permissions import Config
from messages.transcript import Record, RunStarted
from messages.turns import (
    ReplyCompleted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)


def past_of(records: tuple[Record, ...], blank: Turn) -> Past:
    """Put an agent back where its records stop; `blank` is the turn of an agent without a past."""
    numbers = [record.turn for record in records if isinstance(record, TurnStarted)]
    last = _last_turn(records)
    turn = replace(blank, number=max(numbers, default=0))
    if not last or any(isinstance(each, TurnEnded) for each in last):
        return Past(turn, records)
    replies = [record for record in last if isinstance(record, ReplyCompleted)]
    used = sum((reply.usage for reply in replies), Usage())
    if not replies:
        return Past(replace(turn, stage=Stage.SETTLING), records)
    since = last[last.index(replies[-1]) :]
    calls = tuple(
        _call(block, since, turn.reading)
        for block in replies[-1].content
        if isinstance(block, ToolUseBlock)
    )
    done = bool(calls) and all(call.stage is CallStage.DONE for call in calls)
    stage = Stage.SETTLING if done else Stage.ACTING
    turn = replace(turn, stage=stage, calls=calls, usage=used)
    return Past(turn, records, replies[-1], _denied(since))


def last_config(records: tuple[Record, ...]) -> Config | None:
    """The session's configuration: whole records, the last one counts."""
    return next((each for each in reversed(records) if isinstance(each, Config)), None)


def last_run(records: tuple[Record, ...]) -> int:
    """The number of the last run; 0: there was none."""
    return max((record.run for record in records if isinstance(record, RunStarted)), default=0)


def _last_turn(records: tuple[Record, ...]) -> tuple[Record, ...]:
    starts = [at for at, record in enumerate(records) if isinstance(record, TurnStarted)]
    said = records[starts[-1] :] if starts else ()
    return tuple(record for record in said if not isinstance(record, RunStarted | Config))


def _call(use: ToolUseBlock, since: tuple[Record, ...], reading: frozenset[str]) -> Call:
    call = Call(use, changes=use.name not in reading)
    for record in since:
        match record:
            case ToolEnded(call_id=use.id):
                return replace(call, stage=CallStage.DONE)
            case ToolStarted(call_id=use.id):
                call = replace(call, stage=CallStage.RUNNING)
            case _:
                pass
    return _with_question(call, since)


def _with_question(call: Call, since: tuple[Record, ...]) -> Call:
    """Re-adopt the call's last question: open, it is asked again by its id; answered, it counts."""
    asked = [each for each in _questions(since) if each.call_id == call.use.id]
    if not asked:
        return call
    ends = {each.id: each for each in since if isinstance(each, ApprovalAnswered)}
    gone = {each.id for each in since if isinstance(each, ApprovalWithdrawn | ApprovalRefused)}
    question = asked[-1]
    if question.id in gone:
        return call
    answer = ends.get(question.id)
    if answer is None:
        return replace(call, approval=question.id)
    return replace(call, consent=question if answer.answer != "no" else None)


def _denied(since: tuple[Record, ...]) -> tuple[str, ...]:
    said_no = {
        each.id for each in since if isinstance(each, ApprovalAnswered) and each.answer == "no"
    }
    return tuple(each.call_id for each in _questions(since) if each.id in said_no)


def _questions(since: tuple[Record, ...]) -> list[ApprovalRequest]:
    return [
        each for each in since if isinstance(each, ExecApprovalRequest | PatchApprovalRequest)
    ]
