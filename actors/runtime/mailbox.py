"""A one-shot address for an answer to the edge."""

import threading
from concurrent.futures import Future

from actors.runtime.lanes import MailboxItem
from messages.base import Message
from messages.envelope import Envelope


class Mailbox:
    """Stands in the directory beside the cells until the first message has come."""

    kinds = None
    """Takes every message."""

    def __init__(self) -> None:
        """Wait for the first message."""
        self.first: Future[Message] = Future()
        self._lock = threading.Lock()

    def post(self, parcel: MailboxItem) -> bool:
        """Keep the first message; later ones are dead letters."""
        with self._lock:
            if self.first.done() or not isinstance(parcel, Envelope):
                return False
            self.first.set_result(parcel.message)
            return True
