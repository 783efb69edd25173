"""The journal: the only writer of session files."""

import logging
from typing import Literal, assert_never

from actors.redaction.redaction import redact_message
from actors.runtime.actor import Actor
from actors.sessions.log_reader import select_records_for
from actors.sessions.session_log import LogError, SessionLog
from actors.sessions.transcript_writer import TranscriptWriter
from messages.address import Address
from messages.base import Message
from messages.journal import (
    Append,
    Appended,
    AppendFailed,
    ReadRecords,
    ReadRecordsFailed,
    RecordsRead,
)

log = logging.getLogger("greenroom.journal")


class Flush(Message):
    """The journal's note to itself: write what has gathered."""

    type: Literal["flush"] = "flush"


class WriteTranscripts(Message):
    """The journal's note to itself: it is time for what is only to be read."""

    type: Literal["write_transcripts"] = "write_transcripts"


JournalInbox = Append | ReadRecords | Flush | WriteTranscripts
TRANSCRIPT_DELAY_S = 0.2
"""What goes into the transcripts gathers for so long: nobody waits for it, and each is a file."""
MAX_TRANSCRIPTS_PER_WRITE = 4
"""So many are written before the session's own records have their turn again."""


class AppendLedger:
    """What has been answered to whom.

    The file does not say it, so it outlives a crash of the journal: what is sent again is written
    once, and what was refused stays so.
    """

    def __init__(self) -> None:
        """Nothing yet."""
        self.last_ids: dict[Address, int] = {}
        """The last append of each sender that is on disk or has been refused."""
        self.failures: dict[tuple[Address, int], AppendFailed] = {}

    def find_answer(self, sender: Address, append: int) -> Appended | AppendFailed | None:
        """Say what was answered to an append; None: it is new."""
        if append > self.last_ids.get(sender, 0):
            return None
        return self.failures.get((sender, append)) or Appended(id=append)

    def find_failed_predecessor(self, sender: Address, append: Append) -> AppendFailed | None:
        """Say how the append that comes first was refused, if it was."""
        return self.failures.get((sender, append.after_id))

    def record_answer(self, sender: Address, answer: Appended | AppendFailed) -> None:
        """Keep an answer."""
        self.last_ids[sender] = answer.id
        if isinstance(answer, AppendFailed):
            self.failures[sender, answer.id] = answer


class Journal(Actor[JournalInbox]):
    """Writes and syncs records; those that wait together share one write and one sync."""

    dispatcher = "thread"
    drains_before_stop = True

    def __init__(
        self,
        session_log: SessionLog,
        ledger: AppendLedger,
        secrets: tuple[bytes, ...] = (),
        transcript_writer: TranscriptWriter | None = None,
    ) -> None:
        """Write to a log that is open and locked; it is closed with the journal.

        Of `secrets` none is written, whatever record holds it. `transcripts` get what they are
        to have after it is on disk.
        """
        self._transcripts = transcript_writer
        self._secrets = secrets
        self._log = session_log
        self._settled = ledger
        self._taken = dict(ledger.last_ids)
        """As `settled`, with what has gathered."""
        self._gathered: list[tuple[Address, Append]] = []

    def on_start(self) -> None:
        """After a crash, begin with what is on disk."""
        if self.incarnation > 1:
            self._log.reopen()
            self._write_transcripts()

    def on_receive(self, message: JournalInbox) -> None:
        """Take one message."""
        match message:
            case Append():
                self._take(message)
            case ReadRecords():
                self._recall(message)
            case Flush():
                self._write()
            case WriteTranscripts():
                if self._transcripts is not None and self._transcripts.write(
                    MAX_TRANSCRIPTS_PER_WRITE
                ):
                    self.tell(self.address, message)
            case _:
                assert_never(message)

    def on_stop(self) -> None:
        """Write what is left, then let go of the file."""
        try:
            self._write()
            self._write_transcripts()
        finally:
            self._log.close()

    def _take(self, append: Append) -> None:
        """Gather what is in the mailbox: the note comes back behind it."""
        sender = self.sender
        answer = self._settled.find_answer(sender, append.id)
        if answer is not None:
            self.tell(sender, answer)  # the first was lost with a crash
            return
        taken = self._taken.get(sender, 0)
        if append.id <= taken or append.after_id > taken:
            log.info("%s of %s is here twice, or will come again", append.id, sender)
            return
        before = self._settled.find_failed_predecessor(sender, append)
        if before is not None:  # it was sent before its sender heard of that
            self._taken[sender] = append.id
            self._answer(sender, AppendFailed(id=append.id, detail=before.detail))
            return
        if not self._gathered:
            self.tell(self.address, Flush())
        self._taken[sender] = append.id
        self._gathered.append((sender, append))

    def _recall(self, recall: ReadRecords) -> None:
        asker = self.sender
        self._write()
        try:
            records = select_records_for(self._log.read(), recall.agent)
        except LogError as error:
            self.tell(asker, ReadRecordsFailed(id=recall.id, detail=error.detail))
        else:
            self.tell(asker, RecordsRead(id=recall.id, records=records))

    def _write(self) -> None:
        gathered, self._gathered = self._gathered, []
        if not gathered:
            return
        lines = [
            (redact_message(record, self._secrets), sender)
            for sender, append in gathered
            for record in append.records
        ]
        try:
            self._log.append(lines)
        except LogError as error:
            for sender, append in gathered:
                self._answer(sender, AppendFailed(id=append.id, detail=error.detail))
        else:
            # All are on disk: a crash between two answers must not write the rest again.
            for sender, append in gathered:
                self._settled.record_answer(sender, Appended(id=append.id))
            for sender, append in gathered:
                self.tell(sender, Appended(id=append.id))
            if self._transcripts is not None and self._transcripts.add(lines):
                self.schedule(TRANSCRIPT_DELAY_S, WriteTranscripts())

    def _write_transcripts(self) -> None:
        """Write all, where nothing else is to be done."""
        if self._transcripts is not None:
            self._transcripts.write()

    def _answer(self, sender: Address, answer: AppendFailed) -> None:
        self._settled.record_answer(sender, answer)
        self.tell(sender, answer)
