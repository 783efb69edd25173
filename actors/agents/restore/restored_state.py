"""Restores an agent's state from the records of its session."""

from dataclasses import replace

from actors.agents.restore.subagent_records import (
    build_subagent_table,
    filter_own_records,
    find_last_task_number,
)
from actors.agents.turn.agent_identity import AgentIdentity
from actors.agents.turn.agent_state import AgentState, RestoredState, SnapshotState
from actors.agents.turn.agent_switch import with_settings_of_active_agent
from actors.agents.turn.approval_requests import format_answers, format_denial, is_switch_confirmed
from actors.agents.turn.limits import LimitReached, TimerState, UsageTotals, count_tokens
from actors.agents.turn.model_state import ModelState
from actors.agents.turn.review_table import restore_reviews
from actors.agents.turn.self_messages import PlanFileChecked
from actors.agents.turn.turn_state import (
    CallStage,
    ToolCall,
    TurnStage,
    build_call,
)
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalRequest,
    ApprovalWithdrawn,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.compaction import Compacted
from messages.content import ToolUseBlock, Usage
from messages.journal import Record
from messages.snapshots import SnapshotTaken
from messages.steering import PromptDelivered
from messages.turns import (
    AgentSwitched,
    EffortChanged,
    ModelChanged,
    ModelRetrying,
    ReplyCompleted,
    RequestOutcome,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnEnded,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)


def restore(records: tuple[Record, ...], initial_state: AgentState) -> RestoredState:
    """Return an agent's state where its records end.

    `initial_state` is the state of the same agent without records.
    """
    address = initial_state.identity.address
    table = build_subagent_table(records, address)
    records = filter_own_records(records, address)
    started_turns = [record for record in records if isinstance(record, TurnStarted)]
    switches = [record for record in records if isinstance(record, AgentSwitched)]
    last_turn = _take_since_last(TurnStarted, records)
    initial_state = replace(
        initial_state, selection=initial_state.selection.with_last_recorded(switches)
    )
    active_state = with_settings_of_active_agent(initial_state)
    turn = replace(
        initial_state.turn,
        request_number=_find_last_request_number(records),
        number=max((started.turn for started in started_turns), default=0),
        task_number=started_turns[-1].task_number if started_turns else 0,
        timer=TimerState(remaining_s=active_state.totals.limits.seconds),
    )
    state = replace(
        active_state,
        turn=turn,
        totals=_restore_totals(records, active_state.totals),
        subagents=table,
        reviews=restore_reviews(records),
        compaction=initial_state.compaction.with_records(records, address),
        prompts=replace(
            initial_state.prompts,
            last_number=_find_last_prompt_number(records),
            last_task_number=find_last_task_number(records),
            own_turns=frozenset(
                started.turn for started in started_turns if not started.has_prompt
            ),
        ),
    )
    if not last_turn or any(isinstance(record, TurnEnded) for record in last_turn):
        return RestoredState(state, records, initial_state=initial_state)
    replies = [record for record in last_turn if isinstance(record, ReplyCompleted)]
    state = _restore_limit_answers(state, last_turn)
    # An idle agent waits for the user's next prompt, which takes the notifications along.
    state = replace(state, subagents=replace(table, must_wake=bool(table.notifications)))
    turn = replace(turn, usage=_sum_usage(last_turn))
    state = replace(
        state,
        totals=replace(state.totals, reply_count=len(replies)),
        snapshot=_restore_snapshot(last_turn),
    )
    if not replies:
        turn = replace(turn, stage=TurnStage.RECORDING_RESULTS)
        return RestoredState(replace(state, turn=turn), records, initial_state=initial_state)
    reply, since_reply = replies[-1], _take_since_last(ReplyCompleted, last_turn)
    calls = tuple(
        _restore_call(block, since_reply, state.identity)
        for block in reply.content
        if isinstance(block, ToolUseBlock)
    )
    is_answered = _has_all_results(calls, reply)
    stage = TurnStage.RECORDING_RESULTS if is_answered else TurnStage.ACTING
    turn = replace(turn, stage=stage, calls=calls)
    return RestoredState(replace(state, turn=turn), records, reply, initial_state)


