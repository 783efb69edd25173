"""The envelope around a message in transit: receiver, sender, message."""

from dataclasses import dataclass

from messages.address import Address
from messages.base import Message


@dataclass(slots=True)
class Envelope:
    """Wraps a message in memory and on a link. Forwarding keeps the original sender.

    Not frozen, because one is created per message and a frozen one takes three times as long.
    Treat it as immutable.
    """

    to: Address
    sender: Address
    message: Message

    @property
    def high_priority(self) -> bool:
        """Whether the message is delivered ahead of the normal mailbox lane."""
        return self.message.high_priority
