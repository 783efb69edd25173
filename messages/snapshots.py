"""Snapshots of the workspace, and undoing what a turn changed."""

from typing import Literal

from messages.base import Message

SnapshotMoment = Literal["before", "after"]


class SnapshotTaken(Message):
    """Recorded: the workspace before the first changing call of an agent's turn, or after its last.

    A turn that changes nothing has none.
    """

    type: Literal["snapshot_taken"] = "snapshot_taken"
    turn: int
    moment: SnapshotMoment
    commit: str
    """Its hash in our own repository."""


class SnapshotFailed(Message):
    """No snapshot could be taken, nor will be in this run; the work continues."""

    type: Literal["snapshot_failed"] = "snapshot_failed"
    detail: str
    """For the user."""


class ChangesUndone(Message):
    """Recorded: what a turn changed was undone, or restored; becomes part of the conversation."""

    type: Literal["changes_undone"] = "changes_undone"
    turn: int
    """The primary agent's turn."""
    is_redo: bool = False
    """What an undo had changed was restored."""
    before: str
    """Snapshot before the undo."""
    after: str
    """Snapshot that the undo restored."""
    files: tuple[str, ...]
    """Files that it changed, relative to the workspace root."""


class RecordUndo(Message):
    """Record an undo that the user has carried out."""

    notify_undelivered = True
    type: Literal["record_undo"] = "record_undo"
    undone: ChangesUndone
