"""What actors hear about the lives of others, beside the ends of their own children."""

from typing import Literal

from pydantic import Field

from messages.address import Address
from messages.base import AnyMessage, Message


class PeerRestarted(Message):
    """A watched actor crashed and lives on without its memory; say again what is unanswered."""

    type: Literal["peer_restarted"] = "peer_restarted"
    peer: Address
    incarnation: int = Field(ge=2)


UndeliveredReason = Literal["ended", "crashed", "quarantined"]
"""ended: nobody lives there, or its restarts are spent · crashed: its receiver crashed over it and
lives on · set_aside: its receiver crashed over it again and again, and takes it no more."""


class Undelivered(Message):
    """A message that bounces comes back: it is not known to be handled, part of it may have been.

    After `crashed` a watcher hears `PeerRestarted` and repeats; the other two are final.
    """

    type: Literal["undelivered"] = "undelivered"
    to: Address
    message: AnyMessage
    reason: UndeliveredReason
