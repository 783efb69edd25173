"""Observes everything that happens in a tree of agents and checks its invariants."""

from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from actors.models.model_client import ModelRequest
from actors.runtime.actor import Actor, ActorFactory
from actors.runtime.mailbox import MailboxItem
from actors.runtime.supervision import Restart
from actors.sessions.log_reader import parse_log
from actors.supervisor.supervisor import RootSupervisor
from messages.address import CONSOLE, PRIMARY, ROOT, Address, is_subagent
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalUnavailable,
    WithdrawApprovals,
)
from messages.base import Message
from messages.child_lifecycle import ChildEnded
from messages.envelope import Envelope
from messages.subagents import (
    CancelTask,
    SubagentBackgrounded,
    SubagentEnded,
    SubagentStarted,
)
from messages.turns import (
    Delta,
    SessionConfigured,
    ToolEnded,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.conversation_assertions import assert_sendable
from tests.simulation.crash_injection import CrashInjector
from tests.simulation.invariants.background import BackgroundInvariants
from tests.simulation.invariants.token_budget import TokenBudget
from tests.simulation.invariants.violations import Violations
from tests.simulation.mutant_list import Mutant
from tests.simulation.trace import Trace

SESSION_FILE = Path("/session.jsonl")
TIME_TOLERANCE_S = 0.02
TIME_LIMIT_S = 3.0
"""The time limit of the one definition that has one."""
INTERACTIVE_NAME = "interactive"
"""Name of the definition whose agents continue to run after a task."""


def format_task_prompt(call_id: str) -> str:
    """Return the prompt of a `task` call."""
    return f"part {call_id}."


def format_answer(prompt: str) -> str:
    """Return the model's last text in a turn with this prompt."""
    return f"answer to {prompt}"


class TreeInvariants:
    """A `SimulationObserver` that keeps the trace and records violations."""

    def __init__(
        self, now: Callable[[], float], trace: Trace, crashes: CrashInjector, mutant: Mutant
    ) -> None:
        self.violations = Violations(now)
        self.crashes = crashes
        self.token_budget = TokenBudget(self.violations)
        self.background = BackgroundInvariants(self.violations)
        self.end: ChildEnded | None = None
        self.roots: list[RootSupervisor] = []
        self._now = now
        self._trace = trace
        self._mutant = mutant
        self._open: dict[str, Address] = {}
        """Agents that asked, by the id of the open request."""
        self._paused_by: dict[str, list[Address]] = {}
        """Agents whose timers stand still because of the request."""
        self._open_counts: Counter[Address] = Counter()
        """Number of open requests of each agent's subtree."""
        self._waiting_since_s: dict[Address, float] = {}
        self._approval_time_s: defaultdict[Address, float] = defaultdict(float)
        """Time in this turn with at least one open request in an agent's subtree."""
        self._turn_started_s: dict[Address, float] = {}
        self._open_turns: dict[Address, int] = {}
        """The turn that each agent is running."""
        self.was_idle = False
        """The last run ended when nothing happened anymore."""
        self.live_subagents: set[Address] = set()
        self.max_live_subagents = 0
        """Most subagents at the same time."""

    def start_run(self) -> None:
        """Start a run of the program."""
        self.end = None
        self.background.start_run()
        self.roots.clear()
        self._open.clear()
        self._paused_by.clear()
        self._open_counts.clear()
        self._turn_started_s.clear()
        self._open_turns.clear()
        self.live_subagents.clear()

    def check_idle(
        self,
        mailbox_sizes: dict[Address, int],
        on_screen: tuple[str, ...],
        roots: list[RootSupervisor],
    ) -> None:
        """Check a session in which nothing happens anymore."""
        self.was_idle = self.end is None
        for address, count in mailbox_sizes.items():
            self.violations.require(count == 0, f"{count} unhandled in the mailbox of {address}")
        running = [
            address
            for address in mailbox_sizes
            if is_subagent(address) and INTERACTIVE_NAME not in address.name
        ]
        self.violations.require(not running, f"still running: {running}")
        self.violations.require(not self._open, f"approval requests without an end: {self._open}")
        # Nothing more can happen, so everything that these turns waited for has ended.
        open_turns = self._open_turns
        self.violations.require(not open_turns, f"turns that never end: {open_turns}")
        if CONSOLE in mailbox_sizes:
            self.violations.require(not on_screen, f"left on screen: {on_screen}")
        for root in roots:
            slots = vars(root)["_slots"]
            agents = (*slots.holders, *slots.waiting)
            self.violations.require(not agents, f"slots not released by {agents}")

    def check_session_file(self, data: bytes) -> None:
        """Check that each task in the session file starts once and ends at most once."""
        lines = parse_log(SESSION_FILE, data).lines
        self.background.check_records(lines, is_idle=self.was_idle)
        started = Counter(
            (line.message.child, line.message.task_number)
            for line in lines
            if isinstance(line.message, SubagentStarted)
        )
        ended = Counter(
            (line.message.child, line.message.task_number)
            for line in lines
            if isinstance(line.message, SubagentEnded)
        )
        twice = [task for task, count in (started | ended).items() if count > 1]
        self.violations.require(not twice, f"started or ended twice: {twice}")
        never_started = ended - started
        self.violations.require(not never_started, f"ended but never started: {never_started}")

    # Events of the actors.

    def on_send(self, to: Address, message: Message, sender: Address) -> tuple[Message, ...]:
        messages = self._mutant.mutate_message(to, message, sender)
        for delivered in messages:
            self._check_route(to, delivered, sender)
            self.background.on_send(to, delivered)
            if to == (CONSOLE if sender == PRIMARY else sender.parent):  # not yet forwarded
                self.background.on_own_event(delivered)
                if isinstance(delivered, SubagentBackgrounded):
                    self._on_moved(delivered.child)
                self._check_time_limit(delivered, sender)
                self._check_turn(delivered, sender)
                self.token_budget.on_send(to, delivered, is_own_event=True)
            else:
                self.token_budget.on_send(to, delivered, is_own_event=False)
        return messages

    def _check_route(self, to: Address, message: Message, sender: Address) -> None:
        match message:
            case _ if isinstance(message, Delta | SessionConfigured):
                goes_up = is_subagent(sender) and to != sender
                self.violations.require(not goes_up, f"{sender} streams up to {to}")
            case _ if isinstance(message, AnyApprovalRequest):
                if message.agent == sender:
                    self._open_request(message.id, sender)
            case ApprovalDecided() | ApprovalUnavailable():
                if to == message.agent:
                    self._close_request(message.id)
            case WithdrawApprovals():
                for request, agent in list(self._open.items()):
                    if message.is_about(agent):
                        self._close_request(request)
            case CancelTask() if sender == to.parent and INTERACTIVE_NAME not in to.name:
                requests = [request for request, agent in self._open.items() if agent.is_under(to)]
                self.violations.require(
                    not requests, f"{to} is stopped before {requests} are withdrawn"
                )
            case _:
                pass

    def _open_request(self, request: str, agent: Address) -> None:
        if request in self._open:
            return
        self._open[request] = agent
        ancestors = list_with_ancestors(agent)
        self._paused_by[request] = [
            address for address in ancestors if self.background.pauses(address, agent)
        ]
        for address in self._paused_by[request]:
            if not self._open_counts[address]:
                self._waiting_since_s[address] = self._now()
            self._open_counts[address] += 1

    def _close_request(self, request: str) -> None:
        self._open.pop(request, None)
        for address in self._paused_by.pop(request, ()):
            self._count_closed(address)

    def _count_closed(self, address: Address) -> None:
        self._open_counts[address] -= 1
        if not self._open_counts[address]:
            self._approval_time_s[address] += self._now() - self._waiting_since_s[address]

    def _on_moved(self, child: Address) -> None:
        """Count the requests of a task no longer for the agents that do not wait for it now."""
        for request, agent in self._open.items():
            if agent.is_under(child):
                above = [at for at in self._paused_by[request] if not at.is_under(child)]
                for address in above:
                    self._paused_by[request].remove(address)
                    self._count_closed(address)

    def _check_time_limit(self, message: Message, sender: Address) -> None:
        """Check that time spent waiting for approval did not count against a time limit."""
        if isinstance(message, TurnStarted):
            self._turn_started_s[sender] = self._now()
            self._approval_time_s[sender] = 0
        started_s = self._turn_started_s.get(sender)
        is_timeout = isinstance(message, TurnFailed) and message.reason == "time_limit"
        if is_timeout and started_s is not None:
            worked_s = self._now() - started_s - self._approval_time_s[sender]
            is_enough = worked_s >= TIME_LIMIT_S - TIME_TOLERANCE_S
            self.violations.require(is_enough, f"{sender} had only {worked_s:.2f} s of its time")

    def _check_turn(self, message: Message, sender: Address) -> None:
        """Track open turns, and check that a task's result is the answer to that task."""
        match message:
            case TurnStarted():
                self._open_turns[sender] = message.turn
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                if self._open_turns.get(sender) == message.turn:
                    del self._open_turns[sender]
            case ToolEnded(tool="task", status="ok") if "background" not in message.text:
                answer = format_answer(format_task_prompt(message.call_id))
                self.violations.require(
                    answer in message.text, f"{message.call_id} got another result: {message.text}"
                )
            case _:
                pass

    def on_handle(self, to: Address, item: MailboxItem) -> None:
        if isinstance(item, Envelope):
            self._trace.add_message(to, item.sender, item.message)

    def wrap_factory(self, address: Address, make: ActorFactory, restart: Restart) -> ActorFactory:  # noqa: ARG002  (as its protocol)
        make = self.crashes.wrap_factory(address, make)

        def make_observed() -> Actor[Any]:
            behavior = make()
            if isinstance(behavior, RootSupervisor):
                self.roots.append(behavior)
            return behavior

        return make_observed

    def on_started(self, address: Address) -> None:
        self.live_subagents |= {address} if is_subagent(address) else set()
        self.max_live_subagents = max(self.max_live_subagents, len(self.live_subagents))

    def on_ended(self, address: Address) -> None:
        self._turn_started_s.pop(address, None)
        self._open_turns.pop(address, None)
        self.live_subagents.discard(address)

    def on_undrained(self, envelope: Envelope) -> None:
        message_type = type(envelope.message).__name__
        self.violations.report(f"{envelope.to} stopped before it handled {message_type}")

    def on_root_ended(self, end: ChildEnded) -> None:
        self.end = end

    def on_model_request(self, request: ModelRequest) -> None:
        """Check the history of a request, and that the budget allows it."""
        if self.crashes.count == 0:  # an agent that crashed counts from 0 again
            self.token_budget.check_request()
        try:
            assert_sendable(request.messages)
        except AssertionError as error:
            self.violations.report(f"the history is not valid: {error}")


def list_with_ancestors(agent: Address) -> list[Address]:
    """Return an agent and its ancestors, without the root."""
    return [] if agent == ROOT else [agent, *list_with_ancestors(agent.parent)]
