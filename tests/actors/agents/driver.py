"""Leads one turn by hand: says what happens, keeps what the turn wanted."""

from typing import TypeVar

from actors.agents.effects import (
    Effect,
    EvaluateCall,
    PlanCall,
    PublishEvent,
    RequestApproval,
    RunCall,
    WriteRecord,
)
from actors.agents.state import AgentState
from actors.agents.turn import TurnMessage, advance
from messages.content import ContentBlock
from messages.rules import Action
from messages.tools import CallPlan, ToolOutput, ToolPlanned, ToolSucceeded
from messages.transcript import Appended, Record
from messages.turns import AgentEvent, StartTurn, ToolEnded
from tests.actors.agents.scripts import blank, plan_for, reply, verdict

E = TypeVar("E")


class Driver:
    """A turn whose disk never waits unless `hold` is set."""

    def __init__(self, turn: AgentState | None = None) -> None:
        """Begin idle, or with a turn that was taken up."""
        self.turn = turn or blank()
        self.last: tuple[Effect, ...] = ()
        self.effects: list[Effect] = []
        self.hold = False

    def tell(self, message: TurnMessage) -> tuple[Effect, ...]:
        self.turn, self.last = advance(self.turn, message)
        told = self.take(self.last)
        self.last = told
        return told

    def take(self, effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
        """Note effects; while the disk does not wait, it answers at once."""
        self.effects += effects
        if any(isinstance(each, WriteRecord) for each in effects) and not self.hold:
            effects += self.sync()
        return effects

    def sync(self) -> tuple[Effect, ...]:
        self.turn, effects = advance(self.turn, Appended(id=self.turn.written))
        return self.take(effects)

    def prompted(self, *content: ContentBlock, stop_reason: str = "") -> tuple[Effect, ...]:
        """Go up to the model's first reply."""
        self.tell(StartTurn(turn=self.turn.number + 1, text="do it"))
        return self.replied(*content, stop_reason=stop_reason)

    def replied(self, *content: ContentBlock, stop_reason: str = "") -> tuple[Effect, ...]:
        return self.tell(reply(self.turn.request, *content, stop_reason=stop_reason))

    def planned(self, call_id: str, version: int = 1, *, patched: bool = False) -> CallPlan:
        plan = plan_for(call_id, version, patched=patched)
        self.tell(ToolPlanned(call_id=call_id, plan=plan))
        return plan

    def judged(self, call_id: str, action: Action, *led_to: str) -> tuple[Effect, ...]:
        """Have the last question about a call answered; its paths have led to these."""
        queries = [each.id for each in self.of(EvaluateCall) if each.call_id == call_id]
        return self.tell(verdict(queries[-1], action, *led_to))

    def allowed(self, call_id: str) -> CallPlan:
        plan = self.planned(call_id)
        self.judged(call_id, "allow")
        return plan

    def asked(self, call_id: str, *led_to: str) -> str:
        """Go up to the question to a person; its id."""
        self.planned(call_id)
        self.judged(call_id, "ask", *led_to)
        return self.of(RequestApproval)[-1].id

    def done(self, call_id: str, text: str = "fine") -> tuple[Effect, ...]:
        return self.tell(ToolSucceeded(call_id=call_id, output=ToolOutput(text=text)))

    def of(self, kind: type[E]) -> list[E]:
        return [each for each in self.effects if isinstance(each, kind)]

    @property
    def records(self) -> list[Record]:
        return [each.record for each in self.of(WriteRecord)]

    @property
    def reports(self) -> list[AgentEvent]:
        return [each.event for each in self.of(PublishEvent)]

    @property
    def results(self) -> list[tuple[str, str, str]]:
        """Every result: call, status, text."""
        ends = [each for each in self.records if isinstance(each, ToolEnded)]
        return [(each.call_id, each.status, each.text) for each in ends]

    @property
    def planning(self) -> list[str]:
        return [each.call_id for each in self.of(PlanCall)]

    @property
    def ran(self) -> list[str]:
        return [each.call_id for each in self.of(RunCall)]
