"""A mailbox with two lanes: what is urgent overtakes, everything else keeps its order."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from actors.runtime.actor import JobFailure, JobId
from messages.address import Address
from messages.base import Message
from messages.child_lifecycle import ChildEnded
from messages.envelope import Envelope

# Not frozen: these never leave the runtime, and one is made for every message (0.3 us less each).


@dataclass(slots=True)
class StopCell:
    """Stop, with everything below, until `deadline_s` of the event loop's clock."""

    deadline_s: float
    high_priority: bool
    """False for an actor that drains."""


@dataclass(slots=True)
class StopDeadlinePassed:
    """The time for this cell's ordered stop is over: give up on what is left."""

    high_priority: ClassVar[bool] = True


@dataclass(slots=True)
class RestartDelayElapsed:
    """Enough rest after a crash: begin again."""

    high_priority: ClassVar[bool] = True


@dataclass(slots=True)
class JobEnded:
    """A work of this cell has really ended."""

    job_id: JobId
    outcome: Message | JobFailure
    high_priority: ClassVar[bool] = False


@dataclass(slots=True)
class ChildCellEnded:
    """A child's cell has ended; behind the child's last words."""

    child: Address
    end: ChildEnded
    high_priority: ClassVar[bool] = False


@dataclass(slots=True)
class ChildStopTimeout:
    """A child was told to stop and has not ended in time; its end may already wait in the mail."""

    child: Address
    high_priority: ClassVar[bool] = False


MailboxItem = (
    Envelope
    | StopCell
    | StopDeadlinePassed
    | RestartDelayElapsed
    | JobEnded
    | ChildCellEnded
    | ChildStopTimeout
)


class Mailbox:
    """Parcels in the order in which they are to be taken; safe to use from any thread."""

    __slots__ = ("_mail", "_urgent")

    def __init__(self) -> None:
        """Start empty."""
        self._urgent: deque[MailboxItem] = deque()
        self._mail: deque[MailboxItem] = deque()

    def add(self, item: MailboxItem) -> None:
        """Put a parcel at the end of its lane."""
        (self._urgent if item.high_priority else self._mail).append(item)

    def put_back(self, items: Sequence[MailboxItem]) -> None:
        """Put parcels before everything else, each in its lane."""
        for parcel in reversed(items):
            (self._urgent if parcel.high_priority else self._mail).appendleft(parcel)

    def take(self) -> MailboxItem | None:
        """Take the next parcel; None: there is none."""
        try:
            if self._urgent:
                return self._urgent.popleft()
            if self._mail:
                return self._mail.popleft()
        except IndexError:  # another thread took it between look and grasp; it takes the rest too
            pass
        return None

    def clear(self) -> list[MailboxItem]:
        """Take everything; of several threads that clear at once each gets a part."""
        left: list[MailboxItem] = []
        while parcel := self.take():
            left.append(parcel)
        return left
