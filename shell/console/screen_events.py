"""Events for the screen, put by any thread and taken in one batch a frame."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from messages.address import Address, is_subagent
from messages.approvals import DismissApproval, ShowApproval
from messages.permissions import (
    ChangeModeFailed,
    DecisionExplained,
    GrantRevoked,
    ModeChanged,
    PolicySnapshot,
    ReplaceRulesFailed,
    RevokeGrantFailed,
    RulesReplaced,
    StoreGrantFailed,
)
from messages.turns import (
    AgentEvent,
    Delta,
    PersistenceChanged,
    SessionConfigured,
    TextDelta,
    ThinkingDelta,
    ToolInputDelta,
    UpwardEvent,
)
from shell.console.ui_commands import UserCommandEnded


@dataclass(frozen=True, slots=True)
class Notice:
    """A line for the person from the program itself, such as why it ends."""

    text: str


@dataclass(frozen=True, slots=True)
class SubagentEvent:
    """An event of an agent below the one that the person talks with."""

    source: Address
    event: UpwardEvent | Delta | SessionConfigured
    """What streams comes of one at most: whom the person looks at; first who that is."""


def to_screen_event(
    source: Address, event: UpwardEvent | Delta
) -> UpwardEvent | Delta | SubagentEvent:
    """Take a report as the screen does: a subagent's says whose it is; all have the same disk."""
    if is_subagent(source) and not isinstance(event, PersistenceChanged):
        return SubagentEvent(source, event)
    return event


@dataclass(frozen=True, slots=True)
class ApprovalsReset:
    """Whoever keeps the questions was started again: those that still stand come anew."""


@dataclass(frozen=True, slots=True)
class TextDropped:
    """So much of the model's text came faster than it could be shown, and is left out."""

    chars: int


ScreenEvent: TypeAlias = (
    AgentEvent
    | SubagentEvent
    | ShowApproval
    | DismissApproval
    | ApprovalsReset
    | UserCommandEnded
    | PolicySnapshot
    | RulesReplaced
    | ReplaceRulesFailed
    | ModeChanged
    | ChangeModeFailed
    | GrantRevoked
    | RevokeGrantFailed
    | StoreGrantFailed
    | DecisionExplained
    | Notice
    | TextDropped
)

MAX_DELTA_CHARS = 4_000
"""Pieces of text that wait are joined until they are so long."""
MAX_QUEUED_EVENTS = 2_000
"""When so many events wait, text that comes is left out: its record comes all the same."""


class ScreenEventQueue:
    """A queue with one reader, who is woken once for everything that came since it last took.

    It needs no lock: `put` appends before it looks at the flag, and the reader clears the flag
    before it takes, so an event is either taken or followed by a wake-up. Two wake-ups do no harm.
    A reader that stops before the inbox is empty must come back by itself.
    """

    def __init__(self) -> None:
        self._events: deque[ScreenEvent] = deque()
        self._wake: Callable[[], None] | None = None
        self._woken = False

    def put(self, event: ScreenEvent) -> None:
        """Add an event; any thread may."""
        if isinstance(event, TextDelta | ThinkingDelta) and len(self._events) >= MAX_QUEUED_EVENTS:
            event = TextDropped(len(event.text))
        if isinstance(event, SubagentEvent) and isinstance(event.event, Delta):
            if len(self._events) < MAX_QUEUED_EVENTS:  # else its record comes all the same
                self._join(event)
        elif isinstance(event, Delta | TextDropped):
            self._join(event)
        else:
            self._events.append(event)
        if not self._woken:
            self._rouse()

    def _join(self, event: Delta | TextDropped | SubagentEvent) -> None:
        """Join what waits, so that memory is bounded however slow the reader is.

        The reader may take the last event at any moment; then there is nothing to join with.
        """
        try:
            last = self._events.pop()
        except IndexError:
            self._events.append(event)
            return
        joined = _joined(last, event)
        self._events.extend((last, event) if joined is None else (joined,))

    def put_notice(self, text: str) -> None:
        """Show the person a line; any thread may."""
        self.put(Notice(text))

    def set_wake_callback(self, wake: Callable[[], None] | None) -> None:
        """Name the reader: `wake` must be quick and callable from any thread; None: it has gone."""
        self._wake, self._woken = wake, False
        if self._events:
            self._rouse()

    def take_all(self) -> tuple[ScreenEvent, ...]:
        """Take everything that is there, in order."""
        self._woken = False
        return tuple(self._events.popleft() for _ in range(len(self._events)))

    def take_next(self) -> ScreenEvent | None:
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


def _joined(last: ScreenEvent, event: ScreenEvent) -> ScreenEvent | None:
    """Make one of two pieces of the same kind; None: they stay two."""
    if isinstance(last, SubagentEvent) and isinstance(event, SubagentEvent):
        same = last.source == event.source
        joined = _joined(last.event, event.event) if same else None
        return SubagentEvent(last.source, joined) if isinstance(joined, Delta) else None
    if isinstance(last, TextDropped) and isinstance(event, TextDropped):
        return TextDropped(last.chars + event.chars)
    if isinstance(last, TextDelta) and isinstance(event, TextDelta):
        short = len(last.text) + len(event.text) <= MAX_DELTA_CHARS
        return TextDelta(text=last.text + event.text) if short else None
    if isinstance(last, ThinkingDelta) and isinstance(event, ThinkingDelta):
        short = len(last.text) + len(event.text) <= MAX_DELTA_CHARS
        return ThinkingDelta(text=last.text + event.text) if short else None
    if isinstance(last, ToolInputDelta) and isinstance(event, ToolInputDelta):
        return ToolInputDelta(char_count=last.char_count + event.char_count)
    return None
