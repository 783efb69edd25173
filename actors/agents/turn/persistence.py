"""What a turn does when records are written or cannot be written.

Records that could not be written are kept and written before the next record, so that the order
stays the same; while they wait, nothing is changed. The first successful append ends the failure.
"""

from typing import assert_never

from actors.agents.turn import agent_switch, call_lifecycle, subagent_tasks
from actors.agents.turn.agent_state import CallStage, TurnStage
from actors.agents.turn.call_completion import (
    continue_turn,
    get_not_writable_text,
    record_result,
    start_ready_calls,
)
from actors.agents.turn.effects import RetryWrites
from actors.agents.turn.transition import Transition
from actors.sessions.append_timeout import AppendTimeout
from messages.journal import Appended, AppendFailed
from messages.turns import PersistenceChanged, PersistenceStatus

JournalInput = Appended | AppendFailed | AppendTimeout
"""Whether records are on disk."""


def handle(step: Transition, message: JournalInput) -> None:
    """Handle one message about an append."""
    match message:
        case Appended():
            on_appended(step, message)
        case AppendFailed():
            on_append_failed(step, message)
        case AppendTimeout():
            on_append_timeout(step, message)
        case _:
            assert_never(message)


def on_appended(step: Transition, message: Appended) -> None:
    """Continue with what waited for this append; it includes what failed before."""
    turn = step.state
    step.update(synced_append_id=max(turn.synced_append_id, message.id))
    if message.id > turn.failed_append_id:
        _set_persistence(step, "well")
    has_switched = agent_switch.apply_synced_switches(step)
    call_lifecycle.run_synced_calls(step)
    if has_switched and step.state.stage is TurnStage.ACTING and not step.state.is_stopping:
        start_ready_calls(step)


def on_append_failed(step: Transition, message: AppendFailed) -> None:
    """Continue without the record, but without any effect that needs it.

    Appends sent after the failed one fail with it, so their own failures are ignored.
    """
    turn = step.state
    if message.id <= max(turn.synced_append_id, turn.failed_append_id):
        return
    step.update(failed_append_id=turn.last_append_id)
    _set_persistence(step, "failing", message.detail)
    agent_switch.publish_delayed_switches(step, message.detail)
    _deny_unsynced_starts(step)


def _deny_unsynced_starts(step: Transition) -> None:
    starting = [call for call in step.state.calls if call.stage is CallStage.STARTING]
    for call in starting:
        subagent_tasks.cancel_recorded_start(step, call)
        record_result(step, call, "denied", get_not_writable_text(step.state))
    if starting:
        continue_turn(step)


def on_append_timeout(step: Transition, message: AppendTimeout) -> None:
    """Retry failed writes, or report that an append takes long."""
    turn = step.state
    if turn.persistence.state == "failing":
        step.update(last_append_id=turn.last_append_id + 1)
        step.emit(RetryWrites(step.state.last_append_id))
    elif message.id > turn.synced_append_id:
        _set_persistence(step, "slow")


def _set_persistence(step: Transition, state: PersistenceStatus, detail: str = "") -> None:
    """Report a change of status once, even if the details of one failure differ."""
    if step.state.persistence.state != state:
        changed = PersistenceChanged(state=state, detail=detail)
        step.update(persistence=changed)
        step.publish(changed)
