"""An actor's talk with the journal, in which a restart of either loses nothing."""

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
"""Ids of appends that one incarnation may use: an answer to an earlier one fits none of them."""
APPEND_TIMEOUT_S = 2.0
"""A disk that takes longer is slow; one that refuses is tried again so often."""


class ReadRecordsError(Exception):
    """A restarted actor cannot get its records back, so that this restart fails, too."""


def get_id_offset(incarnation: int) -> int:
    """Say which number stands before the first append of an incarnation."""
    return (incarnation - 1) * IDS_PER_INCARNATION


class JournalClient:
    """Numbers appends, keeps them until they are answered, and says them again to a new journal.

    Its actor calls `open` in `on_start`, and has `PeerRestarted`, `Undelivered`, `RecordsRead` and
    `ReadRecordsFailed` in its inbox. One that `keeps` has `AppendTimeout` there, too.
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
        """Speak for `actor`, with nothing said yet; `own`: it need know no other agent's past.

        One that `keeps` what the disk refuses puts it before its next record.
        """
        self._actor = actor
        self._own = own_records_only
        self._lives_before = previous_incarnations
        self._journal = journal
        self._keeps = retries_failed
        self._kept: tuple[Record, ...] = ()
        self._unanswered: dict[int, Append] = {}
        self._watching = False
        """Whether `AppendTimeout` is to come."""
        self._last = self._before = 0
        self._recall: ReadRecords | None = None

    @property
    def incarnation(self) -> int:
        """Count the lives of whoever has had this address, in this run of the program."""
        return self._lives_before + self._actor.incarnation

    def open(self, *, has_records: bool = False) -> bool:
        """Listen for the journal; True: it has a past, and nothing comes before `RecordsRead`."""
        actor = self._actor
        actor.watch(self._journal)
        if actor.incarnation == 1 and not has_records:
            return False
        actor.stash(RecordsRead, ReadRecordsFailed, PeerRestarted, Undelivered)
        self._recall = ReadRecords(id=self.incarnation, agent=actor.address if self._own else None)
        actor.tell(self._journal, self._recall)
        return True

    def on_records_read(self, answer: RecordsRead | ReadRecordsFailed) -> tuple[Record, ...] | None:
        """Take the journal's answer, behind which the mail comes; None: it is late.

        Raises:
            RecallError: the session cannot be read.
        """
        if self._recall is None or answer.id != self._recall.id:
            return None
        if isinstance(answer, ReadRecordsFailed):
            raise ReadRecordsError(answer.detail)
        self._recall = None
        self._actor.unstash()
        return answer.records

    def write(self, *records: Record, append_id: int = 0) -> int:
        """Have records written, under `mark` or the next number; returns it."""
        append_id = append_id or max(self._last, get_id_offset(self.incarnation)) + 1
        append = Append(id=append_id, records=(*self._kept, *records), after_id=self._before)
        self._last = self._before = append_id
        self._kept = ()
        self._unanswered[append_id] = append
        self._actor.tell(self._journal, append)
        self._watch()
        return append_id

    def on_append_answered(self, answer: Appended | AppendFailed | AppendTimeout) -> None:
        """Strike off what is on disk; keep what is not, or leave it to the actor."""
        if isinstance(answer, AppendTimeout):
            self._watching = False
            self._watch()
            return
        append = self._unanswered.get(answer.id)
        if append is not None and isinstance(answer, AppendFailed):
            self._refused(append)
        self._unanswered.pop(answer.id, None)

    def retry_unsaved(self) -> None:
        """Say once more what the disk refused: whoever kept it ends."""
        if self._kept:
            self.write()

    def _watch(self) -> None:
        if self._keeps and not self._watching and (self._unanswered or self._kept):
            self._watching = True
            oldest = next(iter(self._unanswered), 0)
            self._actor.schedule(APPEND_TIMEOUT_S, AppendTimeout(id=oldest))

    def _refused(self, refused: Append) -> None:
        """Go on behind what came before; what was sent since is refused with it."""
        if not self._keeps:
            self._leave_out(refused)
            return
        lost = [append for mark, append in self._unanswered.items() if mark >= refused.id]
        self._kept = tuple(record for append in lost for record in append.records)
        for append in lost:
            del self._unanswered[append.id]
        self._before = refused.after_id

    def on_peer_restarted(self, peer: Address) -> None:
        """Say again what the journal has not answered, if it is the journal."""
        if peer != self._journal:
            return
        if self._recall is not None:
            self._actor.tell(self._journal, self._recall)
        for append in self._unanswered.values():
            self._actor.tell(self._journal, append)

    def on_undelivered(self, undelivered: Undelivered) -> AppendFailed | None:
        """Take what came back; an append that will never be written has failed.

        Raises:
            RecallError: what came back is the question for the records.
        """
        if undelivered.reason == "crashed":  # the journal lives on, and is told again
            if (
                undelivered.message == self._recall
            ):  # at once: should it end after all, this comes back
                self._actor.tell(self._journal, undelivered.message)
            return None
        if isinstance(undelivered.message, ReadRecords):
            detail = f"the journal did not answer ({undelivered.reason})"
            raise ReadRecordsError(detail)
        lost = undelivered.message
        if not isinstance(lost, Append) or lost.id not in self._unanswered:
            return None
        failed = AppendFailed(
            id=lost.id, detail=f"the journal cannot take it ({undelivered.reason})"
        )
        self.on_append_answered(failed)
        for mark, append in self._unanswered.items():
            if mark > lost.id:  # what was passed over for its sake
                self._actor.tell(self._journal, append)
        return failed

    def _leave_out(self, lost: Append) -> None:
        """Go on as if an append had never been."""
        if self._before == lost.id:
            self._before = lost.after_id
        for mark, append in self._unanswered.items():
            if append.after_id == lost.id:
                self._unanswered[mark] = append.model_copy(update={"after_id": lost.after_id})
