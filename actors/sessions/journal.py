"""The journal actor: the only writer of the session file."""

import logging
from collections.abc import Iterable, Iterator
from typing import Literal, assert_never

from actors.redaction.redaction import redact_message
from actors.runtime.actor import Actor
from actors.sessions.errors import LogError
from actors.sessions.log_reader import select_records_for
from actors.sessions.record_authors import find_author_problem
from actors.sessions.session_log import SessionLog
from actors.sessions.subagent_transcripts import TranscriptWriter
from messages.address import Address
from messages.base import Message
from messages.journal import (
    Append,
    Appended,
    AppendFailed,
    ReadRecords,
    ReadRecordsFailed,
    Record,
    RecordsRead,
    RequestPrefix,
)

log = logging.getLogger("greenroom.journal")


class Flush(Message):
    """Sent to itself: write the queued appends."""

    type: Literal["flush"] = "flush"


class WriteTranscripts(Message):
    """Sent to itself: write the transcripts."""

    type: Literal["write_transcripts"] = "write_transcripts"


JournalInbox = Append | ReadRecords | Flush | WriteTranscripts
TRANSCRIPT_DELAY_S = 0.2
"""Transcript records are collected this long: nothing waits for them, and each is a file."""
MAX_TRANSCRIPTS_PER_WRITE = 4
"""Then the session's own records get their turn again."""


class AppendLedger:
    """The answers that each sender has received, and the request prefixes in the file.

    The file does not contain the answers, so the ledger outlives a crash of the journal: an append
    that is sent again is written once, and one that failed stays failed.
    """

    def __init__(self, prefix_ids: Iterable[str] = ()) -> None:
        """Create an empty ledger; `prefix_ids` are the request prefixes in the file."""
        self.prefix_ids = set(prefix_ids)
        """Request prefixes that need not be written again."""
        self.last_ids: dict[Address, int] = {}
        """Each sender's last append that is on disk or has failed."""
        self.failures: dict[tuple[Address, int], AppendFailed] = {}

    def find_answer(self, sender: Address, append_id: int) -> Appended | AppendFailed | None:
        """Return the answer to an append; None if it is new."""
        if append_id > self.last_ids.get(sender, 0):
            return None
        return self.failures.get((sender, append_id)) or Appended(id=append_id)

    def find_failed_predecessor(self, sender: Address, append: Append) -> AppendFailed | None:
        """Return the failure of the append that must come first, if it failed."""
        return self.failures.get((sender, append.after_id))

    def record_answer(self, sender: Address, answer: Appended | AppendFailed) -> None:
        """Store an answer."""
        self.last_ids[sender] = answer.id
        if isinstance(answer, AppendFailed):
            self.failures[sender, answer.id] = answer


class Journal(Actor[JournalInbox]):
    """Writes and syncs records; appends that wait together share one write and one sync."""

    dispatcher = "thread"
    drains_before_stop = True

    def __init__(
        self,
        session_log: SessionLog,
        ledger: AppendLedger,
        secrets: tuple[bytes, ...] = (),
        transcript_writer: TranscriptWriter | None = None,
    ) -> None:
        """Create a journal that writes to an open, locked log and closes it when it stops.

        `secrets` are redacted from every record. Records go to the transcripts once they are on
        disk.
        """
        self._transcripts = transcript_writer
        self._secrets = secrets
        self._log = session_log
        self._ledger = ledger
        self._last_queued_ids = dict(ledger.last_ids)
        """Each sender's last append, including queued ones."""
        self._queue: list[tuple[Address, Append]] = []

    def on_start(self) -> None:
        """After a crash, start from what is on disk."""
        if self.incarnation > 1:
            self._log.reopen()
            self._write_transcripts()

    def on_receive(self, message: JournalInbox) -> None:
        """Handle one message."""
        match message:
            case Append():
                self._queue_append(message)
            case ReadRecords():
                self._read_records(message)
            case Flush():
                self._write_queue()
            case WriteTranscripts():
                self._write_some_transcripts(message)
            case _:
                assert_never(message)

    def on_stop(self) -> None:
        """Write what is left, then close the file."""
        try:
            self._write_queue()
            self._write_transcripts()
        finally:
            self._log.close()

    def _queue_append(self, append: Append) -> None:
        """Queue an append; `Flush` arrives behind the appends already in the mailbox."""
        sender = self.sender
        answer = self._ledger.find_answer(sender, append.id)
        if answer is not None:
            self.tell(sender, answer)  # the first answer was lost in a crash
            return
        last_queued_id = self._last_queued_ids.get(sender, 0)
        if append.id <= last_queued_id or append.after_id > last_queued_id:
            log.info("append %s of %s is a duplicate or too early", append.id, sender)
            return
        failure = self._ledger.find_failed_predecessor(sender, append)
        # A predecessor that failed: the append was sent before its sender received that failure.
        problem = failure.detail if failure else _find_author_problem(append, sender)
        if problem:
            self._last_queued_ids[sender] = append.id
            self._fail(sender, append, problem)
            return
        if not self._queue:
            self.tell(self.address, Flush())
        self._last_queued_ids[sender] = append.id
        self._queue.append((sender, append))

    def _read_records(self, request: ReadRecords) -> None:
        reader = self.sender
        self._write_queue()
        try:
            records = select_records_for(self._log.read(), request.agent)
        except LogError as error:
            self.tell(reader, ReadRecordsFailed(id=request.id, detail=error.detail))
        else:
            self.tell(reader, RecordsRead(id=request.id, records=records))

    def _write_queue(self) -> None:
        queue, self._queue = self._queue, []
        if not queue:
            return
        prefix_ids = set(self._ledger.prefix_ids)
        records = [
            (redact_message(record, self._secrets), sender)
            for sender, append in queue
            for record in _omit_known_prefixes(append.records, prefix_ids)
        ]
        try:
            self._log.append(records)
        except LogError as error:
            for sender, append in queue:
                self._fail(sender, append, error.detail)
        else:
            self._ledger.prefix_ids = prefix_ids
            # All are on disk: a crash between two answers must not write the rest again.
            for sender, append in queue:
                self._ledger.record_answer(sender, Appended(id=append.id))
            for sender, append in queue:
                self.tell(sender, Appended(id=append.id))
            if self._transcripts is not None and self._transcripts.add(records):
                self.schedule(TRANSCRIPT_DELAY_S, WriteTranscripts())

    def _write_transcripts(self) -> None:
        """Write all transcripts; for use when no append is waiting."""
        if self._transcripts is not None:
            self._transcripts.write()

    def _write_some_transcripts(self, request: WriteTranscripts) -> None:
        transcripts = self._transcripts
        if transcripts is not None and transcripts.write(MAX_TRANSCRIPTS_PER_WRITE):
            self.tell(self.address, request)

    def _fail(self, sender: Address, append: Append, detail: str) -> None:
        answer = AppendFailed(id=append.id, detail=detail)
        self._ledger.record_answer(sender, answer)
        self.tell(sender, answer)


def _find_author_problem(append: Append, author: Address) -> str:
    problems = (find_author_problem(record, author) for record in append.records)
    return next(filter(None, problems), "")


def _omit_known_prefixes(records: tuple[Record, ...], known_ids: set[str]) -> Iterator[Record]:
    """Yield records without the request prefixes that are known; the others become known."""
    for record in records:
        if isinstance(record, RequestPrefix):
            if record.id in known_ids:
                continue
            known_ids.add(record.id)
        yield record
