"""What is overheard in a tree of agents, held against what was promised of it."""

from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from actors.models.client import ModelRequest
from actors.root import RootSupervisor
from actors.runtime.actor import Actor, Factory
from actors.runtime.lanes import MailboxItem
from actors.runtime.supervision import Restart
from actors.sessions.reading import parse
from messages.address import CONSOLE, ROOT, Address, is_subagent
from messages.agents import ChildEnded
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalUnavailable,
    WithdrawApprovals,
)
from messages.base import Message
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
from tests.actors.agents.conversation import assert_sendable
from tests.simulation.crashes import Crashes
from tests.simulation.ledger import Ledger
from tests.simulation.trace import Trace

FILE = Path("/session.jsonl")
ROUNDING_S = 0.02
HASTY_S = 3.0
"""The time limit of the one type that has one."""


class Foliage:
    """Hears of everything, and writes down what was broken."""

    def __init__(
        self,
        now: Callable[[], float],
        trace: Trace,
        crashes: Crashes,
        says: Callable[[Address, Message, Address], tuple[Message, ...]],
    ) -> None:
        self.ledger = Ledger(now)
        self.crashes = crashes
        self.end: ChildEnded | None = None
        self.roots: list[RootSupervisor] = []
        self._now = now
        self._trace = trace
        self._says = says
        self._open: dict[str, Address] = {}
        """Questions that have not ended, and who asks."""
        self._asks: Counter[Address] = Counter()
        """How many of each agent's own, and of all below it, are open."""
        self._since_s: dict[Address, float] = {}
        self._asked_s: defaultdict[Address, float] = defaultdict(float)
        """How long one or more of them were."""
        self.living: set[Address] = set()
        self.most = 0
        """Subagents at once."""
        self._began_s: dict[Address, float] = {}

    def begin(self) -> None:
        """Start with a new run of the program."""
        self.end = None
        self.roots.clear()
        self._open.clear()
        self._asks.clear()
        self._began_s.clear()
        self.living.clear()

    def at_rest(
        self, waiting: dict[Address, int], on_screen: tuple[str, ...], roots: list[RootSupervisor]
    ) -> None:
        """Hold what must be so when nothing happens any more."""
        for address, count in waiting.items():
            self.ledger.require(count == 0, f"{count} left in the inbox of {address}")
        busy = [each for each in waiting if is_subagent(each) and "staying" not in each.name]
        self.ledger.require(not busy, f"still there: {busy}")
        self.ledger.require(not self._open, f"questions without an end: {self._open}")
        if CONSOLE in waiting:
            self.ledger.require(not on_screen, f"left on the screen: {on_screen}")
        for root in roots:
            places = vars(root)["_places"]
            held = (*places.taken, *places.waiting)
            self.ledger.require(not held, f"places are held by {held}")

    def read(self, data: bytes) -> None:
        """Hold the file against itself: every task that began has one end."""
        lines = parse(FILE, data).lines
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
        self.ledger.require(not twice, f"began or ended twice: {twice}")
        self.ledger.require(not ended - begun, f"ended and never began: {ended - begun}")

    # What is overheard.

    def sent(self, to: Address, message: Message, sender: Address) -> tuple[Message, ...]:
        really = self._says(to, message, sender)
        for said in really:
            self._climbs(to, said, sender)
            self._keeps_time(said, sender)
        return really

    def _climbs(self, to: Address, said: Message, sender: Address) -> None:
        match said:
            case TextDelta() | ThinkingDelta() | ToolInputDelta() | SessionConfigured():
                streams_up = is_subagent(sender) and to != sender
                self.ledger.require(not streams_up, f"{sender} streams up to {to}")
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
                self.ledger.require(not under, f"{to} is stopped before {under} is withdrawn")
            case _:
                pass

    def _ask(self, request: str, asker: Address) -> None:
        if request in self._open:
            return
        self._open[request] = asker
        for agent in chain(asker):
            if not self._asks[agent]:
                self._since_s[agent] = self._now()
            self._asks[agent] += 1

    def _close(self, request: str) -> None:
        asker = self._open.pop(request, ROOT)
        for agent in chain(asker):
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
            enough = worked_s >= HASTY_S - ROUNDING_S
            self.ledger.require(enough, f"{sender} had only {worked_s:.2f} s of its time")

    def handling(self, to: Address, parcel: MailboxItem) -> None:
        if isinstance(parcel, Envelope):
            self._trace.letter(to, parcel.sender, parcel.message)

    def embodied(self, address: Address, make: Factory, restart: Restart) -> Factory:  # noqa: ARG002  (as its protocol)
        make = self.crashes.embodied(address, make)

        def made() -> Actor[Any]:
            behaviour = make()
            if isinstance(behaviour, RootSupervisor):
                self.roots.append(behaviour)
            return behaviour

        return made

    def started(self, address: Address) -> None:
        self.living |= {address} if is_subagent(address) else set()
        self.most = max(self.most, len(self.living))

    def ended(self, address: Address) -> None:
        self._began_s.pop(address, None)
        self.living.discard(address)

    def undrained(self, letter: Envelope) -> None:
        said = type(letter.message).__name__
        self.ledger.require(holds=False, promise=f"{letter.to} left {said} unread when it stopped")

    def root_ended(self, end: ChildEnded) -> None:
        self.end = end

    def asked(self, request: ModelRequest) -> None:
        """Hold that each agent's history is valid."""
        try:
            assert_sendable(request.messages)
        except AssertionError as error:
            self.ledger.require(holds=False, promise=f"the history is not valid: {error}")


def chain(agent: Address) -> list[Address]:
    """List an agent and those above it."""
    return [] if agent == ROOT else [agent, *chain(agent.parent)]
