"""Observes everything that happens in a simulated session and checks all invariants."""

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
from tests.simulation.invariants.prompts import PromptInvariants
from tests.simulation.invariants.session_file import SessionFileInvariants
from tests.simulation.invariants.tool_calls import ToolCallInvariants
from tests.simulation.invariants.violations import Violations
from tests.simulation.mutant_list import Mutant
from tests.simulation.seed_config import SeedConfig
from tests.simulation.trace import Trace

SESSION_FILE, GRANTS_FILE = Path("/session.jsonl"), Path("/simulated/state/grants.json")
REQUIRED_ACTORS = (JOURNAL, PERMISSIONS, APPROVALS, PRIMARY)
"""Actors without which a session ends."""


class SessionInvariants:
    """A `SimulationObserver` that keeps the trace and records violations."""

    def __init__(
        self,
        now: Callable[[], float],
        config: SeedConfig,
        trace: Trace,
        crashes: CrashInjector,
        mutant: Mutant,
    ) -> None:
        self.trace = trace
        self.crashes = crashes
        self.violations = Violations(now)
        self.end: ChildEnded | None = None
        self._mutant = mutant
        self._lifecycles = LifecycleInvariants(self.violations, now)
        self._permissions = permissions = PermissionInvariants(self.violations, config.mode, now)
        self._calls = ToolCallInvariants(self.violations, permissions)
        self.prompts = PromptInvariants(self.violations)
        self._file = SessionFileInvariants(self.violations, self._on_synced_record)
        self._approvals = ApprovalInvariants(
            self.violations,
            self._calls,
            self._file.is_synced,
            permissions.has_allowed_request,
            now,
        )

    # Runs of the program.

    def check_session_file(self, data: bytes) -> tuple[Record, ...]:
        """Read the session file as a resume does; return its records."""
        records = self._file.check_reopened(SESSION_FILE, data)
        history = ConversationHistory()
        for record in records:
            history.add(record)
        self._check_history(assert_valid, tuple(history.messages))
        return records

    def start_run(self, records: tuple[Record, ...], grants_file: bytes) -> None:
        """Start a run of the program from what is on disk."""
        self.end = None
        self._permissions.start_run(records, grants_file)
        self._calls.start_run(records)
        self.prompts.start_run(records)
        self._approvals.start_run()
        self._lifecycles.start_run()

    def check_idle(self, mailbox_sizes: dict[Address, int], on_screen: tuple[str, ...]) -> None:
        """Check a session in which nothing happens anymore."""
        for address in REQUIRED_ACTORS:
            self.violations.require(
                address in mailbox_sizes, f"the session continues without {address}"
            )
        for address, count in mailbox_sizes.items():
            self.violations.require(count == 0, f"{count} unhandled in the mailbox of {address}")
        self._lifecycles.check_idle()
        if CONSOLE in mailbox_sizes:
            self._approvals.check_idle(on_screen)

    def check_drained(self) -> None:
        """Check that an orderly stop without faults has lost nothing."""
        self._file.check_drained()
        self._approvals.check_drained()

    # Events of the actors.

    def on_send(self, to: Address, message: Message, sender: Address) -> tuple[Message, ...]:
        messages = self._mutant.mutate_message(to, message, sender)
        for delivered in messages:
            self._file.on_send(to, delivered, sender)
            self._permissions.on_send(to, delivered, sender)
            self._calls.on_send(to, delivered, sender)
            self.prompts.on_send(to, delivered, sender)
            self._approvals.on_send(to, delivered, sender)
            if isinstance(delivered, ToolEnded):
                self._approvals.on_tool_result(delivered.call_id)
        return messages

    def on_handle(self, to: Address, item: MailboxItem) -> None:
        if isinstance(item, Envelope):
            self.trace.add_message(to, item.sender, item.message)
        else:
            self.trace.add_note(f"{to} <- {type(item).__name__}")

    def wrap_factory(self, address: Address, make: ActorFactory, restart: Restart) -> ActorFactory:
        self._lifecycles.set_restart_policy(address, restart)
        make = self.crashes.wrap_factory(address, make)

        def make_observed() -> Actor[Any]:
            self._on_incarnation(address)
            behavior = make()
            receive = behavior.on_receive

            def receive_and_report(message: Message) -> None:
                receive(message)
                self._on_received(address, message)

            setattr(behavior, "on_receive", receive_and_report)  # noqa: B010  (mypy forbids assigning methods)
            return behavior

        return make_observed

    def _on_incarnation(self, address: Address) -> None:
        is_restart = self._lifecycles.on_incarnation(address)
        if is_restart:
            self.trace.add_note(f"{address} is restarted")
            self._permissions.on_incarnation(address)
        if is_restart and address == PRIMARY:  # it continues from its records, as after a resume
            self._calls.start_run(self._file.synced_records)
            self._approvals.on_agent_restarted()

    def _on_received(self, by: Address, message: Message) -> None:
        self._lifecycles.on_received(by, message)
        self._permissions.on_received(by, message)
        self._calls.on_received(by, message)
        self._approvals.on_received(by, message)

    def on_started(self, address: Address) -> None:
        self._lifecycles.on_started(address)

    def on_ended(self, address: Address) -> None:
        self._lifecycles.on_ended(address)
        if address == PRIMARY:
            self._calls.is_agent_running = False

    def on_undrained(self, envelope: Envelope) -> None:
        message_type = type(envelope.message).__name__
        self.violations.report(f"{envelope.to} stopped before it handled {message_type}")

    def on_root_ended(self, end: ChildEnded) -> None:
        self.end = end

    # Events of the ports and the user.

    def _on_synced_record(self, record: Message) -> None:
        self._permissions.on_synced_record(record)
        self._calls.on_synced_record(record)
        self.prompts.on_synced_record(record)
        self._approvals.on_synced_record(record)

    def on_synced(self, path: Path, before: bytes, after: bytes) -> None:
        """Observe the contents of a file that was synced."""
        if path == SESSION_FILE:
            self._file.on_synced(before, after)
        elif path == GRANTS_FILE and after and not self.violations.is_closed:
            self._permissions.on_synced_grants_file(after)

    def on_model_request(self, request: ModelRequest) -> None:
        """Check the history of a request."""
        self._check_history(assert_sendable, request.messages)

    def on_tool_use(self, tag: str, call: ToolUseBlock) -> None:
        """Observe a call that the model makes."""
        self._calls.on_tool_use(tag, call)

    def on_effect(self, tag: str, effect: str, details: str) -> None:
        """Observe an effect of a tool."""
        self.trace.add_note(f"{tag} {effect}: {details!r}")
        self._calls.on_effect(tag, effect, details)

    def on_request_shown(self, request: AnyApprovalRequest) -> None:
        """Observe an approval request on screen."""
        if self._lifecycles.is_running(CONSOLE):
            self._approvals.on_request_shown(request)
            self._permissions.on_request_shown(request, no_crashes=not self.crashes.count)

    def on_user_command(self, command: Message) -> None:
        """Observe a command of the user to the console."""
        self._permissions.on_user_command(command)
        if isinstance(command, SubmitDecision):
            self._approvals.on_user_decision(command)

    def _check_history(self, check: Callable[[Any], None], messages: tuple[Any, ...]) -> None:
        try:
            check(messages)
        except AssertionError as error:
            self.violations.report(f"the history is not valid: {error}")
