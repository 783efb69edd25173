"""All that is overheard in a world, held against all that was promised."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from actors.agents.turn.conversation_history import ConversationHistory
from actors.models.model_client import ModelRequest
from actors.runtime.actor import Actor, ActorFactory
from actors.runtime.mailbox import MailboxItem
from actors.runtime.supervision import Restart
from messages.address import APPROVALS, CONSOLE, JOURNAL, PERMISSIONS, PRIMARY, Address
from messages.approvals import AnyApprovalRequest, SubmitDecision
from messages.base import Message
from messages.child_lifecycle import ChildEnded
from messages.content import ToolUseBlock
from messages.envelope import Envelope
from messages.journal import Record
from messages.turns import ToolEnded
from tests.actors.agents.conversation_assertions import assert_sendable, assert_valid
from tests.simulation.crash_injection import CrashInjector
from tests.simulation.invariants.actor_lifecycles import LifecycleInvariants
from tests.simulation.invariants.approvals import ApprovalInvariants
from tests.simulation.invariants.permissions import PermissionInvariants
from tests.simulation.invariants.session_file import SessionFileInvariants
from tests.simulation.invariants.tool_calls import ToolCallInvariants
from tests.simulation.mutants import Mutant
from tests.simulation.seed_config import SeedConfig
from tests.simulation.trace import Trace
from tests.simulation.violations import Violations

SESSION_FILE, GRANTS_FILE = Path("/session.jsonl"), Path("/simulated/state/grants.json")
VITAL_ACTORS = (JOURNAL, PERMISSIONS, APPROVALS, PRIMARY)
"""Without one of these a session does not go on."""


class SessionInvariants:
    """Hears of everything, keeps the trace, and writes down what was broken."""

    def __init__(
        self,
        now: Callable[[], float],
        setting: SeedConfig,
        trace: Trace,
        crashes: CrashInjector,
        plant: Mutant,
    ) -> None:
        self.trace = trace
        self.crashes = crashes
        self.violations = Violations(now)
        self.end: ChildEnded | None = None
        self._plant = plant
        self._lives = LifecycleInvariants(self.violations, now)
        self._policies = policies = PermissionInvariants(self.violations, setting.mode, now)
        self._calls = ToolCallInvariants(self.violations, policies)
        self._records = SessionFileInvariants(self.violations, self._on_disk)
        self._questions = ApprovalInvariants(
            self.violations, self._calls, self._records.is_synced, policies.has_allowed_request, now
        )

    # The runs of the program.

    def check_session_file(self, data: bytes) -> tuple[Record, ...]:
        """Read the file as a resume does; its history is valid, and nothing of it is lost."""
        records = self._records.check_reopened(SESSION_FILE, data)
        history = ConversationHistory()
        for record in records:
            history.add(record)
        self._hold(assert_valid, tuple(history.messages))
        return records

    def start_run(self, past: tuple[Record, ...], store: bytes) -> None:
        """Start with a new run of the program; `store` is what the project's grants are in."""
        self.end = None
        self._policies.start_run(past, store)
        self._calls.start_run(past)
        self._questions.start_run()
        self._lives.start_run()

    def check_idle(self, waiting: dict[Address, int], on_screen: tuple[str, ...]) -> None:
        """Hold what must be so when nothing happens any more, and the session goes on."""
        for address in VITAL_ACTORS:
            self.violations.require(address in waiting, f"the session goes on without {address}")
        for address, count in waiting.items():
            self.violations.require(count == 0, f"{count} left in the inbox of {address}")
        self._lives.check_idle()
        if CONSOLE in waiting:
            self._questions.check_idle(on_screen)

    def check_drained(self) -> None:
        """Hold, after an orderly end without faults, that nothing was lost on the way out."""
        self._records.check_drained()
        self._questions.check_drained()

    # What is overheard.

    def on_send(self, to: Address, message: Message, sender: Address) -> tuple[Message, ...]:
        really = self._plant.mutate_message(to, message, sender)
        for said in really:
            self._records.on_send(to, said, sender)
            self._policies.on_send(to, said, sender)
            self._calls.on_send(to, said, sender)
            self._questions.on_send(to, said, sender)
            if isinstance(said, ToolEnded):
                self._questions.on_tool_result(said.call_id)
        return really

    def on_handle(self, to: Address, parcel: MailboxItem) -> None:
        if isinstance(parcel, Envelope):
            self.trace.add_message(to, parcel.sender, parcel.message)
        else:
            self.trace.add_note(f"{to} <- {type(parcel).__name__}")

    def wrap_factory(self, address: Address, make: ActorFactory, restart: Restart) -> ActorFactory:
        self._lives.set_restart_policy(address, restart)
        make = self.crashes.wrap_factory(address, make)

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
        again = self._lives.on_incarnation(address)
        if again:
            self.trace.add_note(f"{address} is made again")
            self._policies.on_incarnation(address)
        if again and address == PRIMARY:  # it goes on from its records, as after a resume
            self._calls.start_run(self._records.synced_records)
            self._questions.on_agent_restarted()

    def _received(self, by: Address, message: Message) -> None:
        self._lives.on_received(by, message)
        self._policies.on_received(by, message)
        self._calls.on_received(by, message)
        self._questions.on_received(by, message)

    def on_started(self, address: Address) -> None:
        self._lives.on_started(address)

    def on_ended(self, address: Address) -> None:
        self._lives.on_ended(address)
        if address == PRIMARY:
            self._calls.is_agent_alive = False

    def on_undrained(self, letter: Envelope) -> None:
        said = type(letter.message).__name__
        self.violations.require(
            condition=False, message=f"{letter.to} left {said} unread when it stopped"
        )

    def on_root_ended(self, end: ChildEnded) -> None:
        self.end = end

    # What the ports and the person tell.

    def _on_disk(self, record: Message) -> None:
        self._policies.on_synced_record(record)
        self._calls.on_synced_record(record)
        self._questions.on_synced_record(record)

    def on_synced(self, path: Path, before: bytes, after: bytes) -> None:
        """Hear that a file is on disk."""
        if path == SESSION_FILE:
            self._records.on_synced(before, after)
        elif path == GRANTS_FILE and after and not self.violations.is_closed:
            self._policies.on_synced_store(after)

    def on_model_request(self, request: ModelRequest) -> None:
        """Hear what the model is asked."""
        self._hold(assert_sendable, request.messages)

    def on_tool_use(self, tag: str, use: ToolUseBlock) -> None:
        """Hear of a call as the model writes it."""
        self._calls.on_tool_use(tag, use)

    def on_effect(self, tag: str, what: str, shown: str) -> None:
        """Hear of an effect on the world."""
        self.trace.add_note(f"{tag} {what}: {shown!r}")
        self._calls.on_effect(tag, what, shown)

    def on_request_shown(self, request: AnyApprovalRequest) -> None:
        """Hear that a person has a question on the screen."""
        if self._lives.is_alive(CONSOLE):
            self._questions.on_request_shown(request)
            self._policies.on_request_shown(request, no_crashes=not self.crashes.count)

    def on_user_command(self, intent: Message) -> None:
        """Hear what the person says to the console."""
        self._policies.on_user_command(intent)
        if isinstance(intent, SubmitDecision):
            self._questions.on_user_decision(intent)

    def _hold(self, check: Any, messages: tuple[Any, ...]) -> None:  # noqa: ANN401  (assertions over JSON)
        try:
            check(messages)
        except AssertionError as error:
            self.violations.require(condition=False, message=f"the history is not valid: {error}")
