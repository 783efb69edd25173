"""State machines with one bug each: proof that the random tests can fail."""

from collections.abc import Callable
from dataclasses import replace

from actors.agents.turn.agent_state import AgentState, CallStage, RestoredState, ToolCall, TurnStage
from actors.agents.turn.effects import Effect, PublishEvent, RunCall, WithdrawSubtree, WriteRecord
from actors.agents.turn.self_messages import ModelReplied, ToolFailed, ToolPlanned
from actors.agents.turn.state_machine import TurnMessage, advance
from messages.approvals import (
    ApprovalDecided,
    ApprovalUnavailable,
    ExecApprovalRequest,
    PatchApprovalRequest,
)
from messages.journal import Appended, AppendFailed
from messages.permissions import PermissionDecision
from messages.turns import CancelTurn, StartTurn, ToolEnded, TurnInterrupted, TurnStarted
from tests.actors.agents.turn.message_builders import WRITE_TOOL, approve
from tests.actors.agents.turn.random_environment import Advance

RestoreMutant = Callable[[RestoredState], RestoredState]
TurnResult = tuple[AgentState, tuple[Effect, ...]]


def drop_results(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    remaining = (each for each in effects if not _is_result(each))
    return replace(new, synced_append_id=new.last_append_id) if new.last_append_id else new, tuple(
        remaining
    )


def write_results_twice(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    return new, (*effects, *(each for each in effects if _is_result(each)))


def treat_ask_as_allow(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, PermissionDecision) and message.action == "ask":
        message = message.model_copy(update={"action": "allow"})
    return advance(turn, message)


def treat_deny_as_ask(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, PermissionDecision) and message.action == "deny":
        message = message.model_copy(update={"action": "ask"})
    return advance(turn, message)


def treat_no_as_yes(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ApprovalDecided):
        message = approve(message.id)
    return advance(turn, message)


def treat_rule_as_user(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ApprovalDecided) and message.decided_by == "rule":
        message = approve(message.id)
    return advance(turn, message)


def treat_unavailable_as_yes(turn: AgentState, message: TurnMessage) -> TurnResult:
    return advance(
        turn, approve(message.id) if isinstance(message, ApprovalUnavailable) else message
    )


def skip_read_check(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ToolPlanned):
        plan = message.plan.model_copy(update={"unread_file": ""})
        message = message.model_copy(update={"plan": plan})
    return advance(turn, message)


def leak_unreadable_content(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    return new, tuple(_leak_rejection(each, turn) for each in effects)


def _leak_rejection(effect: Effect, turn: AgentState) -> Effect:
    if not (isinstance(effect, WriteRecord) and isinstance(effect.record, ToolEnded)):
        return effect
    for call in turn.calls:
        if (
            call.tool_use.id == effect.record.call_id
            and call.stage is CallStage.CHECKING_READ
            and call.plan
        ):
            text = call.plan.rejection or effect.record.text
            return replace(effect, record=effect.record.model_copy(update={"text": text}))
    return effect


def accept_stale_decision(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, PermissionDecision):
        call_id = message.id.partition("/")[0]
        decision_id = next(
            (call.decision_id for call in turn.calls if call.tool_use.id == call_id), message.id
        )
        message = message.model_copy(update={"id": decision_id})
    return advance(turn, message)


def skip_sync(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    if new.last_append_id > new.synced_append_id:
        new, more = advance(new, Appended(id=new.last_append_id))
        effects += more
    return new, effects


def run_changes_in_parallel(turn: AgentState, message: TurnMessage) -> TurnResult:
    return advance(replace(turn, read_only_tools=turn.read_only_tools | {WRITE_TOOL}), message)


def run_calls_twice(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    return new, (*effects, *(each for each in effects if isinstance(each, RunCall)))


def abort_before_withdraw(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    last = [each for each in effects if isinstance(each, WithdrawSubtree)]
    return new, (*(each for each in effects if not isinstance(each, WithdrawSubtree)), *last)


def skip_withdraw(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    return new, tuple(each for each in effects if not isinstance(each, WithdrawSubtree))


def end_stopped_calls_early(turn: AgentState, message: TurnMessage) -> TurnResult:
    """End each running call at once, as if its job ended with the cancel."""
    new, effects = advance(turn, message)
    if new.is_stopping and not turn.is_stopping:
        running = [call.tool_use.id for call in new.calls if call.stage is CallStage.RUNNING]
        for call_id in running:
            new, more = advance(new, _build_cancelled(call_id))
            effects += more
    return new, effects


def ignore_cancels(turn: AgentState, message: TurnMessage) -> TurnResult:
    return (turn, ()) if isinstance(message, CancelTurn) else advance(turn, message)


def cancel_any_turn(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, CancelTurn) and turn.turn_number:
        message = CancelTurn(turn=turn.turn_number)
    return advance(turn, message)


def forget_early_cancels(turn: AgentState, message: TurnMessage) -> TurnResult:
    return advance(replace(turn, cancelled_turns=frozenset()), message)


def drop_queued_prompts(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    return replace(new, queued_prompts=()), effects


def accept_prompt_twice(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, StartTurn) and message.turn <= turn.turn_number:
        turn = replace(turn, turn_number=message.turn - 1)
    return advance(turn, message)


def accept_late_replies(turn: AgentState, message: TurnMessage) -> TurnResult:
    if isinstance(message, ModelReplied):
        message = message.model_copy(update={"request_number": turn.request_number})
    return advance(turn, message)


def publish_before_sync(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    ends = [each.record for each in effects if isinstance(each, WriteRecord)]
    early = tuple(PublishEvent(each) for each in ends if isinstance(each, TurnInterrupted))
    return new, effects + early


def publish_ends_twice(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    ends = [each for each in effects if isinstance(each, PublishEvent)]
    return new, (*effects, *(each for each in ends if isinstance(each.event, TurnInterrupted)))


def ignore_append_failures(turn: AgentState, message: TurnMessage) -> TurnResult:
    return (turn, ()) if isinstance(message, AppendFailed) else advance(turn, message)


def treat_failed_appends_as_synced(turn: AgentState, message: TurnMessage) -> TurnResult:
    return advance(turn, Appended(id=message.id) if isinstance(message, AppendFailed) else message)


def reuse_approval_ids(turn: AgentState, message: TurnMessage) -> TurnResult:
    new, effects = advance(turn, message)
    return replace(new, approval_count=0), effects


def drop_prompt(turn: AgentState, message: TurnMessage) -> TurnResult:
    """Leave the prompt out of the history, so that the model receives none."""
    new, effects = advance(turn, message)
    remaining = tuple(each for each in effects if not _is_start(each))
    return (
        (replace(new, synced_append_id=new.last_append_id), remaining)
        if len(remaining) < len(effects)
        else (new, effects)
    )


TURN_MUTANTS: tuple[Advance, ...] = (
    drop_results,
    write_results_twice,
    treat_ask_as_allow,
    treat_deny_as_ask,
    treat_no_as_yes,
    treat_rule_as_user,
    treat_unavailable_as_yes,
    accept_stale_decision,
    skip_read_check,
    leak_unreadable_content,
    skip_sync,
    run_changes_in_parallel,
    run_calls_twice,
    abort_before_withdraw,
    skip_withdraw,
    end_stopped_calls_early,
    ignore_cancels,
    cancel_any_turn,
    forget_early_cancels,
    drop_queued_prompts,
    accept_prompt_twice,
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


def forget_no(restored: RestoredState) -> RestoredState:
    return _change_calls(restored, lambda call: replace(call, final_result=None))


def mint_new_approval_id(restored: RestoredState) -> RestoredState:
    return _change_calls(restored, lambda call: replace(call, approval_id=""))


def abandon_open_turn(restored: RestoredState) -> RestoredState:
    return replace(restored, state=replace(restored.state, stage=TurnStage.IDLE, calls=()))


def treat_open_request_as_approved(restored: RestoredState) -> RestoredState:
    requests = {
        each.call_id: each
        for each in restored.records
        if isinstance(each, ExecApprovalRequest | PatchApprovalRequest)
    }
    return _change_calls(
        restored, lambda call: replace(call, recorded_approval=requests.get(call.tool_use.id))
    )


RESTORE_MUTANTS: tuple[RestoreMutant, ...] = (
    rerun_started_calls,
    forget_no,
    mint_new_approval_id,
    abandon_open_turn,
    treat_open_request_as_approved,
)


def _change_calls(restored: RestoredState, change: Callable[[ToolCall], ToolCall]) -> RestoredState:
    return replace(
        restored, state=replace(restored.state, calls=tuple(map(change, restored.state.calls)))
    )


def _build_cancelled(call_id: str) -> ToolFailed:
    return ToolFailed(call_id=call_id, reason="cancelled", detail="too early")


def _is_result(effect: Effect) -> bool:
    return isinstance(effect, WriteRecord) and isinstance(effect.record, ToolEnded)


def _is_start(effect: Effect) -> bool:
    return isinstance(effect, WriteRecord) and isinstance(effect.record, TurnStarted)
