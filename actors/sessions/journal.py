"""The journal: the only writer of session files."""

from typing import Literal, assert_never

from actors.runtime.actor import Actor
from actors.sessions.log import LogError, SessionLog
from messages.address import Address
from messages.base import Message
from messages.transcript import Append, Appended, AppendFailed


class Flush(Message):
    """The journal's note to itself: write what has gathered."""

    type: Literal["flush"] = "flush"


JournalInbox = Append | Flush


class Journal(Actor[JournalInbox]):
    """Writes and syncs records; those that wait together share one write and one sync."""

    dispatcher = "thread"
    drains = True

    def __init__(self, log: SessionLog) -> None:
        """Write to a log that is open and locked; it is closed with the journal."""
        self._log = log
        self._gathered: list[tuple[Address, Append]] = []

    def on_receive(self, message: JournalInbox) -> None:
        """Gather what is in the mailbox: the note comes back behind it."""
        match message:
            case Append():
                if not self._gathered:
                    self.tell(self.address, Flush())
                self._gathered.append((self.sender, message))
            case Flush():
                self._write()
            case _:
                assert_never(message)

    def on_stop(self) -> None:
        """Write what is left, then let go of the file."""
        self._write()
        self._log.close()

    def _write(self) -> None:
        gathered, self._gathered = self._gathered, []
        if not gathered:
            return
        lines = [(record, sender) for sender, append in gathered for record in append.records]
        try:
            self._log.append(lines)
        except LogError as error:
            for sender, append in gathered:
                self.tell(sender, AppendFailed(id=append.id, detail=error.detail))
        else:
            for sender, append in gathered:
                self.tell(sender, Appended(id=append.id))
