"""Drives one turn by hand: sends messages and collects effects."""

from typing import Self, TypeVar

from actors.agents.restore.restored_state import restore
from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.effects import (
    AskAboutLimit,
    Effect,
    EvaluateCall,
    PlanCall,
    PublishEvent,
    RequestApproval,
    RunCall,
    WriteRecord,
)
from actors.agents.turn.self_messages import ToolPlanned, ToolSucceeded
from actors.agents.turn.state_machine import TurnMessage, advance, resume_turn
from messages.address import PRIMARY
from messages.approvals import ApprovalUnavailable
from messages.content import ContentBlock
from messages.journal import Appended, Record
from messages.policy import Action
from messages.tool_calls import CallPlan, ToolOutput
from messages.turns import AgentEvent, StartTurn, ToolEnded
from tests.actors.agents.turn.message_builders import (
    make_decision,
    make_plan,
    make_reply,
    make_state,
)

E = TypeVar("E")


def list_types(effects: tuple[Effect, ...]) -> list[type[Effect]]:
    return [type(effect) for effect in effects]


class TurnDriver:
    """A turn whose records are written at once unless `hold_disk` is set."""

    def __init__(self, state: AgentState | None = None) -> None:
        """Start idle, or from a restored state."""
        self.state = state or make_state()
        self.last_effects: tuple[Effect, ...] = ()
        self.effects: list[Effect] = []
        self.hold_disk = False

    @classmethod
    def resume(cls, records: tuple[Record, ...], state: AgentState) -> Self:
        """Continue the open turn of an earlier run."""
        resumed_state, effects = resume_turn(restore(records, state))
        driver = cls(resumed_state)
        driver.collect(effects)
        return driver

    def send(self, message: TurnMessage) -> tuple[Effect, ...]:
        self.state, self.last_effects = advance(self.state, message)
        self.last_effects = self.collect(self.last_effects)
        return self.last_effects

    def collect(self, effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
        """Collect effects; unless the disk is held, confirm records at once."""
        self.effects += effects
        if any(isinstance(effect, WriteRecord) for effect in effects) and not self.hold_disk:
            effects += self.sync()
        return effects

    def sync(self) -> tuple[Effect, ...]:
        self.state, effects = advance(
            self.state, Appended(id=self.state.persistence.last_append_id)
        )
        return self.collect(effects)

    def start_turn(self, *content: ContentBlock, stop_reason: str = "") -> tuple[Effect, ...]:
        """Start a turn and send the model's first reply."""
        self.send(StartTurn(turn=self.state.turn.number + 1, text="do it"))
        return self.reply(*content, stop_reason=stop_reason)

    def reply(self, *content: ContentBlock, stop_reason: str = "") -> tuple[Effect, ...]:
        return self.send(
            make_reply(self.state.turn.request_number, *content, stop_reason=stop_reason)
        )

    def plan(self, call_id: str, version: int = 1, *, patched: bool = False) -> CallPlan:
        plan = make_plan(call_id, version, has_patch=patched)
        self.send(ToolPlanned(call_id=call_id, plan=plan))
        return plan

    def decide(
        self, call_id: str, action: Action, *resolved_paths: str, changes_nothing: bool = False
    ) -> tuple[Effect, ...]:
        """Answer a call's last evaluation; its paths resolve to `resolved_paths`."""
        ids = [effect.id for effect in self.get_effects(EvaluateCall) if effect.call_id == call_id]
        return self.send(
            make_decision(ids[-1], action, *resolved_paths, changes_nothing=changes_nothing)
        )

    def allow(self, call_id: str) -> CallPlan:
        plan = self.plan(call_id)
        self.decide(call_id, "allow")
        return plan

    def request_approval(self, call_id: str, *resolved_paths: str) -> str:
        """Bring a call to its approval request; return the request's id."""
        self.plan(call_id)
        self.decide(call_id, "ask", *resolved_paths)
        return self.get_effects(RequestApproval)[-1].id

    def end_at_limit(self) -> tuple[Effect, ...]:
        """Answer the question about a limit as a run without a user does."""
        question = self.get_effects(AskAboutLimit)[-1]
        return self.send(
            ApprovalUnavailable(id=question.id, agent=PRIMARY, reason="there is no user")
        )

    def succeed(self, call_id: str, text: str = "fine") -> tuple[Effect, ...]:
        return self.send(ToolSucceeded(call_id=call_id, output=ToolOutput(text=text)))

    def get_effects(self, kind: type[E]) -> list[E]:
        return [effect for effect in self.effects if isinstance(effect, kind)]

    @property
    def records(self) -> list[Record]:
        return [effect.record for effect in self.get_effects(WriteRecord)]

    @property
    def events(self) -> list[AgentEvent]:
        return [effect.event for effect in self.get_effects(PublishEvent)]

    @property
    def results(self) -> list[tuple[str, str, str]]:
        """Return call id, status and text of every result."""
        ended = [record for record in self.records if isinstance(record, ToolEnded)]
        return [(record.call_id, record.status, record.text) for record in ended]

    @property
    def planned_calls(self) -> list[str]:
        return [effect.call_id for effect in self.get_effects(PlanCall)]

    @property
    def run_calls(self) -> list[str]:
        return [effect.call_id for effect in self.get_effects(RunCall)]
