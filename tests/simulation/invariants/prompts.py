"""Each message of the user reaches one turn or goes back to the user, and the screen says which."""

from collections import Counter
from dataclasses import dataclass, field

from messages.address import CONSOLE, PRIMARY, Address
from messages.base import Message
from messages.journal import Record
from messages.steering import PromptDelivered, PromptsReturned
from messages.turns import TurnInterrupted, TurnStarted
from tests.simulation.invariants.violations import Violations


@dataclass
class MessagesOnScreen:
    """What the user typed in one run of the program, and what the screen made of it."""

    typed: list[str] = field(default_factory=list[str])
    printed: Counter[str] = field(default_factory=Counter[str])
    """Messages that were printed as sent."""
    restored: Counter[str] = field(default_factory=Counter[str])
    """Messages that were put back into the input."""


class PromptInvariants:
    """Compares what the user typed with the session file and with the screen."""

    def __init__(self, violations: Violations) -> None:
        self._violations = violations
        self._received: dict[int, str] = {}
        """Prompts that started a turn or were delivered to one, by number."""
        self._ended_unstarted: set[int] = set()
        self._returned_numbers: set[int] = set()

    def start_run(self, records: tuple[Record, ...]) -> None:
        """Start a run of the program from the records on disk."""
        self._received, self._ended_unstarted, self._returned_numbers = {}, set(), set()
        for record in records:
            self.on_synced_record(record)

    def on_synced_record(self, record: Message) -> None:
        """Observe a record that is on disk now."""
        match record:
            case TurnStarted():
                self._receive(record.turn, record.prompt)
            case PromptDelivered():
                self._receive(record.number, record.prompt)
            case _:
                pass

    def on_send(self, to: Address, message: Message, sender: Address) -> None:
        """Observe what the agent reports to the console."""
        if (sender, to) != (PRIMARY, CONSOLE):
            return
        if isinstance(message, PromptsReturned):
            self._returned_numbers.update(prompt.number for prompt in message.prompts)
        if isinstance(message, TurnInterrupted) and message.turn not in self._received:
            self._ended_unstarted.add(message.turn)

    def check_idle(self, messages: MessagesOnScreen, *, has_faults: bool) -> None:
        """Compare the messages of this run; a crash may lose one, or show one twice."""
        received = Counter(self._received.values())
        for text in messages.typed:
            printed, restored = messages.printed[text], messages.restored[text]
            self._violations.require(printed or restored, f"{text!r} is not on screen")
            self._violations.require(received[text] <= 1, f"{text!r} was received twice")
            is_received = bool(received[text])
            if has_faults:
                continue
            self._violations.require(printed + restored == 1, f"{text!r} is on screen twice")
            self._violations.require(
                is_received == bool(printed) or self._ended_unstarted,
                f"{text!r}: received is {is_received}, and the screen says otherwise",
            )

    def _receive(self, number: int, text: str) -> None:
        self._violations.require(
            number not in self._returned_numbers, f"prompt {number} was received and returned"
        )
        self._received[number] = text
