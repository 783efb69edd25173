"""Snapshots of the workspace before the first change of a turn and after the last one.

A snapshot that cannot be taken never stops the work; the user is told once.
"""

from typing import assert_never

from actors.agents.turn.agent_state import SnapshotState
from actors.agents.turn.effects import TakeSnapshot
from actors.agents.turn.self_messages import SnapshotAttempted
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import ToolCall
from messages.snapshots import RecordUndo, SnapshotFailed, SnapshotTaken

SnapshotInput = SnapshotAttempted | RecordUndo
"""Outcomes of snapshots, and what the user did with them."""


def must_take_first(step: Transition, call: ToolCall) -> bool:
    """Return whether the turn's first snapshot is needed before this call."""
    return (
        step.state.identity.takes_snapshots
        and step.state.snapshot is SnapshotState.NONE
        and call.may_change_files
    )


def take_first(step: Transition) -> None:
    """Take the turn's first snapshot."""
    step.update(snapshot=SnapshotState.TAKING_FIRST)
    step.emit(TakeSnapshot(step.state.turn.number, "before"))


def delays_end(step: Transition) -> bool:
    """Return whether the end of the turn is recorded only after its last snapshot."""
    return step.state.snapshot is SnapshotState.TAKING_LAST


def handle(step: Transition, message: SnapshotInput) -> None:
    """Handle one message about snapshots."""
    match message:
        case SnapshotAttempted():
            _on_attempted(step, message)
        case RecordUndo():
            step.write(message.undone)
            step.publish(message.undone)
        case _:
            assert_never(message)


def _on_attempted(step: Transition, attempted: SnapshotAttempted) -> None:
    """Record the snapshot, and the end of a turn that waited for it."""
    turn = step.state.turn
    if attempted.turn != turn.number:
        return
    match step.state.snapshot:
        case SnapshotState.TAKING_FIRST:
            _record(step, attempted)
            has_first = SnapshotState.HAS_FIRST if attempted.commit else SnapshotState.NONE
            step.update(snapshot=has_first)
        case SnapshotState.TAKING_LAST if turn.pending_end is not None:
            _record(step, attempted)
            step.update(snapshot=SnapshotState.NONE)
            step.write(turn.pending_end)
        case _:
            pass  # the turn was stopped before the call that waited for it


def _record(step: Transition, attempted: SnapshotAttempted) -> None:
    if attempted.commit:
        taken = SnapshotTaken(turn=attempted.turn, moment=attempted.moment, commit=attempted.commit)
        step.write(taken)
        step.publish(taken)
    elif attempted.problem:
        step.publish(SnapshotFailed(detail=attempted.problem))
