"""What an agent says of itself: reports to those above, its stream to whoever watches it."""

from typing import Any

from actors.agents.growing import ProgressThrottle
from actors.agents.neighbours import Collaborators
from actors.agents.state import AgentState, TurnStage
from actors.agents.switching import standing
from actors.runtime.actor import Actor
from messages.address import Address
from messages.turns import (
    AgentEvent,
    Delta,
    ModelRetrying,
    ReplyCompleted,
    SessionConfigured,
    TextDelta,
    TurnEnded,
)

_ReplyOver = ReplyCompleted | ModelRetrying | TurnEnded


class EventPublisher:
    """Speaks for one agent; what streams is never sent up, only to whoever wants to watch."""

    def __init__(
        self, actor: Actor[Any], posts: Collaborators, introduction: SessionConfigured
    ) -> None:
        """Begin silent."""
        self._actor = actor
        self._reports = posts.reports
        self._watchers = dict.fromkeys(posts.streams_to)
        self._introduction = introduction
        self._is_heard = bool(posts.streams_to)
        """Somebody hears all that streams; else those above are told at times how much it is."""
        self._growing = ProgressThrottle()
        self.ended: TurnEnded | None = None
        """How the last turn of this run ended."""

    def introduce(self) -> None:
        """Say who this is, for the first time."""
        self._stream(self._introduction)

    def introduce_again(self, turn: AgentState) -> None:
        """Tell whoever may have missed it where this agent stands."""
        self._stream(self._introduction.model_copy(update=standing(turn)))
        if turn.disk.state != "well":
            self._actor.tell(self._reports, turn.disk)
        if turn.stage is TurnStage.IDLE and self.ended is not None:
            self._actor.tell(self._reports, self.ended)

    def report(self, event: AgentEvent) -> None:
        """Tell those above."""
        if isinstance(event, TurnEnded):
            self.ended = event
        if isinstance(event, _ReplyOver):
            self._growing = ProgressThrottle()
        self._actor.tell(self._reports, event)

    def stream(self, delta: Delta, turn: AgentState) -> None:
        """Tell the watchers, while it is a reply that counts."""
        if turn.stage is not TurnStage.THINKING or turn.stopping:
            return
        self._stream(delta)
        if not self._is_heard and (grown := self._growing.add(delta, turn.number)):
            self.report(grown)

    def watched(self, by: Address, turn: AgentState) -> None:
        """Let somebody hear the stream from now on, and what has come of the reply in hand."""
        self._watchers[by] = None
        self._actor.tell(by, self._introduction.model_copy(update=standing(turn)))
        if said := self._growing.text:
            self._actor.tell(by, TextDelta(text=said))

    def unwatched(self, by: Address) -> None:
        """Let them hear it no more."""
        self._watchers.pop(by, None)

    def _stream(self, message: Delta | SessionConfigured) -> None:
        for watcher in self._watchers:
            self._actor.tell(watcher, message)
