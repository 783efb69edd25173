"""The reply that a subagent is at: how far it has come, and when those above are told."""

from dataclasses import dataclass, field
from typing import Any

from actors.agents.effect_handlers.collaborators import Collaborators
from actors.agents.turn.agent_state import AgentState, TurnStage
from actors.agents.turn.agent_switch import get_status_fields
from actors.runtime.actor import Actor
from messages.address import Address
from messages.turns import (
    AgentEvent,
    Delta,
    ModelRetrying,
    ReplyCompleted,
    ReplyProgress,
    SessionConfigured,
    TextDelta,
    ToolInputDelta,
    TurnEnded,
)

PROGRESS_INTERVAL_CHARS = 400
"""About a hundred tokens, which take a model a second or more."""


@dataclass
class ProgressThrottle:
    """What has come of one reply."""

    _texts: list[str] = field(default_factory=list[str])
    _chars: int = 0
    _next_told_chars: int = PROGRESS_INTERVAL_CHARS

    @property
    def text(self) -> str:
        """All that it says so far."""
        return "".join(self._texts)

    def add(self, delta: Delta, turn: int) -> ReplyProgress | None:
        """Count what came; returns what those above are told, if it is time."""
        begins = isinstance(delta, TextDelta) and not self._texts
        if isinstance(delta, TextDelta):
            self._texts.append(delta.text)
        self._chars += delta.char_count if isinstance(delta, ToolInputDelta) else len(delta.text)
        if not begins and self._chars < self._next_told_chars:
            return None
        self._next_told_chars = self._chars + PROGRESS_INTERVAL_CHARS
        return ReplyProgress(turn=turn, char_count=self._chars, has_text=bool(self._texts))


_ReplyOver = ReplyCompleted | ModelRetrying | TurnEnded


class EventPublisher:
    """Speaks for one agent; what streams is never sent up, only to whoever wants to watch."""

    def __init__(
        self, actor: Actor[Any], collaborators: Collaborators, session_configured: SessionConfigured
    ) -> None:
        """Begin silent."""
        self._actor = actor
        self._reports = collaborators.events_to
        self._watchers = dict.fromkeys(collaborators.stream_subscribers)
        self._introduction = session_configured
        self._is_heard = bool(collaborators.stream_subscribers)
        """Somebody hears all that streams; else those above are told at times how much it is."""
        self._growing = ProgressThrottle()
        self.last_turn_end: TurnEnded | None = None
        """How the last turn of this run ended."""

    def publish_configured(self) -> None:
        """Say who this is, for the first time."""
        self._stream(self._introduction)

    def republish_status(self, turn: AgentState) -> None:
        """Tell whoever may have missed it where this agent stands."""
        self._stream(self._introduction.model_copy(update=get_status_fields(turn)))
        if turn.persistence.state != "well":
            self._actor.tell(self._reports, turn.persistence)
        if turn.stage is TurnStage.IDLE and self.last_turn_end is not None:
            self._actor.tell(self._reports, self.last_turn_end)

    def publish(self, event: AgentEvent) -> None:
        """Tell those above."""
        if isinstance(event, TurnEnded):
            self.last_turn_end = event
        if isinstance(event, _ReplyOver):
            self._growing = ProgressThrottle()
        self._actor.tell(self._reports, event)

    def publish_delta(self, delta: Delta, turn: AgentState) -> None:
        """Tell the watchers, while it is a reply that counts."""
        if turn.stage is not TurnStage.THINKING or turn.is_stopping:
            return
        self._stream(delta)
        if not self._is_heard and (grown := self._growing.add(delta, turn.turn_number)):
            self.publish(grown)

    def subscribe(self, subscriber: Address, turn: AgentState) -> None:
        """Let somebody hear the stream from now on, and what has come of the reply in hand."""
        self._watchers[subscriber] = None
        self._actor.tell(subscriber, self._introduction.model_copy(update=get_status_fields(turn)))
        if said := self._growing.text:
            self._actor.tell(subscriber, TextDelta(text=said))

    def unsubscribe(self, subscriber: Address) -> None:
        """Let them hear it no more."""
        self._watchers.pop(subscriber, None)

    def _stream(self, message: Delta | SessionConfigured) -> None:
        for watcher in self._watchers:
            self._actor.tell(watcher, message)
