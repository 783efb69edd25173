"""Faults in how agents deal with those below them, for the simulation of trees to find."""

from collections.abc import Callable
from typing import Any, cast

from actors.agents import children, places, stopping
from actors.agents.agent import Agent
from actors.agents.below import SubagentSupervisor
from actors.agents.effects import ForwardDown, StopChild, WithdrawSubtree
from actors.agents.state import CallStage, TurnStage
from actors.agents.voice import EventPublisher
from messages.address import Address
from messages.base import Message
from messages.subagents import ReleaseSlots
from messages.turns import TextDelta, ThinkingDelta
from tests.simulation.grove import TreePlant

CARRY_OUT: Any = vars(Agent)["_carry_out"]
DO: Any = SubagentSupervisor.do
WITHDRAWN: Any = vars(children)["_withdrawn"]


def aborts_before_it_withdraws(agent: Any, effects: Any) -> None:  # noqa: ANN401  (as replaced)
    """Stop those below first."""
    late = [each for each in effects if isinstance(each, WithdrawSubtree)]
    CARRY_OUT(agent, (*(each for each in effects if each not in late), *late))


def streams_up(voice: Any, delta: TextDelta | ThinkingDelta, turn: Any) -> None:  # noqa: ANN401  (as replaced)
    """Tell those above what streams."""
    if turn.stage is TurnStage.THINKING:
        kept = cast("dict[str, Any]", vars(voice))
        kept["_actor"].tell(kept["_reports"], delta)


def drops_replies(below: Any, effect: Any, family: Any) -> None:  # noqa: ANN401  (as replaced)
    """Keep the answers of those below to itself."""
    if not isinstance(effect, ForwardDown):
        DO(below, effect, family)


def counts_parked_time(turn: Any) -> bool:  # noqa: ANN401  (as replaced)
    """Let the clock run while a person is asked."""
    return turn.stage not in (TurnStage.IDLE, TurnStage.CLOSING) and not turn.stopping


def counts_parked_time_of_those_below(turn: Any) -> bool:  # noqa: ANN401  (as replaced)
    """Stop the clock for questions of its own only."""
    asks = any(call.stage is CallStage.PARKED for call in turn.calls)
    return counts_parked_time(turn) and not asks


def lets_those_below_go_on(below: Any, effect: Any, family: Any) -> None:  # noqa: ANN401  (as replaced)
    """Forget to stop whoever works for a turn that is stopped."""
    if not isinstance(effect, StopChild):
        DO(below, effect, family)


def without(kind: type[Message]) -> Callable[..., tuple[Message, ...]]:
    """Lose every message of a kind."""

    def says(_to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
        return () if isinstance(message, kind) else (message,)

    return says


def ends_twice(step: Any, child: Any, status: Any, detail: str) -> None:  # noqa: ANN401  (as replaced)
    """Write down two ends of one task."""
    RECORD_END(step, child, status, detail)
    RECORD_END(step, child, status, detail)


RECORD_END: Any = vars(children)["_record_end"]


def nothing(*_: object, **__: object) -> None:
    """Do nothing."""


BLIGHTS: dict[str, TreePlant] = {
    "it aborts before it withdraws": TreePlant(
        patches=((Agent, "_carry_out", aborts_before_it_withdraws),)
    ),
    "a delta is forwarded": TreePlant(patches=((EventPublisher, "stream", streams_up),)),
    "a reply is dropped": TreePlant(patches=((SubagentSupervisor, "do", drops_replies),)),
    "parked time is counted": TreePlant(patches=((stopping, "_works", counts_parked_time),)),
    "parked time of those below is counted": TreePlant(
        patches=((stopping, "_works", counts_parked_time_of_those_below),)
    ),
    "a stop does not reach those below": TreePlant(
        patches=((SubagentSupervisor, "do", lets_those_below_go_on),)
    ),
    "a place is never given back": TreePlant(says=without(ReleaseSlots)),
    "who waits for those below keeps its place": TreePlant(patches=((places, "keep", nothing),)),
    "a task has two ends": TreePlant(patches=((children, "_record_end", ends_twice),)),
    "questions of a crashed child are left": TreePlant(
        patches=((children, "_withdrawn", nothing), (SubagentSupervisor, "begin_again", nothing))
    ),
}
