"""State machines with one bug each: proof that the random tests can fail."""

from collections.abc import Callable
from dataclasses import replace

from actors.agents.turn.agent_state import AgentState, RestoredState
from actors.agents.turn.effects import Effect, PublishEvent, RunCall, WithdrawSubtree, WriteRecord
from actors.agents.turn.self_messages import ModelReplied, ToolFailed, ToolPlanned
from actors.agents.turn.state_machine import TurnMessage, advance
from actors.agents.turn.turn_state import CallStage, ToolCall
from messages.approvals import (
    ApprovalDecided,
    ApprovalUnavailable,
    ExecApprovalRequest,
    PatchApprovalRequest,
)
from messages.journal import Appended, AppendFailed
from messages.permissions import PermissionDecision
from messages.steering import PromptDelivered, WithdrawPrompts
from messages.turns import (
    CancelTurn,
    RequestInfo,
    StartTurn,
    ToolEnded,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.turn.message_builders import WRITE_TOOL, approve
from tests.actors.agents.turn.random_environment import Advance

RestoreMutant = Callable[[RestoredState], RestoredState]
TurnResult = tuple[AgentState, tuple[Effect, ...]]


def drop_results(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    return _sync_all(new), tuple(effect for effect in effects if not _is_result(effect))


def write_results_twice(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    return new, (*effects, *(effect for effect in effects if _is_result(effect)))


def treat_ask_as_allow(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, PermissionDecision) and message.action == "ask":
        message = message.model_copy(update={"action": "allow"})
    return advance(state, message)


def treat_deny_as_ask(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, PermissionDecision) and message.action == "deny":
        message = message.model_copy(update={"action": "ask"})
    return advance(state, message)


def run_allowed_commands_in_parallel(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, PermissionDecision):
        message = message.model_copy(update={"changes_nothing": True})
    return advance(state, message)


def treat_denial_as_approval(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ApprovalDecided):
        message = approve(message.id)
    return advance(state, message)


def treat_rule_as_user(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ApprovalDecided) and message.decided_by == "rule":
        message = approve(message.id)
    return advance(state, message)


def treat_unavailable_as_approval(state: AgentState, message: TurnMessage) -> TurnResult:
    return advance(
        state, approve(message.id) if isinstance(message, ApprovalUnavailable) else message
    )


def skip_read_check(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ToolPlanned):
        plan = message.plan.model_copy(update={"unread_file": ""})
        message = message.model_copy(update={"plan": plan})
    return advance(state, message)


def leak_unreadable_content(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    return new, tuple(_leak_rejection(effect, state) for effect in effects)


def _leak_rejection(effect: Effect, state: AgentState) -> Effect:
    if not (isinstance(effect, WriteRecord) and isinstance(effect.record, ToolEnded)):
        return effect
    for call in state.turn.calls:
        if (
            call.tool_use.id == effect.record.call_id
            and call.stage is CallStage.CHECKING_READ
            and call.plan
        ):
            text = call.plan.rejection or effect.record.text
            return replace(effect, record=effect.record.model_copy(update={"text": text}))
    return effect


def accept_stale_decision(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, PermissionDecision):
        call_id = message.id.partition("/")[0]
        decision_id = next(
            (call.decision_id for call in state.turn.calls if call.tool_use.id == call_id),
            message.id,
        )
        message = message.model_copy(update={"id": decision_id})
    return advance(state, message)


def skip_sync(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    if new.persistence.last_append_id > new.persistence.synced_append_id:
        new, more = advance(new, Appended(id=new.persistence.last_append_id))
        effects += more
    return new, effects


def run_changes_in_parallel(state: AgentState, message: TurnMessage) -> TurnResult:
    tools = state.identity.read_only_tools | {WRITE_TOOL}
    identity = replace(state.identity, read_only_tools=tools)
    return advance(replace(state, identity=identity), message)


def run_calls_twice(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    return new, (*effects, *(effect for effect in effects if isinstance(effect, RunCall)))


def abort_before_withdraw(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    last = [effect for effect in effects if isinstance(effect, WithdrawSubtree)]
    return new, (*(effect for effect in effects if not isinstance(effect, WithdrawSubtree)), *last)


def skip_withdraw(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    return new, tuple(effect for effect in effects if not isinstance(effect, WithdrawSubtree))


def end_stopped_calls_early(state: AgentState, message: TurnMessage) -> TurnResult:
    """End each running call at once, as if its job ended with the cancel."""
    new, effects = advance(state, message)
    if new.turn.is_stopping and not state.turn.is_stopping:
        running = [call.tool_use.id for call in new.turn.calls if call.stage is CallStage.RUNNING]
        for call_id in running:
            new, more = advance(new, _build_cancelled(call_id))
            effects += more
    return new, effects


def ignore_cancels(state: AgentState, message: TurnMessage) -> TurnResult:
    return (state, ()) if isinstance(message, CancelTurn) else advance(state, message)


def cancel_any_turn(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, CancelTurn) and state.turn.number:
        message = CancelTurn(turn=state.turn.number)
    return advance(state, message)


def forget_early_cancels(state: AgentState, message: TurnMessage) -> TurnResult:
    prompts = replace(state.prompts, cancelled_turns=frozenset())
    return advance(replace(state, prompts=prompts), message)


def drop_queued_prompts(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    return replace(new, prompts=new.prompts.without_prompts()), effects


def accept_prompt_twice(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, StartTurn) and message.turn <= state.prompts.last_number:
        state = replace(state, prompts=replace(state.prompts, last_number=message.turn - 1))
    return advance(state, message)


def deliver_prompts_twice(state: AgentState, message: TurnMessage) -> TurnResult:
    """Leave delivered prompts in the queue."""
    new, effects = advance(state, message)
    if any(_is_delivery(effect) for effect in effects):
        queued = tuple(p for p in state.prompts.queued if p not in new.prompts.queued)
        new = replace(new, prompts=replace(new.prompts, queued=(*queued, *new.prompts.queued)))
    return new, effects


def drop_delivered_prompts(state: AgentState, message: TurnMessage) -> TurnResult:
    """Leave delivered prompts out of the history, so that the model does not get them."""
    new, effects = advance(state, message)
    remaining = tuple(effect for effect in effects if not _is_delivery(effect))
    return (_sync_all(new), remaining) if len(remaining) < len(effects) else (new, effects)


def keep_withdrawn_prompts(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    if isinstance(message, WithdrawPrompts):
        new = replace(new, prompts=state.prompts)
    return new, effects


def accept_late_replies(state: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ModelReplied):
        request = RequestInfo(number=state.turn.request_number)
        message = message.model_copy(update={"request": request})
    return advance(state, message)


def publish_before_sync(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    records = [effect.record for effect in effects if isinstance(effect, WriteRecord)]
    ends = [PublishEvent(record) for record in records if isinstance(record, TurnInterrupted)]
    return new, (*effects, *ends)


def publish_ends_twice(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    published = [effect for effect in effects if isinstance(effect, PublishEvent)]
    ends = [effect for effect in published if isinstance(effect.event, TurnInterrupted)]
    return new, (*effects, *ends)


def ignore_append_failures(state: AgentState, message: TurnMessage) -> TurnResult:
    return (state, ()) if isinstance(message, AppendFailed) else advance(state, message)


def treat_failed_appends_as_synced(state: AgentState, message: TurnMessage) -> TurnResult:
    return advance(state, Appended(id=message.id) if isinstance(message, AppendFailed) else message)


def reuse_approval_ids(state: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(state, message)
    return replace(new, turn=replace(new.turn, approval_count=0)), effects


def drop_prompt(state: AgentState, message: TurnMessage) -> TurnResult:
    """Leave the prompt out of the history, so that the model receives none."""
    new, effects = advance(state, message)
    remaining = tuple(effect for effect in effects if not _is_start(effect))
    return (_sync_all(new), remaining) if len(remaining) < len(effects) else (new, effects)


TURN_MUTANTS: tuple[Advance, ...] = (
    drop_results,
    write_results_twice,
    treat_ask_as_allow,
    treat_deny_as_ask,
    treat_denial_as_approval,
    treat_rule_as_user,
    treat_unavailable_as_approval,
    accept_stale_decision,
    skip_read_check,
    leak_unreadable_content,
    skip_sync,
    run_changes_in_parallel,
    run_allowed_commands_in_parallel,
    run_calls_twice,
    abort_before_withdraw,
    skip_withdraw,
    end_stopped_calls_early,
    ignore_cancels,
    cancel_any_turn,
    forget_early_cancels,
    drop_queued_prompts,
    accept_prompt_twice,
    deliver_prompts_twice,
    drop_delivered_prompts,
    keep_withdrawn_prompts,
    accept_late_replies,
    publish_before_sync,
    publish_ends_twice,
    ignore_append_failures,
    treat_failed_appends_as_synced,
    reuse_approval_ids,
    drop_prompt,
)


def rerun_started_calls(restored: RestoredState) -> RestoredState:
    return _change_calls(restored, lambda call: replace(call, stage=CallStage.WAITING))


def forget_denials(restored: RestoredState) -> RestoredState:
    return _change_calls(restored, lambda call: replace(call, final_result=None))


def assign_new_approval_id(restored: RestoredState) -> RestoredState:
    return _change_calls(restored, lambda call: replace(call, approval_id=""))


def abandon_open_turn(restored: RestoredState) -> RestoredState:
    turn = restored.state.turn.without_turn()
    return replace(restored, state=replace(restored.state, turn=turn))


def treat_open_request_as_approved(restored: RestoredState) -> RestoredState:
    requests = {
        record.call_id: record
        for record in restored.records
        if isinstance(record, ExecApprovalRequest | PatchApprovalRequest)
    }
    return _change_calls(
        restored, lambda call: replace(call, recorded_approval=requests.get(call.tool_use.id))
    )


RESTORE_MUTANTS: tuple[RestoreMutant, ...] = (
    rerun_started_calls,
    forget_denials,
    assign_new_approval_id,
    abandon_open_turn,
    treat_open_request_as_approved,
)


def _change_calls(restored: RestoredState, change: Callable[[ToolCall], ToolCall]) -> RestoredState:
    turn = restored.state.turn
    turn = replace(turn, calls=tuple(map(change, turn.calls)))
    return replace(restored, state=replace(restored.state, turn=turn))


def _sync_all(state: AgentState) -> AgentState:
    last_append_id = state.persistence.last_append_id
    return replace(state, persistence=state.persistence.with_synced(last_append_id))


def _build_cancelled(call_id: str) -> ToolFailed:
    return ToolFailed(call_id=call_id, reason="cancelled", detail="too early")


def _is_result(effect: Effect) -> bool:
    return isinstance(effect, WriteRecord) and isinstance(effect.record, ToolEnded)


def _is_delivery(effect: Effect) -> bool:
    return isinstance(effect, WriteRecord) and isinstance(effect.record, PromptDelivered)


def _is_start(effect: Effect) -> bool:
    return isinstance(effect, WriteRecord) and isinstance(effect.record, TurnStarted)
