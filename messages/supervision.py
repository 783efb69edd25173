"""Reports about other actors, other than the ends of an actor's own children."""

from typing import Literal

from pydantic import Field

from messages.address import Address
from messages.base import AnyMessage, Message


class PeerRestarted(Message):
    """A watched actor crashed and was restarted without its state; resend unanswered requests."""

    type: Literal["peer_restarted"] = "peer_restarted"
    peer: Address
    incarnation: int = Field(ge=2)


UndeliveredReason = Literal["ended", "crashed", "quarantined"]
"""ended: no such actor, or its restarts are exhausted · crashed: the receiver crashed while
handling it and was restarted · quarantined: the receiver crashed on it too often."""


class Undelivered(Message):
    """A message comes back to its sender because it may not have been handled completely.

    After `crashed`, a watcher also gets `PeerRestarted` and resends; the other reasons are final.
    """

    type: Literal["undelivered"] = "undelivered"
    to: Address
    message: AnyMessage
    reason: UndeliveredReason
