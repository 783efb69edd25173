"""An actor's talk with the journal, in which a restart of either loses nothing."""

from typing import Any

from actors.runtime.actor import Actor
from messages.address import Address
from messages.supervision import PeerRestarted, Undelivered
from messages.transcript import (
    Append,
    Appended,
    AppendFailed,
    AppendTimeout,
    ReadRecords,
    ReadRecordsFailed,
    Record,
    RecordsRead,
)

MARKS = 1 << 32
"""Ids of appends that one incarnation may use: an answer to an earlier one fits none of them."""
PATIENCE_S = 2.0
"""A disk that takes longer is slow; one that refuses is tried again so often."""


class RecallError(Exception):
    """A restarted actor cannot get its records back, so that this restart fails, too."""


def first_mark(incarnation: int) -> int:
    """Say which number stands before the first append of an incarnation."""
    return (incarnation - 1) * MARKS


class JournalClient:
    """Numbers appends, keeps them until they are answered, and says them again to a new journal.

    Its actor calls `open` in `on_start`, and has `PeerRestarted`, `Undelivered`, `RecordsRead` and
    `ReadRecordsFailed` in its inbox. One that `keeps` has `AppendTimeout` there, too.
    """

    def __init__(
        self,
        actor: Actor[Any],
        journal: Address,
        lives_before: int = 0,
        *,
        own: bool = False,
        keeps: bool = False,
    ) -> None:
        """Speak for `actor`, with nothing said yet; `own`: it need know no other agent's past.

        One that `keeps` what the disk refuses puts it before its next record.
        """
        self._actor = actor
        self._own = own
        self._lives_before = lives_before
        self._journal = journal
        self._keeps = keeps
        self._kept: tuple[Record, ...] = ()
        self._unanswered: dict[int, Append] = {}
        self._watching = False
        """Whether `AppendTimeout` is to come."""
        self._last = self._before = 0
        self._recall: ReadRecords | None = None

    @property
    def life(self) -> int:
        """Count the lives of whoever has had this address, in this run of the program."""
        return self._lives_before + self._actor.incarnation

    def open(self, *, on_disk: bool = False) -> bool:
        """Listen for the journal; True: it has a past, and nothing comes before `RecordsRead`."""
        actor = self._actor
        actor.watch(self._journal)
        if actor.incarnation == 1 and not on_disk:
            return False
        actor.hold_mail(RecordsRead, ReadRecordsFailed, PeerRestarted, Undelivered)
        self._recall = ReadRecords(id=self.life, of=actor.address if self._own else None)
        actor.tell(self._journal, self._recall)
        return True

    def recalled(self, answer: RecordsRead | ReadRecordsFailed) -> tuple[Record, ...] | None:
        """Take the journal's answer, behind which the mail comes; None: it is late.

        Raises:
            RecallError: the session cannot be read.
        """
        if self._recall is None or answer.id != self._recall.id:
            return None
        if isinstance(answer, ReadRecordsFailed):
            raise RecallError(answer.detail)
        self._recall = None
        self._actor.release_mail()
        return answer.records

    def write(self, *records: Record, mark: int = 0) -> int:
        """Have records written, under `mark` or the next number; returns it."""
        mark = mark or max(self._last, first_mark(self.life)) + 1
        append = Append(id=mark, records=(*self._kept, *records), after=self._before)
        self._last = self._before = mark
        self._kept = ()
        self._unanswered[mark] = append
        self._actor.tell(self._journal, append)
        self._watch()
        return mark

    def answered(self, answer: Appended | AppendFailed | AppendTimeout) -> None:
        """Strike off what is on disk; keep what is not, or leave it to the actor."""
        if isinstance(answer, AppendTimeout):
            self._watching = False
            self._watch()
            return
        append = self._unanswered.get(answer.id)
        if append is not None and isinstance(answer, AppendFailed):
            self._refused(append)
        self._unanswered.pop(answer.id, None)

    def last_try(self) -> None:
        """Say once more what the disk refused: whoever kept it ends."""
        if self._kept:
            self.write()

    def _watch(self) -> None:
        if self._keeps and not self._watching and (self._unanswered or self._kept):
            self._watching = True
            oldest = next(iter(self._unanswered), 0)
            self._actor.after(PATIENCE_S, AppendTimeout(id=oldest))

    def _refused(self, refused: Append) -> None:
        """Go on behind what came before; what was sent since is refused with it."""
        if not self._keeps:
            self._leave_out(refused)
            return
        lost = [append for mark, append in self._unanswered.items() if mark >= refused.id]
        self._kept = tuple(record for append in lost for record in append.records)
        for append in lost:
            del self._unanswered[append.id]
        self._before = refused.after

    def peer_restarted(self, peer: Address) -> None:
        """Say again what the journal has not answered, if it is the journal."""
        if peer != self._journal:
            return
        if self._recall is not None:
            self._actor.tell(self._journal, self._recall)
        for append in self._unanswered.values():
            self._actor.tell(self._journal, append)

    def returned(self, back: Undelivered) -> AppendFailed | None:
        """Take what came back; an append that will never be written has failed.

        Raises:
            RecallError: what came back is the question for the records.
        """
        if back.reason == "crashed":  # the journal lives on, and is told again
            if back.message == self._recall:  # at once: should it end after all, this comes back
                self._actor.tell(self._journal, back.message)
            return None
        if isinstance(back.message, ReadRecords):
            detail = f"the journal did not answer ({back.reason})"
            raise RecallError(detail)
        lost = back.message
        if not isinstance(lost, Append) or lost.id not in self._unanswered:
            return None
        failed = AppendFailed(id=lost.id, detail=f"the journal cannot take it ({back.reason})")
        self.answered(failed)
        for mark, append in self._unanswered.items():
            if mark > lost.id:  # what was passed over for its sake
                self._actor.tell(self._journal, append)
        return failed

    def _leave_out(self, lost: Append) -> None:
        """Go on as if an append had never been."""
        if self._before == lost.id:
            self._before = lost.after
        for mark, append in self._unanswered.items():
            if append.after == lost.id:
                self._unanswered[mark] = append.model_copy(update={"after": lost.after})
