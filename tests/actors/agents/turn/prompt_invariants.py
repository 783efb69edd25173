"""Invariants of the user's prompts: each one reaches one turn, or goes back to the user."""

from dataclasses import dataclass, field

from actors.agents.turn.conversation_history import DELIVERED_PROMPT
from actors.agents.turn.effects import Effect, PublishEvent, SendModelRequest, WriteRecord
from actors.agents.turn.state_machine import TurnMessage
from messages.journal import Record
from messages.steering import PromptDelivered, PromptsReturned, WithdrawPrompts
from messages.turns import StartTurn, TurnInterrupted, TurnStarted
from tests.actors.agents.conversation_assertions import Json, flatten


@dataclass
class PromptInvariants:
    """Tracks what became of each prompt, by its number."""

    sent: set[int] = field(default_factory=set[int])
    received: set[int] = field(default_factory=set[int])
    """Prompts that started a turn or were delivered to one."""
    cancelled: set[int] = field(default_factory=set[int])
    """Prompts whose turn was cancelled before it started."""
    returned: set[int] = field(default_factory=set[int])
    asked_back: set[int] = field(default_factory=set[int])
    in_next_request: list[str] = field(default_factory=list[str])
    """Texts of the prompts that were delivered since the last request."""

    def load_record(self, record: Record) -> None:
        """Start from a record of an earlier run."""
        if isinstance(record, TurnStarted):
            self.received.add(record.turn)
        if isinstance(record, PromptDelivered):
            self.received.add(record.number)

    def on_message(self, message: TurnMessage) -> None:
        """Track a message before the turn handles it."""
        if isinstance(message, StartTurn):
            self.sent.add(message.turn)
        if isinstance(message, WithdrawPrompts):
            self.asked_back.update(message.numbers)

    def check_effect(self, effect: Effect, *, is_turn_open: bool, messages: list[Json]) -> None:
        """Check one effect; `messages` are the conversation."""
        match effect:
            case WriteRecord(record=TurnStarted() as started):
                self._receive(started.turn)
            case WriteRecord(record=PromptDelivered() as delivered):
                assert is_turn_open, "delivered a prompt without a turn"
                self._receive(delivered.number)
                self.in_next_request.append(delivered.prompt)
            case PublishEvent(event=PromptsReturned() as returned):
                for prompt in returned.prompts:
                    assert prompt.number not in self.received, "returned a prompt that was received"
                    self.returned.add(prompt.number)
            case PublishEvent(event=TurnInterrupted() as end) if end.turn not in self.received:
                self.cancelled.add(end.turn)
            case SendModelRequest():
                texts = [block.get("text") for _, block in flatten(tuple(messages))]
                expected = [DELIVERED_PROMPT.format(prompt=text) for text in self.in_next_request]
                assert [text for text in texts if text in expected] == expected, (
                    "the next request does not include each delivered prompt once"
                )
                self.in_next_request = []
            case _:
                pass

    def check_idle(self) -> None:
        """Assert that nothing waits and nothing is lost."""
        resolved = self.received | self.returned | self.cancelled
        assert self.sent <= resolved, f"lost prompts: {self.sent - resolved}"

    def _receive(self, number: int) -> None:
        assert number not in self.received, f"prompt {number} was received twice"
        assert number > max(self.received, default=0), f"prompt {number} was received too late"
        assert number not in self.returned, f"prompt {number} was received after its return"
        self.received.add(number)
