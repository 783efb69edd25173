"""Which of an agent's records are on disk."""

from dataclasses import dataclass

from actors.agents.turn.with_changes import with_changes
from messages.turns import PersistenceChanged


@dataclass(frozen=True)
class PersistenceState:
    """The agent's appends, by id, and the last status that was reported."""

    last_append_id: int = 0
    """The last append id used."""
    synced_append_id: int = 0
    """The last append that is on disk."""
    failed_append_id: int = 0
    """The last append that failed; its records are written with the next one."""
    status: PersistenceChanged = PersistenceChanged(state="ok")  # noqa: RUF009  (frozen, so it may be shared)
    """The last status that was reported."""

    @property
    def is_settled(self) -> bool:
        """Every record is on disk or has failed to be written."""
        last = self.last_append_id
        return self.synced_append_id >= last or self.failed_append_id >= last

    @property
    def is_failing(self) -> bool:
        """Records cannot be written."""
        return self.status.state == "failing"

    def with_next_append(self) -> "PersistenceState":
        """Return the state after one more append."""
        return with_changes(self, last_append_id=self.last_append_id + 1)

    def with_synced(self, append_id: int) -> "PersistenceState":
        """Return the state after an append, and all before it, are on disk."""
        return with_changes(self, synced_append_id=max(self.synced_append_id, append_id))

    def with_all_failed(self) -> "PersistenceState":
        """Return the state after a failure: appends sent after the failed one fail with it."""
        return with_changes(self, failed_append_id=self.last_append_id)

    def with_status(self, status: PersistenceChanged) -> "PersistenceState":
        """Return the state after a status was reported."""
        return with_changes(self, status=status)
