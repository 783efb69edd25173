"""Publishes an agent's events: to its parent, and its stream to the actors subscribed to it."""

from dataclasses import dataclass, field
from typing import Any

from actors.agents.effect_handlers.collaborators import Collaborators
from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.agent_switch import get_status_fields
from actors.agents.turn.turn_state import TurnStage, TurnState
from actors.runtime.actor import Actor
from messages.address import Address
from messages.turns import (
    AgentEvent,
    CommandOutput,
    Delta,
    ModelRetrying,
    ReplyActivity,
    ReplyCompleted,
    ReplyProgress,
    SessionConfigured,
    TextDelta,
    ThinkingDelta,
    ToolInputDelta,
    TurnEnded,
)

PROGRESS_INTERVAL_CHARS = 400
"""About a hundred tokens, which take a model at least a second."""
_ReplyEnd = ReplyCompleted | ModelRetrying | TurnEnded


class EventPublisher:
    """Publishes one agent's events; deltas go only to subscribers, never up the tree."""

    def __init__(
        self, actor: Actor[Any], collaborators: Collaborators, session_configured: SessionConfigured
    ) -> None:
        """Publish for `actor`."""
        self._actor = actor
        self._events_to = collaborators.events_to
        self._subscribers = dict.fromkeys(collaborators.stream_subscribers)
        self._session_configured = session_configured
        self._streams_by_default = bool(collaborators.stream_subscribers)
        """The receiver of its events also gets the stream, so that it needs no progress events."""
        self._progress = ProgressThrottle()
        self.last_turn_end: TurnEnded | None = None
        """How the last turn of this run ended."""

    def publish_configured(self) -> None:
        """Publish the agent's configuration for the first time."""
        self._stream(self._session_configured)

    def republish_status(self, state: AgentState) -> None:
        """Publish the current status again for receivers that may have missed it."""
        self._stream(self._session_configured.model_copy(update=get_status_fields(state)))
        status = state.persistence.status
        if status.state != "ok":
            self._actor.tell(self._events_to, status)
        if state.turn.stage is TurnStage.IDLE and self.last_turn_end is not None:
            self._actor.tell(self._events_to, self.last_turn_end)

    def publish(self, event: AgentEvent) -> None:
        """Send an event to the parent, or to the console for the primary agent."""
        if isinstance(event, TurnEnded):
            self.last_turn_end = event
        if isinstance(event, _ReplyEnd):
            self._progress = ProgressThrottle()
        self._actor.tell(self._events_to, event)

    def publish_delta(self, delta: Delta, turn: TurnState) -> None:
        """Send a delta of the current reply to the subscribers."""
        if turn.stage is not TurnStage.THINKING or turn.is_stopping:
            return
        self._stream(delta)
        if self._streams_by_default:
            return
        progress = self._progress.add(delta, turn.number)
        if progress is not None:
            self.publish(progress)

    @property
    def is_watched(self) -> bool:
        """Whether anyone receives the agent's stream."""
        return bool(self._subscribers)

    def publish_output(self, output: CommandOutput) -> None:
        """Send the output of a running command to the subscribers."""
        self._stream(output)

    def subscribe(self, subscriber: Address, state: AgentState) -> None:
        """Add a subscriber and send it the agent's status and the text of the current reply."""
        self._subscribers[subscriber] = None
        configured = self._session_configured.model_copy(update=get_status_fields(state))
        self._actor.tell(subscriber, configured)
        if text := self._progress.text:
            self._actor.tell(subscriber, TextDelta(text=text))

    def unsubscribe(self, subscriber: Address) -> None:
        """Remove a subscriber."""
        self._subscribers.pop(subscriber, None)

    def _stream(self, message: Delta | CommandOutput | SessionConfigured) -> None:
        for subscriber in self._subscribers:
            self._actor.tell(subscriber, message)


@dataclass
class ProgressThrottle:
    """Progress of one reply, reported at intervals instead of with each delta."""

    _texts: list[str] = field(default_factory=list[str])
    _has_begun: bool = False
    _chars: int = 0
    _next_report_chars: int = PROGRESS_INTERVAL_CHARS

    @property
    def text(self) -> str:
        """The reply's text so far."""
        return "".join(self._texts)

    def add(self, delta: Delta, turn: int) -> ReplyProgress | None:
        """Count a delta; return a progress event at each start and at each interval."""
        starts = not self._has_begun or (isinstance(delta, TextDelta) and not self._texts)
        self._has_begun = True
        if isinstance(delta, TextDelta):
            self._texts.append(delta.text)
        self._chars += _count_chars(delta)
        if not starts and self._chars < self._next_report_chars:
            return None
        self._next_report_chars = self._chars + PROGRESS_INTERVAL_CHARS
        return ReplyProgress(turn=turn, char_count=self._chars, has_text=bool(self._texts))


def _count_chars(delta: Delta) -> int:
    match delta:
        case TextDelta() | ThinkingDelta():
            return len(delta.text)
        case ToolInputDelta():
            return delta.char_count
        case ReplyActivity():
            return 0
