"""What is overheard in a tree of agents, held against what was promised of it."""

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
from messages.address import CONSOLE, ROOT, Address, is_subagent
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalUnavailable,
    WithdrawApprovals,
)
from messages.base import Message
from messages.child_lifecycle import ChildEnded
from messages.envelope import Envelope
from messages.subagents import CancelTask, SubagentEnded, SubagentStarted
from messages.turns import (
    SessionConfigured,
    TextDelta,
    ThinkingDelta,
    ToolInputDelta,
    TurnFailed,
    TurnStarted,
)
from tests.actors.agents.conversation_assertions import assert_sendable
from tests.simulation.crash_injection import CrashInjector
from tests.simulation.trace import Trace
from tests.simulation.violations import Violations

SESSION_FILE = Path("/session.jsonl")
TIME_TOLERANCE_S = 0.02
HASTY_LIMIT_S = 3.0
"""The time limit of the one type that has one."""


class TreeInvariants:
    """Hears of everything, and writes down what was broken."""

    def __init__(
        self,
        now: Callable[[], float],
        trace: Trace,
        crashes: CrashInjector,
        mutate_message: Callable[[Address, Message, Address], tuple[Message, ...]],
    ) -> None:
        self.violations = Violations(now)
        self.crashes = crashes
        self.end: ChildEnded | None = None
        self.roots: list[RootSupervisor] = []
        self._now = now
        self._trace = trace
        self._says = mutate_message
        self._open: dict[str, Address] = {}
        """Questions that have not ended, and who asks."""
        self._asks: Counter[Address] = Counter()
        """How many of each agent's own, and of all below it, are open."""
        self._since_s: dict[Address, float] = {}
        self._asked_s: defaultdict[Address, float] = defaultdict(float)
        """How long one or more of them were."""
        self.live_subagents: set[Address] = set()
        self.max_live_subagents = 0
        """Subagents at once."""
        self._began_s: dict[Address, float] = {}

    def start_run(self) -> None:
        """Start with a new run of the program."""
        self.end = None
        self.roots.clear()
        self._open.clear()
        self._asks.clear()
        self._began_s.clear()
        self.live_subagents.clear()

    def check_idle(
        self, waiting: dict[Address, int], on_screen: tuple[str, ...], roots: list[RootSupervisor]
    ) -> None:
        """Hold what must be so when nothing happens any more."""
        for address, count in waiting.items():
            self.violations.require(count == 0, f"{count} left in the inbox of {address}")
        busy = [each for each in waiting if is_subagent(each) and "staying" not in each.name]
        self.violations.require(not busy, f"still there: {busy}")
        self.violations.require(not self._open, f"questions without an end: {self._open}")
        if CONSOLE in waiting:
            self.violations.require(not on_screen, f"left on the screen: {on_screen}")
        for root in roots:
            places = vars(root)["_slots"]
            held = (*places.holders, *places.waiting)
            self.violations.require(not held, f"places are held by {held}")

    def check_session_file(self, data: bytes) -> None:
        """Hold the file against itself: every task that began has one end."""
        lines = parse_log(SESSION_FILE, data).lines
        begun = Counter(
            (line.message.child, line.message.task_number)
            for line in lines
            if isinstance(line.message, SubagentStarted)
        )
        ended = Counter(
            (line.message.child, line.message.task_number)
            for line in lines
            if isinstance(line.message, SubagentEnded)
        )
        twice = [each for each, count in (begun | ended).items() if count > 1]
        self.violations.require(not twice, f"began or ended twice: {twice}")
        self.violations.require(not ended - begun, f"ended and never began: {ended - begun}")

    # What is overheard.

    def on_send(self, to: Address, message: Message, sender: Address) -> tuple[Message, ...]:
        really = self._says(to, message, sender)
        for said in really:
            self._climbs(to, said, sender)
            self._keeps_time(said, sender)
        return really

    def _climbs(self, to: Address, said: Message, sender: Address) -> None:
        match said:
            case TextDelta() | ThinkingDelta() | ToolInputDelta() | SessionConfigured():
                streams_up = is_subagent(sender) and to != sender
                self.violations.require(not streams_up, f"{sender} streams up to {to}")
            case _ if isinstance(said, AnyApprovalRequest):
                if said.agent == sender:
                    self._ask(said.id, sender)
            case ApprovalDecided() | ApprovalUnavailable():
                if to == said.agent:
                    self._close(said.id)
            case WithdrawApprovals():
                for request, asker in list(self._open.items()):
                    if asker.is_under(said.under):
                        self._close(request)
            case CancelTask() if sender == to.parent:
                under = [each for each, asker in self._open.items() if asker.is_under(to)]
                self.violations.require(not under, f"{to} is stopped before {under} is withdrawn")
            case _:
                pass

    def _ask(self, request: str, asker: Address) -> None:
        if request in self._open:
            return
        self._open[request] = asker
        for agent in list_ancestors(asker):
            if not self._asks[agent]:
                self._since_s[agent] = self._now()
            self._asks[agent] += 1

    def _close(self, request: str) -> None:
        asker = self._open.pop(request, ROOT)
        for agent in list_ancestors(asker):
            self._asks[agent] -= 1
            if not self._asks[agent]:
                self._asked_s[agent] += self._now() - self._since_s[agent]

    def _keeps_time(self, said: Message, sender: Address) -> None:
        """Hold a limit of time against the time that really went by without a question."""
        if isinstance(said, TurnStarted):
            self._began_s[sender] = self._now()
            self._asked_s[sender] = 0
        began_s = self._began_s.get(sender)
        if isinstance(said, TurnFailed) and said.reason == "time_limit" and began_s is not None:
            worked_s = self._now() - began_s - self._asked_s[sender]
            enough = worked_s >= HASTY_LIMIT_S - TIME_TOLERANCE_S
            self.violations.require(enough, f"{sender} had only {worked_s:.2f} s of its time")

    def on_handle(self, to: Address, parcel: MailboxItem) -> None:
        if isinstance(parcel, Envelope):
            self._trace.add_message(to, parcel.sender, parcel.message)

    def wrap_factory(self, address: Address, make: ActorFactory, restart: Restart) -> ActorFactory:  # noqa: ARG002  (as its protocol)
        make = self.crashes.wrap_factory(address, make)

        def made() -> Actor[Any]:
            behaviour = make()
            if isinstance(behaviour, RootSupervisor):
                self.roots.append(behaviour)
            return behaviour

        return made

    def on_started(self, address: Address) -> None:
        self.live_subagents |= {address} if is_subagent(address) else set()
        self.max_live_subagents = max(self.max_live_subagents, len(self.live_subagents))

    def on_ended(self, address: Address) -> None:
        self._began_s.pop(address, None)
        self.live_subagents.discard(address)

    def on_undrained(self, letter: Envelope) -> None:
        said = type(letter.message).__name__
        self.violations.require(
            condition=False, message=f"{letter.to} left {said} unread when it stopped"
        )

    def on_root_ended(self, end: ChildEnded) -> None:
        self.end = end

    def on_model_request(self, request: ModelRequest) -> None:
        """Hold that each agent's history is valid."""
        try:
            assert_sendable(request.messages)
        except AssertionError as error:
            self.violations.require(condition=False, message=f"the history is not valid: {error}")


def list_ancestors(agent: Address) -> list[Address]:
    """List an agent and those above it."""
    return [] if agent == ROOT else [agent, *list_ancestors(agent.parent)]
