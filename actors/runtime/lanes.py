"""A mailbox with two lanes: what is urgent overtakes, everything else keeps its order."""

import logging
from collections import deque
from dataclasses import dataclass

from messages.address import Address
from messages.base import Message

log = logging.getLogger("greenroom.runtime")


@dataclass(frozen=True, slots=True)
class Post:
    """A message on its way to a behaviour."""

    sender: Address
    message: Message


@dataclass(frozen=True, slots=True)
class StopOrder:
    """Stop, with everything below, until `deadline` (the event loop's clock, seconds)."""

    deadline: float
    overtakes: bool


@dataclass(frozen=True, slots=True)
class DeadlinePassed:
    """The time for an ordered stop is over: give up on what is left."""


@dataclass(frozen=True, slots=True)
class WorkEnded:
    """A work of this cell has really ended; `outcome` is made in the cell's own context."""

    work: int
    outcome: Message | BaseException | None
    """None: it was cancelled."""


@dataclass(frozen=True, slots=True)
class ChildGone:
    """A child's cell has ended."""

    child: Address
    message: Message


Parcel = Post | StopOrder | DeadlinePassed | WorkEnded | ChildGone


class Lanes:
    """Parcels in the order in which they are to be taken; safe to use from any thread."""

    __slots__ = ("_mail", "_urgent")

    def __init__(self) -> None:
        """Start empty."""
        self._urgent: deque[Parcel] = deque()
        self._mail: deque[Parcel] = deque()

    def add(self, parcel: Parcel) -> None:
        """Put a parcel at the end of its lane."""
        match parcel:
            case Post(message=message):
                urgent = message.urgent
            case StopOrder(overtakes=overtakes):
                urgent = overtakes
            case DeadlinePassed():
                urgent = True
            case WorkEnded() | ChildGone():
                urgent = False
        (self._urgent if urgent else self._mail).append(parcel)

    def take(self) -> Parcel:
        """Take the next parcel.

        Raises:
            IndexError: there is none.
        """
        try:
            return self._urgent.popleft()
        except IndexError:
            return self._mail.popleft()

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return bool(self._urgent or self._mail)

    def clear(self) -> list[Parcel]:
        """Take everything at once."""
        left: list[Parcel] = []
        while self:
            left.append(self.take())
        return left
