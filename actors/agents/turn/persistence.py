"""What a turn makes of the disk: what it refuses is kept for later, and nothing changes meanwhile.

Every append that the disk takes has the kept records before its own, so that nothing is out of
order, and the first one that it takes ends the trouble.
"""

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


def on_appended(step: Transition, message: Appended) -> None:
    """Go on with what waited for it; what was refused before is on disk with it."""
    turn = step.state
    step.update(synced_append_id=max(turn.synced_append_id, message.id))
    if message.id > turn.failed_append_id:
        _changed(step, "well")
    took = agent_switch.apply_synced_switches(step)
    call_lifecycle.run_synced_calls(step)
    if took and step.state.stage is TurnStage.ACTING and not step.state.is_stopping:
        start_ready_calls(step)


def on_append_failed(step: Transition, message: AppendFailed) -> None:
    """Go on without a record, but with no effect that needs one.

    What was sent since is refused with it, so that its failure, which comes later, is no news.
    """
    turn = step.state
    if message.id <= max(turn.synced_append_id, turn.failed_append_id):
        return
    step.update(failed_append_id=turn.last_append_id)
    _changed(step, "failing", message.detail)
    agent_switch.publish_delayed_switches(step, message.detail)
    _end_what_was_to_start(step)


def _end_what_was_to_start(step: Transition) -> None:
    lost = [call for call in step.state.calls if call.stage is CallStage.STARTING]
    for call in lost:
        subagent_tasks.cancel_recorded_start(step, call)
        record_result(step, call, "denied", get_not_writable_text(step.state))
    if lost:
        continue_turn(step)


def on_append_timeout(step: Transition, message: AppendTimeout) -> None:
    """Try again to write what was refused; say that it takes long."""
    turn = step.state
    if turn.persistence.state == "failing":
        step.update(last_append_id=turn.last_append_id + 1)
        step.emit(RetryWrites(step.state.last_append_id))
    elif message.id > turn.synced_append_id:
        _changed(step, "slow")


def _changed(step: Transition, state: PersistenceStatus, detail: str = "") -> None:
    """Tell people once; why it fails may be worded in several ways."""
    if step.state.persistence.state != state:
        news = PersistenceChanged(state=state, detail=detail)
        step.update(persistence=news)
        step.publish(news)
