"""All that is overheard in a world, held against all that was promised."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from actors.agents.history import History
from actors.models.client import ModelRequest
from actors.runtime.actor import Actor, Factory
from actors.runtime.lanes import MailboxItem
from actors.runtime.supervision import Restart
from messages.address import APPROVALS, CONSOLE, JOURNAL, PERMISSIONS, PRIMARY, Address
from messages.agents import ChildEnded
from messages.approvals import AnyApprovalRequest, SubmitDecision
from messages.base import Message
from messages.content import ToolUseBlock
from messages.envelope import Envelope
from messages.transcript import Record
from messages.turns import ToolEnded
from tests.actors.agents.conversation import assert_sendable, assert_sound
from tests.simulation.calls import Calls
from tests.simulation.crashes import Crashes
from tests.simulation.ledger import Ledger
from tests.simulation.lives import Lives
from tests.simulation.planted import Plant
from tests.simulation.policies import Policies
from tests.simulation.questions import Questions
from tests.simulation.records import Records
from tests.simulation.setting import Setting
from tests.simulation.trace import Trace

FILE, GRANTS = Path("/session.jsonl"), Path("/simulated/state/grants.json")
VITAL = (JOURNAL, PERMISSIONS, APPROVALS, PRIMARY)
"""Without one of these a session does not go on."""


class Accounts:
    """Hears of everything, keeps the trace, and writes down what was broken."""

    def __init__(
        self,
        now: Callable[[], float],
        setting: Setting,
        trace: Trace,
        crashes: Crashes,
        plant: Plant,
    ) -> None:
        self.trace = trace
        self.crashes = crashes
        self.ledger = Ledger(now)
        self.end: ChildEnded | None = None
        self._plant = plant
        self._lives = Lives(self.ledger, now)
        self._policies = policies = Policies(self.ledger, setting.mode, now)
        self._calls = Calls(self.ledger, policies)
        self._records = Records(self.ledger, self._on_disk)
        self._questions = Questions(
            self.ledger, self._calls, self._records.is_on_disk, policies.allowed_request, now
        )

    # The runs of the program.

    def read(self, data: bytes) -> tuple[Record, ...]:
        """Read the file as a resume does; its history is valid, and nothing of it is lost."""
        records = self._records.opened(FILE, data)
        history = History()
        for record in records:
            history.add(record)
        self._hold(assert_sound, tuple(history.messages))
        return records

    def begin(self, past: tuple[Record, ...], store: bytes) -> None:
        """Start with a new run of the program; `store` is what the project's grants are in."""
        self.end = None
        self._policies.begin(past, store)
        self._calls.begin(past)
        self._questions.begin()
        self._lives.begin()

    def at_rest(self, waiting: dict[Address, int], on_screen: tuple[str, ...]) -> None:
        """Hold what must be so when nothing happens any more, and the session goes on."""
        for address in VITAL:
            self.ledger.require(address in waiting, f"the session goes on without {address}")
        for address, count in waiting.items():
            self.ledger.require(count == 0, f"{count} left in the inbox of {address}")
        self._lives.at_rest()
        if CONSOLE in waiting:
            self._questions.at_rest(on_screen)

    def drained(self) -> None:
        """Hold, after an orderly end without faults, that nothing was lost on the way out."""
        self._records.drained()
        self._questions.drained()

    # What is overheard.

    def sent(self, to: Address, message: Message, sender: Address) -> tuple[Message, ...]:
        really = self._plant.says(to, message, sender)
        for said in really:
            self._records.sent(to, said, sender)
            self._policies.sent(to, said, sender)
            self._calls.sent(to, said, sender)
            self._questions.sent(to, said, sender)
            if isinstance(said, ToolEnded):
                self._questions.result(said.call_id)
        return really

    def handling(self, to: Address, parcel: MailboxItem) -> None:
        if isinstance(parcel, Envelope):
            self.trace.letter(to, parcel.sender, parcel.message)
        else:
            self.trace.note(f"{to} <- {type(parcel).__name__}")

    def embodied(self, address: Address, make: Factory, restart: Restart) -> Factory:
        self._lives.may_restart(address, restart)
        make = self.crashes.embodied(address, make)

        def made() -> Actor[Any]:
            self._made(address)
            behaviour = make()
            receive = behaviour.on_receive

            def heard(message: Message) -> None:
                receive(message)
                self._received(address, message)

            setattr(behaviour, "on_receive", heard)  # noqa: B010  (mypy holds methods to be fixed)
            return behaviour

        return made

    def _made(self, address: Address) -> None:
        again = self._lives.made(address)
        if again:
            self.trace.note(f"{address} is made again")
            self._policies.made(address)
        if again and address == PRIMARY:  # it goes on from its records, as after a resume
            self._calls.begin(self._records.on_disk)
            self._questions.reborn()

    def _received(self, by: Address, message: Message) -> None:
        self._lives.received(by, message)
        self._policies.received(by, message)
        self._calls.received(by, message)
        self._questions.received(by, message)

    def started(self, address: Address) -> None:
        self._lives.started(address)

    def ended(self, address: Address) -> None:
        self._lives.ended(address)
        if address == PRIMARY:
            self._calls.agent_lives = False

    def undrained(self, letter: Envelope) -> None:
        said = type(letter.message).__name__
        self.ledger.require(holds=False, promise=f"{letter.to} left {said} unread when it stopped")

    def root_ended(self, end: ChildEnded) -> None:
        self.end = end

    # What the ports and the person tell.

    def _on_disk(self, record: Message) -> None:
        self._policies.on_disk(record)
        self._calls.on_disk(record)
        self._questions.on_disk(record)

    def synced(self, path: Path, before: bytes, after: bytes) -> None:
        """Hear that a file is on disk."""
        if path == FILE:
            self._records.synced(before, after)
        elif path == GRANTS and after and not self.ledger.closed:
            self._policies.project_on_disk(after)

    def asked(self, request: ModelRequest) -> None:
        """Hear what the model is asked."""
        self._hold(assert_sendable, request.messages)

    def meant(self, tag: str, use: ToolUseBlock) -> None:
        """Hear of a call as the model writes it."""
        self._calls.meant(tag, use)

    def happened(self, tag: str, what: str, shown: str) -> None:
        """Hear of an effect on the world."""
        self.trace.note(f"{tag} {what}: {shown!r}")
        self._calls.happened(tag, what, shown)

    def looked(self, request: AnyApprovalRequest) -> None:
        """Hear that a person has a question on the screen."""
        if self._lives.lives(CONSOLE):
            self._questions.saw(request)
            self._policies.looked(request, quiet=not self.crashes.count)

    def said(self, intent: Message) -> None:
        """Hear what the person says to the console."""
        self._policies.wanted(intent)
        if isinstance(intent, SubmitDecision):
            self._questions.said(intent)

    def _hold(self, check: Any, messages: tuple[Any, ...]) -> None:  # noqa: ANN401  (assertions over JSON)
        try:
            check(messages)
        except AssertionError as error:
            self.ledger.require(holds=False, promise=f"the history is not valid: {error}")
