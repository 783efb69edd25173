"""A one-shot address for an answer to the edge."""

import threading
from concurrent.futures import Future

from actors.runtime.mailbox import MailboxItem
from messages.base import Message
from messages.envelope import Envelope


class Mailbox:
    """Stands in the directory beside the cells until the first message has come."""

    inbox_types = None
    """Takes every message."""

    def __init__(self) -> None:
        """Wait for the first message."""
        self.reply: Future[Message] = Future()
        self._lock = threading.Lock()

    def post(self, item: MailboxItem) -> bool:
        """Keep the first message; later ones are dead letters."""
        with self._lock:
            if self.reply.done() or not isinstance(item, Envelope):
                return False
            self.reply.set_result(item.message)
            return True
