"""What a turn does when records are written or cannot be written.

Records that could not be written are kept and written before the next record, so that the order
stays the same; while they wait, nothing is changed. The first successful append ends the failure.
"""

from typing import assert_never

from actors.agents.turn import agent_switch, call_lifecycle, reviews, subagent_tasks
from actors.agents.turn.call_completion import (
    continue_turn,
    get_not_writable_text,
    record_result,
    start_ready_calls,
)
from actors.agents.turn.effects import RetryWrites
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import CallStage, TurnStage
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
    persistence = step.state.persistence
    step.update(persistence=persistence.with_synced(message.id))
    if message.id > persistence.failed_append_id:
        _set_status(step, "ok")
    has_switched = agent_switch.apply_synced_switches(step)
    call_lifecycle.run_synced_calls(step)
    reviews.start_synced_reviews(step)
    turn = step.state.turn
    if has_switched and turn.stage is TurnStage.ACTING and not turn.is_stopping:
        start_ready_calls(step)


def on_append_failed(step: Transition, message: AppendFailed) -> None:
    """Continue without the record, but without any effect that needs it.

    Appends sent after the failed one fail with it, so their own failures are ignored.
    """
    persistence = step.state.persistence
    if message.id <= max(persistence.synced_append_id, persistence.failed_append_id):
        return
    step.update(persistence=persistence.with_all_failed())
    _set_status(step, "failing", message.detail)
    agent_switch.publish_delayed_switches(step, message.detail)
    _deny_unsynced_starts(step)
    subagent_tasks.end_unsynced_reviews(step)


def _deny_unsynced_starts(step: Transition) -> None:
    starting = [call for call in step.state.turn.calls if call.stage is CallStage.STARTING]
    for call in starting:
        subagent_tasks.cancel_recorded_start(step, call)
        record_result(step, call, "denied", get_not_writable_text(step.state.persistence))
    if starting:
        continue_turn(step)


def on_append_timeout(step: Transition, message: AppendTimeout) -> None:
    """Retry failed writes, or report that an append takes long."""
    persistence = step.state.persistence
    if persistence.is_failing:
        persistence = persistence.with_next_append()
        step.update(persistence=persistence)
        step.emit(RetryWrites(persistence.last_append_id))
    elif message.id > persistence.synced_append_id:
        _set_status(step, "slow")


def _set_status(step: Transition, status: PersistenceStatus, detail: str = "") -> None:
    """Report a change of status once, even if the details of one failure differ."""
    persistence = step.state.persistence
    if persistence.status.state != status:
        changed = PersistenceChanged(state=status, detail=detail)
        step.update(persistence=persistence.with_status(changed))
        step.publish(changed)
