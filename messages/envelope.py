"""A message on its way: to whom, from whom, what."""

from dataclasses import dataclass

from messages.address import Address
from messages.base import Message


@dataclass(slots=True)
class Envelope:
    """Stands around a message in memory and on a link; who forwards one leaves the sender as it is.

    Not frozen, since one is made for every message and that takes a third of the time; nobody
    changes one.
    """

    to: Address
    sender: Address
    message: Message

    @property
    def high_priority(self) -> bool:
        """Whether it overtakes the mailbox."""
        return self.message.high_priority
