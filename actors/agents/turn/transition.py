"""One transition of the turn's state machine: the next state and the effects so far."""

from dataclasses import fields
from typing import Any

from actors.agents.turn.agent_state import AgentState, SnapshotState
from actors.agents.turn.effects import Effect, PublishEvent, TakeSnapshot, WriteRecord
from actors.agents.turn.turn_state import ToolCall
from actors.agents.turn.with_changes import with_changes
from messages.journal import Record
from messages.turns import AgentEvent, TurnEnded, TurnFailureReason

_PART_COUNT = len(fields(AgentState))


class Transition:
    """Collects the next state and the effects while one message is handled."""

    def __init__(self, state: AgentState) -> None:
        """Start from a copy of the current state, which only this transition changes."""
        self.state = with_changes(state)
        self._parts = vars(self.state)
        self.effects: list[Effect] = []

    def update(self, **parts: Any) -> None:  # noqa: ANN401  (the names are checked)
        """Replace parts of the state.

        Raises:
            TypeError: the state has no such part.
        """
        self._parts.update(parts)
        if len(self._parts) > _PART_COUNT:  # a misspelled name was added
            message = f"AgentState has no such part; given: {', '.join(parts)}"
            raise TypeError(message)

    def update_turn(self, **changes: Any) -> None:  # noqa: ANN401  (`with_changes` checks the names)
        """Change fields of the turn."""
        self._parts["turn"] = with_changes(self.state.turn, **changes)

    def emit(self, effect: Effect) -> None:
        """Request an effect."""
        self.effects.append(effect)

    def publish(self, event: AgentEvent) -> None:
        """Request that an event is reported."""
        self.emit(PublishEvent(event))

    def write(self, record: Record) -> None:
        """Request that a record is written, under the next append id."""
        persistence = self.state.persistence.with_next_append()
        self.update(persistence=persistence)
        self.emit(WriteRecord(persistence.last_append_id, record))

    def end_turn(self, end: TurnEnded) -> None:
        """Record the turn's end; it is reported once it is on disk.

        If the turn has changed files, they are kept first.
        """
        turn = self.state.turn.with_end(end)
        if self.state.snapshot is SnapshotState.HAS_FIRST:
            self.update(turn=turn, snapshot=SnapshotState.TAKING_LAST)
            self.emit(TakeSnapshot(turn.number, "after"))
        else:
            self.update(turn=turn, snapshot=SnapshotState.NONE)
            self.write(end)

    def interrupt_turn(self, partial_text: str = "") -> None:
        """End a turn that the user or a limit stopped."""
        self.end_turn(self.state.turn.build_interruption(partial_text))

    def fail_turn(self, reason: TurnFailureReason, detail: str, partial_text: str = "") -> None:
        """End a turn as failed; a turn that is being stopped ends as stopped instead."""
        turn = self.state.turn
        if turn.is_stopping:
            self.interrupt_turn(partial_text)
        else:
            self.end_turn(turn.build_failure(reason, detail, partial_text))

    def update_call(self, call: ToolCall, **changes: Any) -> ToolCall:  # noqa: ANN401  (as above)
        """Change fields of one call and return the new call."""
        new = with_changes(call, **changes)
        self.update(turn=self.state.turn.with_call(new))
        return new
