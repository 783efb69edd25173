"""An actor's connection to the journal, in which a restart of either loses nothing."""

from typing import Any

from actors.runtime.actor import Actor
from actors.sessions.append_timeout import AppendTimeout
from messages.address import Address
from messages.journal import (
    Append,
    Appended,
    AppendFailed,
    ReadRecords,
    ReadRecordsFailed,
    Record,
    RecordsRead,
)
from messages.supervision import PeerRestarted, Undelivered

IDS_PER_INCARNATION = 1 << 32
"""Each incarnation has its own range of append ids, so an answer to an earlier one fits none."""
APPEND_TIMEOUT_S = 2.0
"""An unanswered append makes the disk slow after this time; failed ones are retried as often."""


class ReadRecordsError(Exception):
    """A restarted actor cannot read its records back, so this restart fails too."""


def get_id_offset(incarnation: int) -> int:
    """Return the id before an incarnation's first append."""
    return (incarnation - 1) * IDS_PER_INCARNATION


class JournalClient:
    """Numbers appends, keeps them until they are answered, and resends them to a restarted journal.

    Its actor calls `open` in `on_start`, and has `PeerRestarted`, `Undelivered`, `RecordsRead` and
    `ReadRecordsFailed` in its inbox. With `retries_failed`, it has `AppendTimeout` too.
    """

    def __init__(
        self,
        actor: Actor[Any],
        journal: Address,
        previous_incarnations: int = 0,
        *,
        own_records_only: bool = False,
        retries_failed: bool = False,
    ) -> None:
        """Create a client for `actor` that has sent nothing yet.

        `own_records_only` reads back only the records that concern the actor. `retries_failed`
        writes failed records again before the next record.
        """
        self._actor = actor
        self._own_records_only = own_records_only
        self._previous_incarnations = previous_incarnations
        self._journal = journal
        self._retries_failed = retries_failed
        self._failed_records: tuple[Record, ...] = ()
        self._unanswered: dict[int, Append] = {}
        self._has_timer = False
        """Whether an `AppendTimeout` is scheduled."""
        self._last_id = self._previous_id = 0
        self._read_request: ReadRecords | None = None

    @property
    def incarnation(self) -> int:
        """The incarnation of this address in this run, including earlier actors at it."""
        return self._previous_incarnations + self._actor.incarnation

    def open(self, *, has_records: bool = False) -> bool:
        """Watch the journal; return whether records are read first, with other messages stashed."""
        actor = self._actor
        actor.watch(self._journal)
        if actor.incarnation == 1 and not has_records:
            return False
        # The last two are not stashed, because the request itself may be lost.
        actor.stash(RecordsRead, ReadRecordsFailed, PeerRestarted, Undelivered)
        agent = actor.address if self._own_records_only else None
        self._read_request = ReadRecords(id=self.incarnation, agent=agent)
        actor.tell(self._journal, self._read_request)
        return True

    def on_records_read(self, answer: RecordsRead | ReadRecordsFailed) -> tuple[Record, ...] | None:
        """Return the records and unstash the messages; None if the answer is late.

        Raises:
            ReadRecordsError: the session cannot be read.
        """
        if self._read_request is None or answer.id != self._read_request.id:
            return None
        if isinstance(answer, ReadRecordsFailed):
            raise ReadRecordsError(answer.detail)
        self._read_request = None
        self._actor.unstash()
        return answer.records

    def write(self, *records: Record, append_id: int = 0) -> int:
        """Append records under `append_id` or the next id; return that id."""
        append_id = append_id or max(self._last_id, get_id_offset(self.incarnation)) + 1
        all_records = (*self._failed_records, *records)
        append = Append(id=append_id, records=all_records, after_id=self._previous_id)
        self._last_id = self._previous_id = append_id
        self._failed_records = ()
        self._unanswered[append_id] = append
        self._actor.tell(self._journal, append)
        self._start_timer()
        return append_id

    def on_append_answered(self, answer: Appended | AppendFailed | AppendTimeout) -> None:
        """Forget an append that is on disk; keep a failed one for a retry, or drop it."""
        if isinstance(answer, AppendTimeout):
            self._has_timer = False
            self._start_timer()
            return
        append = self._unanswered.get(answer.id)
        if append is not None and isinstance(answer, AppendFailed):
            self._on_failed(append)
        self._unanswered.pop(answer.id, None)

    def retry_unsaved(self) -> None:
        """Write failed records once more; for use when the actor is about to stop."""
        if self._failed_records:
            self.write()

    def on_peer_restarted(self, peer: Address) -> None:
        """Resend everything unanswered if the peer is the journal."""
        if peer != self._journal:
            return
        if self._read_request is not None:
            self._actor.tell(self._journal, self._read_request)
        for append in self._unanswered.values():
            self._actor.tell(self._journal, append)

    def on_undelivered(self, undelivered: Undelivered) -> AppendFailed | None:
        """Handle a returned message; return the failure of an append that will never be written.

        Raises:
            ReadRecordsError: the returned message is the request for the records.
        """
        message = undelivered.message
        if undelivered.reason == "crashed":
            # The journal restarts, and `on_peer_restarted` resends the appends. The read request is
            # resent now: if the journal ends after all, it comes back.
            if message == self._read_request:
                self._actor.tell(self._journal, message)
            return None
        if isinstance(message, ReadRecords):
            detail = f"the journal did not answer ({undelivered.reason})"
            raise ReadRecordsError(detail)
        if not isinstance(message, Append) or message.id not in self._unanswered:
            return None
        detail = f"the journal cannot accept the records ({undelivered.reason})"
        failure = AppendFailed(id=message.id, detail=detail)
        self.on_append_answered(failure)
        for append_id, append in self._unanswered.items():
            if append_id > message.id:  # the journal skipped it, because it came too early
                self._actor.tell(self._journal, append)
        return failure

    def _start_timer(self) -> None:
        has_work = self._unanswered or self._failed_records
        if self._retries_failed and not self._has_timer and has_work:
            self._has_timer = True
            oldest_id = next(iter(self._unanswered), 0)
            self._actor.schedule(APPEND_TIMEOUT_S, AppendTimeout(id=oldest_id))

    def _on_failed(self, failed: Append) -> None:
        """Continue after the append before `failed`; all appends sent since then failed with it."""
        if not self._retries_failed:
            self._remove_from_chain(failed)
            return
        appends = [append for id_, append in self._unanswered.items() if id_ >= failed.id]
        self._failed_records = tuple(record for append in appends for record in append.records)
        for append in appends:
            del self._unanswered[append.id]
        self._previous_id = failed.after_id

    def _remove_from_chain(self, failed: Append) -> None:
        """Let the append after `failed` follow the one before it."""
        if self._previous_id == failed.id:
            self._previous_id = failed.after_id
        for append_id, append in self._unanswered.items():
            if append.after_id == failed.id:
                self._unanswered[append_id] = append.model_copy(
                    update={"after_id": failed.after_id}
                )
