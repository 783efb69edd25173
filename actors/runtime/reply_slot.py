"""A one-shot address that receives the reply to `ActorSystem.ask`."""

import threading
from concurrent.futures import Future

from actors.runtime.mailbox import MailboxItem
from messages.base import Message
from messages.envelope import Envelope


class ReplySlot:
    """Receives one message; registered next to the cells until that message has arrived."""

    inbox_types = None
    """Accepts every message."""

    def __init__(self) -> None:
        """Start without a reply."""
        self.reply: Future[Message] = Future()
        self._lock = threading.Lock()

    def post(self, item: MailboxItem) -> bool:
        """Keep the first message; later ones are dead letters."""
        with self._lock:
            if self.reply.done() or not isinstance(item, Envelope):
                return False
            self.reply.set_result(item.message)
            return True
