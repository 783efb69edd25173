"""From a session's records back to the turn where they stop."""

from dataclasses import replace

from actors.agents.restore.subagent_records import (
    build_subagent_table,
    filter_own_records,
    find_last_task_number,
)
from actors.agents.turn.agent_state import AgentState, CallStage, RestoredState, ToolCall, TurnStage
from actors.agents.turn.approval import format_answers, format_denial, is_switch_confirmed
from actors.agents.turn.limits import UsageTotals, count_tokens
from actors.agents.turn.self_messages import PlanFileChecked
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
from messages.journal import Record
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


def restore(records: tuple[Record, ...], initial_state: AgentState) -> RestoredState:
    """Put an agent back where its records stop; `blank` is the turn of an agent without a past."""
    family = build_subagent_table(records, initial_state.agent_address)
    records = filter_own_records(records, initial_state.agent_address)
    numbers = [record.turn for record in records if isinstance(record, TurnStarted)]
    last = _since_last(TurnStarted, records)
    turn = replace(
        initial_state,
        turn_number=max(numbers, default=0),
        totals=_account(records, initial_state.totals),
        subagents=family,
        last_task_number=find_last_task_number(records, initial_state.agent_address),
    )
    turn = restore_agent(turn, [each for each in records if isinstance(each, AgentSwitched)])
    if not last or any(isinstance(each, TurnEnded) for each in last):
        return RestoredState(turn, records, initial_state=initial_state)
    replies = [record for record in last if isinstance(record, ReplyCompleted)]
    account = replace(turn.totals, reply_count=len(replies))
    turn = replace(turn, totals=account, usage=_used(last))
    if not replies:
        return RestoredState(
            replace(turn, stage=TurnStage.RECORDING_RESULTS), records, initial_state=initial_state
        )
    reply, since = replies[-1], _since_last(ReplyCompleted, last)
    calls = tuple(
        _call(block, since, turn.read_only_tools)
        for block in reply.content
        if isinstance(block, ToolUseBlock)
    )
    stage = TurnStage.RECORDING_RESULTS if _answered(calls, reply) else TurnStage.ACTING
    return RestoredState(replace(turn, stage=stage, calls=calls), records, reply, initial_state)


def find_chosen_model(records: tuple[Record, ...]) -> str:
    """Name the model that a person chose last in earlier runs; empty: they chose none."""
    chosen = (each.model for each in reversed(records) if isinstance(each, ModelChanged))
    return next(chosen, "")


def restore_after_crash(
    records: tuple[Record, ...],
    restored: RestoredState,
    life: int,
    append_id: int,
    *,
    crashed: bool,
) -> RestoredState:
    """Put an agent back that has lived before, under marks (above `mark`) that nobody has heard of.

    After a crash its open questions are withdrawn: they are asked anew, under new ids.
    """
    blank = restored.initial_state or restored.state
    model = find_chosen_model(records) or blank.model
    blank = replace(
        blank,
        incarnation=life,
        model=model,
        evaluation_count=append_id,
        last_append_id=append_id,
        synced_append_id=append_id,
    )
    found = replace(restore(records, blank), task=restored.task)
    if not crashed:
        return found
    calls = tuple(replace(call, approval_id="") for call in found.state.calls)
    family = replace(found.state.subagents, names_to_resume=frozenset())
    return replace(found, state=replace(found.state, calls=calls, subagents=family))


def find_last_turn_end(records: tuple[Record, ...]) -> TurnEnded | None:
    """Say how the last turn ended; None: it is open, or there was none."""
    turns = (each for each in reversed(records) if isinstance(each, TurnStarted | TurnEnded))
    last = next(turns, None)
    return last if isinstance(last, TurnEnded) else None


def restore_agent(turn: AgentState, switches: list[AgentSwitched]) -> AgentState:
    """Say who has the session after an earlier run; one that there is no more has it no more."""
    known = {each.name for each in turn.primary_agents}
    if not switches or switches[-1].agent not in known:
        return turn
    last = switches[-1]
    return replace(turn, agent=last.agent, previous_agent=last.previous_agent)


def find_pending_switch(past: RestoredState, records: tuple[Record, ...]) -> PlanFileChecked | None:
    """Say what of a run's first switch is to be done after a crash: all of it, or nothing."""
    before = sum(isinstance(each, AgentSwitched) for each in past.records)
    now = sum(isinstance(each, AgentSwitched) for each in records)
    return past.pending_switch if now == before else None


def _account(records: tuple[Record, ...], blank: UsageTotals) -> UsageTotals:
    """Add up what earlier runs used, and how long the conversation was at their end."""
    replies = (each.usage for each in reversed(records) if isinstance(each, ReplyCompleted))
    last = next(replies, Usage())
    return replace(blank, earlier_runs=_used(records), context_tokens=count_tokens(last))


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
    call = ToolCall(use, is_changing=use.name not in reading)
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
    asked = [each for each in _questions(since) if each.call_id == call.tool_use.id]
    if not asked:
        return call
    ends = {each.id: each for each in since if isinstance(each, ApprovalDecided)}
    gone = {each.id for each in since if isinstance(each, ApprovalWithdrawn)}
    question = asked[-1]
    if question.id in gone:
        return call
    answer = ends.get(question.id)
    if answer is None:
        return replace(call, approval_id=question.id)
    if answer.decision == "no":
        return replace(call, final_result=("denied", format_denial(answer)))
    if isinstance(question, QuestionRequest) and answer.answers:
        said = format_answers(question.questions, answer.answers, question.switch_proposal)
        yes = question.switch_proposal and is_switch_confirmed(
            question.switch_proposal, answer.answers
        )
        return replace(
            call,
            final_result=("ok", said),
            switch_proposal=question.switch_proposal if yes else None,
        )
    return replace(call, recorded_approval=question) if answer.decided_by == "person" else call


def _questions(since: tuple[Record, ...]) -> list[ApprovalRequest]:
    return [each for each in since if isinstance(each, AnyApprovalRequest)]