def with_chosen_settings(model: ModelState, records: tuple[Record, ...]) -> ModelState:
    """Return the model and effort that the user chose last in earlier runs, if they did."""
    for record in records:
        match record:
            case ModelChanged():
                model = replace(model, name=record.model, is_fixed=True)
            case EffortChanged():
                model = replace(model, effort=record.effort, effort_is_fixed=True)
            case _:
                pass
    return model


def restore_after_crash(
    records: tuple[Record, ...],
    restored: RestoredState,
    incarnation: int,
    append_id: int,
    *,
    crashed: bool,
) -> RestoredState:
    """Return the state of a later incarnation, whose append ids are all above `append_id`.

    After a crash, open approval requests are withdrawn: the agent asks again under new ids.
    """
    initial_state = restored.initial_state or restored.state
    model = with_chosen_settings(initial_state.model, records)
    initial_state = replace(
        initial_state,
        identity=replace(initial_state.identity, incarnation=incarnation),
        model=model,
        turn=replace(initial_state.turn, evaluation_count=append_id),
        persistence=replace(
            initial_state.persistence, last_append_id=append_id, synced_append_id=append_id
        ),
    )
    result = replace(restore(records, initial_state), task=restored.task)
    if not crashed:
        return result
    turn = result.state.turn
    turn = replace(turn, calls=tuple(replace(call, approval_id="") for call in turn.calls))
    table = result.state.subagents
    table = replace(table, names_to_resume=frozenset(), must_wake=bool(table.notifications))
    pause = replace(result.state.pause, recorded_id="")
    state = replace(result.state, turn=turn, subagents=table, pause=pause)
    return replace(result, state=state, has_crashed=True)


def find_pending_switch(
    restored: RestoredState, records: tuple[Record, ...]
) -> PlanFileChecked | None:
    """Return a run's first switch if a crash came before its record; otherwise None."""
    count_before = sum(isinstance(record, AgentSwitched) for record in restored.records)
    count = sum(isinstance(record, AgentSwitched) for record in records)
    return restored.pending_switch if count == count_before else None


def find_last_turn_end(records: tuple[Record, ...]) -> TurnEnded | None:
    """Return how the last turn ended; None: it is open, or there was none."""
    bounds = (record for record in reversed(records) if isinstance(record, TurnStarted | TurnEnded))
    last = next(bounds, None)
    return last if isinstance(last, TurnEnded) else None


def _restore_limit_answers(state: AgentState, last_turn: tuple[Record, ...]) -> AgentState:
    """Apply the user's answers about limits in the open turn; an open question keeps its id.

    Tokens, seconds and subagents are counted from the start of the run, requests are not.
    """
    questions = {
        record.id: record
        for record in last_turn
        if isinstance(record, QuestionRequest) and record.limit is not None
    }
    decisions = {record.id: record for record in last_turn if isinstance(record, ApprovalDecided)}
    withdrawn_ids = {record.id for record in last_turn if isinstance(record, ApprovalWithdrawn)}
    totals, pause = state.totals, state.pause
    for question in questions.values():
        decided = decisions.get(question.id)
        if question.limit is None or question.id in withdrawn_ids:
            continue
        if decided is None:
            pause = replace(pause, recorded_id=question.id)
        elif decided.answers != (question.questions[0].choices[0].label,):
            pause = replace(pause, stopped=LimitReached(question.limit, question.reason))
        elif question.limit == "max_turns":
            totals = totals.with_extension(question.limit)
    return replace(state, totals=totals, pause=pause)


def _restore_totals(records: tuple[Record, ...], totals: UsageTotals) -> UsageTotals:
    """Add the usage of earlier runs and the size of the conversation at their end."""
    sizes = (
        record.tokens_after if isinstance(record, Compacted) else count_tokens(record.usage)
        for record in reversed(records)
        if isinstance(record, ReplyCompleted | Compacted)
    )
    return replace(totals, earlier_runs=_sum_usage(records), context_tokens=next(sizes, 0))


def _find_last_prompt_number(records: tuple[Record, ...]) -> int:
    """Return the last number of a turn, or of a prompt that was delivered to one."""
    started = (record.turn for record in records if isinstance(record, TurnStarted))
    delivered = (record.number for record in records if isinstance(record, PromptDelivered))
    return max((*started, *delivered), default=0)


