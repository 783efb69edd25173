"""Turn machines with one fault each: proof that the random worlds can fail."""

from collections.abc import Callable
from dataclasses import replace

from actors.agents.effects import Effect, PublishEvent, RunCall, WithdrawSubtree, WriteRecord
from actors.agents.state import AgentState, CallStage, RestoredState, ToolCall, TurnStage
from actors.agents.turn import TurnMessage, advance
from messages.approvals import (
    ApprovalDecided,
    ApprovalUnavailable,
    ExecApprovalRequest,
    PatchApprovalRequest,
)
from messages.models import ModelReplied
from messages.permissions import PermissionDecision
from messages.tools import ToolFailed, ToolPlanned
from messages.transcript import Appended, AppendFailed
from messages.turns import CancelTurn, StartTurn, ToolEnded, TurnInterrupted, TurnStarted
from tests.actors.agents.scripts import CHANGE, yes
from tests.actors.agents.world import Advance

Fault = Callable[[RestoredState], RestoredState]
Stepped = tuple[AgentState, tuple[Effect, ...]]


def forgets_results(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    kept = (each for each in effects if not _is_result(each))
    return replace(new, synced=new.written) if new.written else new, tuple(kept)


def writes_results_twice(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    return new, (*effects, *(each for each in effects if _is_result(each)))


def takes_an_ask_for_an_allow(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, PermissionDecision) and message.action == "ask":
        message = message.model_copy(update={"action": "allow"})
    return advance(turn, message)


def takes_a_deny_for_an_ask(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, PermissionDecision) and message.action == "deny":
        message = message.model_copy(update={"action": "ask"})
    return advance(turn, message)


def takes_a_no_for_a_yes(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, ApprovalDecided):
        message = yes(message.id)
    return advance(turn, message)


def takes_a_rule_for_a_person(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, ApprovalDecided) and message.decided_by == "rule":
        message = yes(message.id)
    return advance(turn, message)


def takes_silence_for_a_yes(turn: AgentState, message: TurnMessage) -> Stepped:
    return advance(turn, yes(message.id) if isinstance(message, ApprovalUnavailable) else message)


def does_not_ask_whether_a_file_may_be_read(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, ToolPlanned):
        plan = message.plan.model_copy(update={"unread_file": ""})
        message = message.model_copy(update={"plan": plan})
    return advance(turn, message)


def tells_why_though_it_may_not_be_read(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    told = tuple(_telling(each, turn) for each in effects)
    return new, told


def _telling(effect: Effect, turn: AgentState) -> Effect:
    if not (isinstance(effect, WriteRecord) and isinstance(effect.record, ToolEnded)):
        return effect
    for call in turn.calls:
        if call.use.id == effect.record.call_id and call.stage is CallStage.PEEKING and call.plan:
            text = call.plan.refusal or effect.record.text
            return replace(effect, record=effect.record.model_copy(update={"text": text}))
    return effect


def takes_any_verdict_for_the_last(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, PermissionDecision):
        call_id = message.id.partition("/")[0]
        query = next((call.query for call in turn.calls if call.use.id == call_id), message.id)
        message = message.model_copy(update={"id": query})
    return advance(turn, message)


def does_not_wait_for_the_disk(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    if new.written > new.synced:
        new, more = advance(new, Appended(id=new.written))
        effects += more
    return new, effects


def runs_everything_side_by_side(turn: AgentState, message: TurnMessage) -> Stepped:
    return advance(replace(turn, reading=turn.reading | {CHANGE}), message)


def runs_twice(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    return new, (*effects, *(each for each in effects if isinstance(each, RunCall)))


def aborts_before_it_withdraws(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    last = [each for each in effects if isinstance(each, WithdrawSubtree)]
    return new, (*(each for each in effects if not isinstance(each, WithdrawSubtree)), *last)


def does_not_withdraw(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    return new, tuple(each for each in effects if not isinstance(each, WithdrawSubtree))


def does_not_wait_for_what_it_stopped(turn: AgentState, message: TurnMessage) -> Stepped:
    """End each running call at once, as if its work had ended with the order to stop."""
    new, effects = advance(turn, message)
    if new.stopping and not turn.stopping:
        running = [call.use.id for call in new.calls if call.stage is CallStage.RUNNING]
        for call_id in running:
            new, more = advance(new, _cancelled(call_id))
            effects += more
    return new, effects


def ignores_cancels(turn: AgentState, message: TurnMessage) -> Stepped:
    return (turn, ()) if isinstance(message, CancelTurn) else advance(turn, message)


def stops_whatever_runs(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, CancelTurn) and turn.number:
        message = CancelTurn(turn=turn.number)
    return advance(turn, message)


def forgets_early_cancels(turn: AgentState, message: TurnMessage) -> Stepped:
    return advance(replace(turn, cancelled=frozenset()), message)


def forgets_who_waits(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    return replace(new, queue=()), effects


def takes_a_prompt_twice(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, StartTurn) and message.turn <= turn.number:
        turn = replace(turn, number=message.turn - 1)
    return advance(turn, message)


def takes_late_replies(turn: AgentState, message: TurnMessage) -> Stepped:
    if isinstance(message, ModelReplied):
        message = message.model_copy(update={"request": turn.request})
    return advance(turn, message)


def reports_before_the_disk(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    ends = [each.record for each in effects if isinstance(each, WriteRecord)]
    early = tuple(PublishEvent(each) for each in ends if isinstance(each, TurnInterrupted))
    return new, effects + early


def reports_ends_twice(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    ends = [each for each in effects if isinstance(each, PublishEvent)]
    return new, (*effects, *(each for each in ends if isinstance(each.event, TurnInterrupted)))


def does_not_hear_that_the_disk_refused(turn: AgentState, message: TurnMessage) -> Stepped:
    return (turn, ()) if isinstance(message, AppendFailed) else advance(turn, message)


def takes_refusals_for_records(turn: AgentState, message: TurnMessage) -> Stepped:
    return advance(turn, Appended(id=message.id) if isinstance(message, AppendFailed) else message)


def mints_an_id_twice(turn: AgentState, message: TurnMessage) -> Stepped:
    new, effects = advance(turn, message)
    return replace(new, asked=0), effects


def loses_the_prompt(turn: AgentState, message: TurnMessage) -> Stepped:
    """Leave the prompt out of the history, so that the model is asked about nothing."""
    new, effects = advance(turn, message)
    kept = tuple(each for each in effects if not _is_start(each))
    return (replace(new, synced=new.written), kept) if len(kept) < len(effects) else (new, effects)


FAULTS: tuple[Advance, ...] = (
    forgets_results,
    writes_results_twice,
    takes_an_ask_for_an_allow,
    takes_a_deny_for_an_ask,
    takes_a_no_for_a_yes,
    takes_a_rule_for_a_person,
    takes_silence_for_a_yes,
    takes_any_verdict_for_the_last,
    does_not_ask_whether_a_file_may_be_read,
    tells_why_though_it_may_not_be_read,
    does_not_wait_for_the_disk,
    runs_everything_side_by_side,
    runs_twice,
    aborts_before_it_withdraws,
    does_not_withdraw,
    does_not_wait_for_what_it_stopped,
    ignores_cancels,
    stops_whatever_runs,
    forgets_early_cancels,
    forgets_who_waits,
    takes_a_prompt_twice,
    takes_late_replies,
    reports_before_the_disk,
    reports_ends_twice,
    does_not_hear_that_the_disk_refused,
    takes_refusals_for_records,
    mints_an_id_twice,
    loses_the_prompt,
)


def begins_again_what_began(past: RestoredState) -> RestoredState:
    return _changed(past, lambda call: replace(call, stage=CallStage.WAITING))


def forgets_a_no(past: RestoredState) -> RestoredState:
    return _changed(past, lambda call: replace(call, settled=None))


def asks_under_a_new_id(past: RestoredState) -> RestoredState:
    return _changed(past, lambda call: replace(call, approval=""))


def leaves_the_turn(past: RestoredState) -> RestoredState:
    return replace(past, turn=replace(past.turn, stage=TurnStage.IDLE, calls=()))


def believes_an_open_question_was_answered(past: RestoredState) -> RestoredState:
    asked = {
        each.call_id: each
        for each in past.records
        if isinstance(each, ExecApprovalRequest | PatchApprovalRequest)
    }
    return _changed(past, lambda call: replace(call, consent=asked.get(call.use.id)))


RESUME_FAULTS: tuple[Fault, ...] = (
    begins_again_what_began,
    forgets_a_no,
    asks_under_a_new_id,
    leaves_the_turn,
    believes_an_open_question_was_answered,
)


def _changed(past: RestoredState, change: Callable[[ToolCall], ToolCall]) -> RestoredState:
    return replace(past, turn=replace(past.turn, calls=tuple(map(change, past.turn.calls))))


def _cancelled(call_id: str) -> ToolFailed:
    return ToolFailed(call_id=call_id, reason="cancelled", detail="too early")


def _is_result(effect: Effect) -> bool:
    return isinstance(effect, WriteRecord) and isinstance(effect.record, ToolEnded)


def _is_start(effect: Effect) -> bool:
    return isinstance(effect, WriteRecord) and isinstance(effect.record, TurnStarted)
