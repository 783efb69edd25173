"""The job that takes a snapshot of the workspace."""

import asyncio

from actors.agents.turn.effects import TakeSnapshot
from actors.agents.turn.self_messages import SnapshotAttempted
from actors.runtime.actor import JobFailure
from actors.snapshots.snapshot_store import SnapshotError, SnapshotStore


async def take_snapshot(effect: TakeSnapshot, store: SnapshotStore | None) -> SnapshotAttempted:
    """Take a snapshot, on a thread because git may take seconds."""
    if store is None or store.is_disabled:
        return SnapshotAttempted(turn=effect.turn, moment=effect.moment)
    try:
        snapshot = await asyncio.to_thread(store.take, f"{effect.moment} turn {effect.turn}")
    except SnapshotError as error:
        store.is_disabled = True  # it may have taken long, and it was reported
        return SnapshotAttempted(turn=effect.turn, moment=effect.moment, problem=str(error))
    return SnapshotAttempted(turn=effect.turn, moment=effect.moment, commit=snapshot.commit)


def to_not_taken(effect: TakeSnapshot, failure: JobFailure) -> SnapshotAttempted:
    """Return the outcome of a job that raised."""
    return SnapshotAttempted(turn=effect.turn, moment=effect.moment, problem=failure.detail)
