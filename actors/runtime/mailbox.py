"""A mailbox with two lanes and a stash, and the signals that the runtime posts to it."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from actors.runtime.actor import JobFailure, JobId
from messages.address import Address
from messages.base import Message
from messages.child_lifecycle import ChildEnded
from messages.envelope import Envelope

# Not frozen: these never leave the runtime, and creating a frozen one takes 0.3 us longer.


@dataclass(slots=True)
class StopCell:
    """Stop, with the whole subtree, by `deadline_s` of the event loop's clock."""

    deadline_s: float
    high_priority: bool
    """False for an actor that drains its mailbox first."""


@dataclass(slots=True)
class StopDeadlinePassed:
    """The cell took too long to stop: abandon the jobs and children that are left."""

    high_priority: ClassVar[bool] = True


@dataclass(slots=True)
class RestartDelayElapsed:
    """The delay after a crash is over: restart."""

    high_priority: ClassVar[bool] = True


@dataclass(slots=True)
class JobEnded:
    """A job of this cell has ended."""

    job_id: JobId
    outcome: Message | JobFailure
    high_priority: ClassVar[bool] = False


@dataclass(slots=True)
class ChildCellEnded:
    """A child's cell has ended; posted after the last message of that child."""

    child: Address
    end: ChildEnded
    high_priority: ClassVar[bool] = False


@dataclass(slots=True)
class ChildStopTimeout:
    """A child did not stop in time; its end may already be in the mailbox."""

    child: Address
    high_priority: ClassVar[bool] = False  # behind an end that is in the mailbox


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
    """Items in the order in which they are handled; the lanes are safe to use from any thread."""

    __slots__ = ("_normal", "_priority", "stashed", "unstashed_types")

    def __init__(self) -> None:
        """Start empty."""
        self.unstashed_types: frozenset[type[Message]] | None = None
        """Types that are handled while all others are stashed; None: nothing is stashed."""
        self.stashed: list[MailboxItem] = []
        self._priority: deque[MailboxItem] = deque()
        self._normal: deque[MailboxItem] = deque()

    def add(self, item: MailboxItem) -> None:
        """Append an item to its lane."""
        (self._priority if item.high_priority else self._normal).append(item)

    def put_back(self, items: Sequence[MailboxItem]) -> None:
        """Put items in front of their lanes, in their order."""
        for item in reversed(items):
            (self._priority if item.high_priority else self._normal).appendleft(item)

    def take(self) -> MailboxItem | None:
        """Remove and return the next item; None: the mailbox is empty."""
        try:
            if self._priority:
                return self._priority.popleft()
            if self._normal:
                return self._normal.popleft()
        except IndexError:  # `clear` on another thread took it after the check, and takes the rest
            pass
        return None

    def clear(self) -> list[MailboxItem]:
        """Empty the lanes; threads that clear at the same time each get a part."""
        items: list[MailboxItem] = []
        while item := self.take():
            items.append(item)
        return items

    def unstash(self) -> None:
        """Put the stashed items back in front, and stop holding messages back."""
        self.unstashed_types = None
        stashed, self.stashed = self.stashed, []
        self.put_back(stashed)

    def take_all(self) -> list[MailboxItem]:
        """Remove and return the stashed items and all others."""
        stashed, self.stashed = self.stashed, []
        return [*stashed, *self.clear()]
