"""From a session's records back to the turn where they stop."""

from dataclasses import replace

from actors.agents.answers import agreed, denial, told
from actors.agents.kinship import family_of, own, taken_errand
from actors.agents.limits import UsageTotals, tokens_of
from actors.agents.state import AgentState, CallStage, RestoredState, ToolCall, TurnStage
from actors.agents.switching import switched_back
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalRequest,
    ApprovalWithdrawn,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.content import ToolUseBlock, Usage
from messages.transcript import Record
from messages.turns import (
    AgentSwitched,
    ModelChanged,
    ModelRetrying,
    ReplyCompleted,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnEnded,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)


def past_of(records: tuple[Record, ...], blank: AgentState) -> RestoredState:
    """Put an agent back where its records stop; `blank` is the turn of an agent without a past."""
    family = family_of(records, blank.asker)
    records = own(records, blank.asker)
    numbers = [record.turn for record in records if isinstance(record, TurnStarted)]
    last = _since_last(TurnStarted, records)
    turn = replace(
        blank,
        number=max(numbers, default=0),
        account=_account(records, blank.account),
        family=family,
        errand=taken_errand(records, blank.asker),
    )
    turn = switched_back(turn, [each for each in records if isinstance(each, AgentSwitched)])
    if not last or any(isinstance(each, TurnEnded) for each in last):
        return RestoredState(turn, records, blank=blank)
    replies = [record for record in last if isinstance(record, ReplyCompleted)]
    account = replace(turn.account, reply_count=len(replies))
    turn = replace(turn, account=account, usage=_used(last))
    if not replies:
        return RestoredState(replace(turn, stage=TurnStage.SETTLING), records, blank=blank)
    reply, since = replies[-1], _since_last(ReplyCompleted, last)
    calls = tuple(
        _call(block, since, turn.reading)
        for block in reply.content
        if isinstance(block, ToolUseBlock)
    )
    stage = TurnStage.SETTLING if _answered(calls, reply) else TurnStage.ACTING
    return RestoredState(replace(turn, stage=stage, calls=calls), records, reply, blank)


def chosen_model(records: tuple[Record, ...]) -> str:
    """Name the model that a person chose last in earlier runs; empty: they chose none."""
    chosen = (each.model for each in reversed(records) if isinstance(each, ModelChanged))
    return next(chosen, "")


def again(
    records: tuple[Record, ...], past: RestoredState, life: int, mark: int, *, crashed: bool
) -> RestoredState:
    """Put an agent back that has lived before, under marks (above `mark`) that nobody has heard of.

    After a crash its open questions are withdrawn: they are asked anew, under new ids.
    """
    blank = past.blank or past.turn
    model = chosen_model(records) or blank.model
    blank = replace(blank, life=life, model=model, judged=mark, written=mark, synced=mark)
    found = replace(past_of(records, blank), errand=past.errand)
    if not crashed:
        return found
    calls = tuple(replace(call, approval="") for call in found.turn.calls)
    family = replace(found.turn.family, returning=frozenset())
    return replace(found, turn=replace(found.turn, calls=calls, family=family))


def last_end(records: tuple[Record, ...]) -> TurnEnded | None:
    """Say how the last turn ended; None: it is open, or there was none."""
    turns = (each for each in reversed(records) if isinstance(each, TurnStarted | TurnEnded))
    last = next(turns, None)
    return last if isinstance(last, TurnEnded) else None


def _account(records: tuple[Record, ...], blank: UsageTotals) -> UsageTotals:
    """Add up what earlier runs used, and how long the conversation was at their end."""
    replies = (each.usage for each in reversed(records) if isinstance(each, ReplyCompleted))
    last = next(replies, Usage())
    return replace(blank, before=_used(records), context_tokens=tokens_of(last))


def _used(records: tuple[Record, ...]) -> Usage:
    """Add up what was used; a turn's end has its sum, failed requests included."""
    ended = running = Usage()
    for record in records:
        match record:
            case ReplyCompleted() | ModelRetrying():
                running += record.usage
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                ended, running = ended + record.usage, Usage()
            case _:
                pass
    return ended + running


def _since_last(
    kind: type[TurnStarted | ReplyCompleted], records: tuple[Record, ...]
) -> tuple[Record, ...]:
    at = next((at for at in reversed(range(len(records))) if isinstance(records[at], kind)), None)
    return records[at:] if at is not None else ()


def _answered(calls: tuple[ToolCall, ...], reply: ReplyCompleted) -> bool:
    """Whether the model goes on: it called, and every call has its result."""
    goes_on = reply.stop_reason in ("tool_use", "max_tokens")
    return goes_on and bool(calls) and all(call.stage is CallStage.DONE for call in calls)


def _call(use: ToolUseBlock, since: tuple[Record, ...], reading: frozenset[str]) -> ToolCall:
    call = ToolCall(use, changes=use.name not in reading)
    for record in since:
        match record:
            case ToolEnded(call_id=use.id):
                return replace(call, stage=CallStage.DONE)
            case ToolStarted(call_id=use.id):
                call = replace(call, stage=CallStage.RUNNING)
            case (
                ExecApprovalRequest(call_id=use.id)
                | PatchApprovalRequest(call_id=use.id)
                | QuestionRequest(call_id=use.id)
            ):
                # Asked after a start: its target had changed, so what was started did not run.
                call = replace(call, stage=CallStage.WAITING)
            case _:
                pass
    return _with_question(call, since) if call.stage is CallStage.WAITING else call


def _with_question(call: ToolCall, since: tuple[Record, ...]) -> ToolCall:
    """Re-adopt the call's last question: open, it is asked again by its id; answered, it counts."""
    asked = [each for each in _questions(since) if each.call_id == call.use.id]
    if not asked:
        return call
    ends = {each.id: each for each in since if isinstance(each, ApprovalDecided)}
    gone = {each.id for each in since if isinstance(each, ApprovalWithdrawn)}
    question = asked[-1]
    if question.id in gone:
        return call
    answer = ends.get(question.id)
    if answer is None:
        return replace(call, approval=question.id)
    if answer.decision == "no":
        return replace(call, settled=("denied", denial(answer)))
    if isinstance(question, QuestionRequest) and answer.answers:
        said = told(question.questions, answer.answers, question.switch_proposal)
        yes = question.switch_proposal and agreed(question.switch_proposal, answer.answers)
        return replace(
            call, settled=("ok", said), switch_proposal=question.switch_proposal if yes else None
        )
    return replace(call, consent=question) if answer.decided_by == "person" else call


def _questions(since: tuple[Record, ...]) -> list[ApprovalRequest]:
    return [each for each in since if isinstance(each, AnyApprovalRequest)]