def _find_last_request_number(records: tuple[Record, ...]) -> int:
    """Return the number of the last request with a recorded outcome; 0: none."""
    numbers = (
        record.request.number
        for record in reversed(records)
        if isinstance(record, RequestOutcome) and record.request.number
    )
    return next(numbers, 0)


def _sum_usage(records: tuple[Record, ...]) -> Usage:
    """Add up usage; the end of a turn holds its sum, failed requests included."""
    ended_turns = open_turn = Usage()
    for record in records:
        match record:
            case ReplyCompleted() | ModelRetrying():
                open_turn += record.usage
            case Compacted():
                ended_turns += record.usage  # no part of a turn's sum
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                ended_turns, open_turn = ended_turns + record.usage, Usage()
            case _:
                pass
    return ended_turns + open_turn


def _restore_snapshot(last_turn: tuple[Record, ...]) -> SnapshotState:
    has_first = any(isinstance(record, SnapshotTaken) for record in last_turn)
    return SnapshotState.HAS_FIRST if has_first else SnapshotState.NONE


def _take_since_last(
    record_type: type[TurnStarted | ReplyCompleted], records: tuple[Record, ...]
) -> tuple[Record, ...]:
    """Return the records from the last one of a type on; empty if there is none."""
    for index in reversed(range(len(records))):
        if isinstance(records[index], record_type):
            return records[index:]
    return ()


def _has_all_results(calls: tuple[ToolCall, ...], reply: ReplyCompleted) -> bool:
    """Return whether the model must be asked next: it called tools and all have results."""
    continues = reply.stop_reason in ("tool_use", "max_tokens")
    return continues and bool(calls) and all(call.stage is CallStage.DONE for call in calls)


def _restore_call(
    tool_use: ToolUseBlock, since_reply: tuple[Record, ...], identity: AgentIdentity
) -> ToolCall:
    call = build_call(tool_use, identity)
    for record in since_reply:
        match record:
            case ToolEnded(call_id=tool_use.id):
                return replace(call, stage=CallStage.DONE)
            case ToolStarted(call_id=tool_use.id):
                call = replace(call, stage=CallStage.RUNNING)
            case (
                ExecApprovalRequest(call_id=tool_use.id)
                | PatchApprovalRequest(call_id=tool_use.id)
                | QuestionRequest(call_id=tool_use.id)
            ):
                # Asked after a start: its target had changed, so the started call did not run.
                call = replace(call, stage=CallStage.WAITING)
            case _:
                pass
    return _restore_approval(call, since_reply) if call.stage is CallStage.WAITING else call


def _restore_approval(call: ToolCall, since_reply: tuple[Record, ...]) -> ToolCall:
    """Restore the call's last request: an open one keeps its id, a decided one is applied."""
    requests = [
        record
        for record in since_reply
        if isinstance(record, AnyApprovalRequest) and record.call_id == call.tool_use.id
    ]
    if not requests:
        return call
    decisions = {record.id: record for record in since_reply if isinstance(record, ApprovalDecided)}
    withdrawn_ids = {record.id for record in since_reply if isinstance(record, ApprovalWithdrawn)}
    request = requests[-1]
    if request.id in withdrawn_ids:
        return call
    decided = decisions.get(request.id)
    if decided is None:
        return replace(call, approval_id=request.id)
    return _apply_decision(call, request, decided)


def _apply_decision(call: ToolCall, request: ApprovalRequest, decided: ApprovalDecided) -> ToolCall:
    if decided.decision == "no":
        return replace(call, final_result=("denied", format_denial(decided)))
    if isinstance(request, QuestionRequest) and decided.answers:
        proposal = request.switch_proposal
        text = format_answers(request.questions, decided.answers, proposal)
        is_confirmed = proposal and is_switch_confirmed(proposal, decided.answers)
        return replace(
            call,
            final_result=("ok", text),
            switch_proposal=proposal if is_confirmed else None,
        )
    return replace(call, recorded_approval=request) if decided.decided_by == "user" else call
