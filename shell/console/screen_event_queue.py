"""The queue of events for the screen: any thread adds, the screen takes a batch per frame."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from messages.address import Address, is_subagent
from messages.approvals import DismissApproval, ShowApproval
from messages.compaction import ContextUsage
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
    CommandOutput,
    Delta,
    PersistenceChanged,
    TextDelta,
    ThinkingDelta,
    ToolInputDelta,
    TurnNumberTaken,
)
from shell.console.ui_commands import UserCommandEnded


@dataclass(frozen=True, slots=True)
class Notice:
    """A line for the user from the program itself, such as why it ends."""

    text: str


@dataclass(frozen=True, slots=True)
class SubagentEvent:
    """An event of a subagent."""

    source: Address
    event: AgentEvent
    """Deltas come only from the subagent on screen, after its `SessionConfigured`."""


def to_screen_event(source: Address, event: AgentEvent) -> AgentEvent | SubagentEvent:
    """Wrap a subagent's event with its address, except for the disk, which all agents share."""
    if is_subagent(source) and not isinstance(event, PersistenceChanged):
        return SubagentEvent(source, event)
    return event


@dataclass(frozen=True, slots=True)
class ApprovalsReset:
    """The broker or the console restarted; approval requests that are still open come again."""


@dataclass(frozen=True, slots=True)
class DecisionLost:
    """A decision on this request will never be handled; the user must decide again."""

    request_id: str


@dataclass(frozen=True, slots=True)
class TextDropped:
    """Text of the model that was dropped because it arrived faster than it could be shown."""

    chars: int


ScreenEvent: TypeAlias = (
    AgentEvent
    | SubagentEvent
    | ContextUsage
    | ShowApproval
    | DismissApproval
    | ApprovalsReset
    | DecisionLost
    | TurnNumberTaken
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
"""Queued deltas are joined up to this length."""
MAX_QUEUED_EVENTS = 2_000
"""With more events queued, deltas are dropped; the complete reply follows."""


class ScreenEventQueue:
    """A queue with one reader, which is woken once for all events since it last took some.

    It needs no lock: `put` appends before it checks the flag, and the reader clears the flag
    before it takes, so an event is either taken or followed by a wake-up. Two wake-ups do no harm.
    A reader that stops before the queue is empty must come back on its own.
    """

    def __init__(self) -> None:
        self._events: deque[ScreenEvent] = deque()
        self._wake: Callable[[], None] | None = None
        self._wake_requested = False

    def put(self, event: ScreenEvent) -> None:
        """Add an event, from any thread."""
        is_full = len(self._events) >= MAX_QUEUED_EVENTS
        if is_full and isinstance(event, TextDelta | ThinkingDelta):
            event = TextDropped(len(event.text))
        if isinstance(event, SubagentEvent) and isinstance(event.event, Delta):
            if not is_full:  # else it is dropped; the complete reply follows
                self._join(event)
        elif isinstance(event, Delta | TextDropped):
            self._join(event)
        else:
            self._events.append(event)
        if not self._wake_requested:
            self._wake_reader()

    def _join(self, event: Delta | TextDropped | SubagentEvent) -> None:
        """Append a delta, or join it with the last event to bound memory for a slow reader.

        The reader may take the last event at any moment; then there is nothing to join with.
        """
        try:
            last = self._events.pop()
        except IndexError:
            self._events.append(event)
            return
        joined = _join_events(last, event)
        self._events.extend((last, event) if joined is None else (joined,))

    def put_notice(self, text: str) -> None:
        """Show the user a line, from any thread."""
        self.put(Notice(text))

    def set_wake_callback(self, wake: Callable[[], None] | None) -> None:
        """Set the reader's callback, which must be fast and thread-safe; None removes it."""
        self._wake, self._wake_requested = wake, False
        if self._events:
            self._wake_reader()

    def take_all(self) -> tuple[ScreenEvent, ...]:
        """Take all events, in order."""
        self._wake_requested = False
        return tuple(self._events.popleft() for _ in range(len(self._events)))

    def take_next(self) -> ScreenEvent | None:
        """Take the oldest event; None if there is none."""
        self._wake_requested = False
        return self._events.popleft() if self._events else None

    def __bool__(self) -> bool:
        """Whether events are queued."""
        return bool(self._events)

    def _wake_reader(self) -> None:
        if wake := self._wake:
            self._wake_requested = True
            wake()


def _join_events(  # noqa: PLR0911  (one case per kind)
    last: ScreenEvent, event: ScreenEvent
) -> ScreenEvent | None:
    """Return two deltas of the same kind as one; None if they cannot be joined."""
    if isinstance(last, SubagentEvent) and isinstance(event, SubagentEvent):
        same_source = last.source == event.source
        joined = _join_events(last.event, event.event) if same_source else None
        if not isinstance(joined, Delta | CommandOutput):
            return None
        return SubagentEvent(last.source, joined)
    if isinstance(last, TextDropped) and isinstance(event, TextDropped):
        return TextDropped(last.chars + event.chars)
    if isinstance(last, TextDelta) and isinstance(event, TextDelta):
        fits = len(last.text) + len(event.text) <= MAX_DELTA_CHARS
        return TextDelta(text=last.text + event.text) if fits else None
    if isinstance(last, ThinkingDelta) and isinstance(event, ThinkingDelta):
        fits = len(last.text) + len(event.text) <= MAX_DELTA_CHARS
        return ThinkingDelta(text=last.text + event.text) if fits else None
    if isinstance(last, ToolInputDelta) and isinstance(event, ToolInputDelta):
        return ToolInputDelta(char_count=last.char_count + event.char_count)
    if isinstance(last, CommandOutput) and isinstance(event, CommandOutput):
        return event if last.call_id == event.call_id else None
    return None
