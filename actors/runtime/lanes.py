"""A mailbox with two lanes: what is urgent overtakes, everything else keeps its order."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from actors.runtime.actor import Failure, WorkId
from messages.address import Address
from messages.agents import ChildEnded
from messages.base import Message
from messages.envelope import Envelope

# Not frozen: these never leave the runtime, and one is made for every message (0.3 us less each).


@dataclass(slots=True)
class StopOrder:
    """Stop, with everything below, until `deadline_s` of the event loop's clock."""

    deadline_s: float
    urgent: bool
    """False for an actor that drains."""


@dataclass(slots=True)
class DeadlinePassed:
    """The time for this cell's ordered stop is over: give up on what is left."""

    urgent: ClassVar[bool] = True


@dataclass(slots=True)
class Rested:
    """Enough rest after a crash: begin again."""

    urgent: ClassVar[bool] = True


@dataclass(slots=True)
class WorkEnded:
    """A work of this cell has really ended."""

    work: WorkId
    outcome: Message | Failure
    urgent: ClassVar[bool] = False


@dataclass(slots=True)
class ChildGone:
    """A child's cell has ended; behind the child's last words."""

    child: Address
    end: ChildEnded
    urgent: ClassVar[bool] = False


@dataclass(slots=True)
class ChildOverdue:
    """A child was told to stop and has not ended in time; its end may already wait in the mail."""

    child: Address
    urgent: ClassVar[bool] = False


Parcel = Envelope | StopOrder | DeadlinePassed | Rested | WorkEnded | ChildGone | ChildOverdue


class Lanes:
    """Parcels in the order in which they are to be taken; safe to use from any thread."""

    __slots__ = ("_mail", "_urgent")

    def __init__(self) -> None:
        """Start empty."""
        self._urgent: deque[Parcel] = deque()
        self._mail: deque[Parcel] = deque()

    def add(self, parcel: Parcel) -> None:
        """Put a parcel at the end of its lane."""
        (self._urgent if parcel.urgent else self._mail).append(parcel)

    def put_back(self, parcels: Sequence[Parcel]) -> None:
        """Put parcels before everything else, each in its lane."""
        for parcel in reversed(parcels):
            (self._urgent if parcel.urgent else self._mail).appendleft(parcel)

    def take(self) -> Parcel | None:
        """Take the next parcel; None: there is none."""
        try:
            if self._urgent:
                return self._urgent.popleft()
            if self._mail:
                return self._mail.popleft()
        except IndexError:  # another thread took it between look and grasp; it takes the rest too
            pass
        return None

    def clear(self) -> list[Parcel]:
        """Take everything; of several threads that clear at once each gets a part."""
        left: list[Parcel] = []
        while parcel := self.take():
            left.append(parcel)
        return left
