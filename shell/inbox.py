"""Events for the screen, put by any thread and taken in one batch a frame."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from messages.approvals import PresentApproval, RetractApproval
from messages.turns import AgentEvent
from shell.intents import OwnCommandEnded


@dataclass(frozen=True, slots=True)
class Notice:
    """A line for the person from the program itself, such as why it ends."""

    text: str


@dataclass(frozen=True, slots=True)
class QuestionsGone:
    """Whoever keeps the questions was started again: those that still stand come anew."""


Event: TypeAlias = (
    AgentEvent | PresentApproval | RetractApproval | QuestionsGone | OwnCommandEnded | Notice
)


class Inbox:
    """A queue with one reader, who is woken once for everything that came since it last took.

    It needs no lock: `put` appends before it looks at the flag, and the reader clears the flag
    before it takes, so an event is either taken or followed by a wake-up. Two wake-ups do no harm.
    A reader that stops before the inbox is empty must come back by itself.
    """

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self._wake: Callable[[], None] | None = None
        self._woken = False
        self._retold = False

    def put(self, event: Event) -> None:
        """Add an event; any thread may."""
        self._events.append(event)
        if not self._woken:
            self._rouse()

    def put_notice(self, text: str) -> None:
        """Show the person a line; any thread may."""
        self.put(Notice(text))

    def put_past(self, events: Iterable[Event]) -> None:
        """Show what was said before this run, before all else; only the first call counts."""
        if not self._retold:
            self._retold = True
            for event in events:
                self.put(event)

    def listen(self, wake: Callable[[], None] | None) -> None:
        """Name the reader: `wake` must be quick and callable from any thread; None: it has gone."""
        self._wake, self._woken = wake, False
        if self._events:
            self._rouse()

    def take(self) -> tuple[Event, ...]:
        """Take everything that is there, in order."""
        self._woken = False
        return tuple(self._events.popleft() for _ in range(len(self._events)))

    def next(self) -> Event | None:
        """Take the oldest event; None when there is none."""
        self._woken = False
        return self._events.popleft() if self._events else None

    def __bool__(self) -> bool:
        """Whether something waits."""
        return bool(self._events)

    def _rouse(self) -> None:
        if wake := self._wake:
            self._woken = True
            wake()
