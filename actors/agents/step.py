"""One step of a turn being worked out: the next state, and what it wants done so far."""

from dataclasses import replace
from typing import Any

from actors.agents.effects import Effect, PublishEvent, WriteRecord
from actors.agents.state import AgentState, CallStage, ToolCall, TurnStage
from messages.transcript import Record
from messages.turns import (
    AgentEvent,
    TurnEnded,
    TurnFailed,
    TurnFailureReason,
    TurnInterrupted,
)


class Transition:
    """One step being worked out: the next state, and what it wants done so far."""

    def __init__(self, turn: AgentState) -> None:
        """Start from a state."""
        self.turn = turn
        self.effects: list[Effect] = []

    def set(self, **changes: Any) -> None:  # noqa: ANN401  (`changed` checks the names)
        """Change the state."""
        self.turn = changed(self.turn, changes)

    def do(self, effect: Effect) -> None:
        """Want something done."""
        self.effects.append(effect)

    def report(self, event: AgentEvent) -> None:
        """Want those above told."""
        self.do(PublishEvent(event))

    def write(self, record: Record) -> None:
        """Want a record on disk, under the next mark."""
        self.set(written=self.turn.written + 1)
        self.do(WriteRecord(self.turn.written, record))

    def close(self, ending: TurnEnded) -> None:
        """Want the turn's end on disk; then it is reported."""
        self.set(stage=TurnStage.CLOSING, ending=ending)
        self.write(ending)

    def interrupt(self, partial: str = "") -> None:
        """Want the end of a turn that was stopped, by a person or by a limit."""
        turn = self.turn
        if turn.limit is not None:
            self._fail(turn.limit.reason, turn.limit.detail, partial)
        else:
            self.close(TurnInterrupted(turn=turn.number, partial=partial, usage=turn.usage))

    def fail(self, reason: TurnFailureReason, detail: str, partial: str = "") -> None:
        """Want an end with a reason; a turn that is being stopped ends as stopped all the same."""
        if self.turn.stopping:
            self.interrupt(partial)
        else:
            self._fail(reason, detail, partial)

    def _fail(self, reason: TurnFailureReason, detail: str, partial: str) -> None:
        turn = self.turn
        failed = TurnFailed(
            turn=turn.number, reason=reason, detail=detail, partial=partial, usage=turn.usage
        )
        self.close(failed)

    def call(self, call_id: str, *stages: CallStage) -> ToolCall | None:
        """Find a call in one of `stages`; what comes for any other is late."""
        for call in self.turn.calls:
            if call.use.id == call_id and call.stage in stages:
                return call
        return None

    def put(self, call: ToolCall, **changes: Any) -> ToolCall:  # noqa: ANN401  (`replace` checks the names)
        """Change one call."""
        new, call_id = replace(call, **changes), call.use.id
        calls = [new if each.use.id == call_id else each for each in self.turn.calls]
        self.set(calls=tuple(calls))
        return new


def changed(turn: AgentState, changes: dict[str, Any]) -> AgentState:
    """As `replace`, which sets every field anew, one by one: of a turn's that takes ten times long.

    Raises:
        TypeError: a turn has no such field.
    """
    fields = vars(turn)
    if not changes.keys() <= fields.keys():
        message = f"a turn has no {', '.join(changes.keys() - fields.keys())}"
        raise TypeError(message)
    new = object.__new__(AgentState)
    object.__setattr__(new, "__dict__", fields | changes)
    return new
