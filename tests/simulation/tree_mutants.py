"""Faults in how agents deal with those below them, for the simulation of trees to find."""

from collections.abc import Callable
from typing import Any, cast

from actors.agents.agent import Agent
from actors.agents.effect_handlers.event_publisher import EventPublisher
from actors.agents.effect_handlers.subagent_supervisor import SubagentSupervisor
from actors.agents.turn import cancellation, slots, subagent_tasks
from actors.agents.turn.effects import ForwardDown, StopChild, WithdrawSubtree
from actors.agents.turn.turn_state import TurnStage
from messages.address import Address
from messages.base import Message
from messages.subagents import ReleaseSlots
from messages.turns import TextDelta, ThinkingDelta
from tests.simulation.tree_simulation import TreeMutant

ORIGINAL_CARRY_OUT: Any = vars(Agent)["_carry_out"]
ORIGINAL_EMIT: Any = SubagentSupervisor.handle
WITHDRAWN: Any = vars(subagent_tasks)["_withdraw_requests"]


def abort_before_withdraw(agent: Any, effects: Any) -> None:  # noqa: ANN401  (as replaced)
    """Stop those below first."""
    late = [each for each in effects if isinstance(each, WithdrawSubtree)]
    ORIGINAL_CARRY_OUT(agent, (*(each for each in effects if each not in late), *late))


def stream_deltas_up(voice: Any, delta: TextDelta | ThinkingDelta, turn: Any) -> None:  # noqa: ANN401  (as replaced)
    """Tell those above what streams."""
    if turn.stage is TurnStage.THINKING:
        kept = cast("dict[str, Any]", vars(voice))
        kept["_actor"].tell(kept["_events_to"], delta)


def drop_replies(below: Any, effect: Any, family: Any) -> None:  # noqa: ANN401  (as replaced)
    """Keep the answers of those below to itself."""
    if not isinstance(effect, ForwardDown):
        ORIGINAL_EMIT(below, effect, family)


def count_parked_time(state: Any) -> bool:  # noqa: ANN401  (as replaced)
    """Let the clock run while a person is asked."""
    return bool(state.turn.is_active and not state.turn.is_stopping)


def count_parked_time_of_subagents(state: Any) -> bool:  # noqa: ANN401  (as replaced)
    """Stop the clock for questions of its own only."""
    return count_parked_time(state) and not state.turn.has_open_approval


def skip_stop_of_children(below: Any, effect: Any, family: Any) -> None:  # noqa: ANN401  (as replaced)
    """Forget to stop whoever works for a turn that is stopped."""
    if not isinstance(effect, StopChild):
        ORIGINAL_EMIT(below, effect, family)


def drop_message_type(kind: type[Message]) -> Callable[..., tuple[Message, ...]]:
    """Lose every message of a kind."""

    def says(_to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
        return () if isinstance(message, kind) else (message,)

    return says


def record_end_twice(step: Any, child: Any, status: Any, detail: str) -> None:  # noqa: ANN401  (as replaced)
    """Write down two ends of one task."""
    ORIGINAL_RECORD_END(step, child, status, detail)
    ORIGINAL_RECORD_END(step, child, status, detail)


ORIGINAL_RECORD_END: Any = vars(subagent_tasks)["_record_end"]


def do_nothing(*_: object, **__: object) -> None:
    """Do nothing."""


TREE_MUTANTS: dict[str, TreeMutant] = {
    "it aborts before it withdraws": TreeMutant(
        patches=((Agent, "_carry_out", abort_before_withdraw),)
    ),
    "a delta is forwarded": TreeMutant(
        patches=((EventPublisher, "publish_delta", stream_deltas_up),)
    ),
    "a reply is dropped": TreeMutant(patches=((SubagentSupervisor, "handle", drop_replies),)),
    "parked time is counted": TreeMutant(
        patches=((cancellation, "_is_working", count_parked_time),)
    ),
    "parked time of those below is counted": TreeMutant(
        patches=((cancellation, "_is_working", count_parked_time_of_subagents),)
    ),
    "a stop does not reach those below": TreeMutant(
        patches=((SubagentSupervisor, "handle", skip_stop_of_children),)
    ),
    "a place is never given back": TreeMutant(mutate_message=drop_message_type(ReleaseSlots)),
    "who waits for those below keeps its place": TreeMutant(
        patches=((slots, "release_if_idle", do_nothing),)
    ),
    "a task has two ends": TreeMutant(patches=((subagent_tasks, "_record_end", record_end_twice),)),
    "questions of a crashed child are left": TreeMutant(
        patches=(
            (subagent_tasks, "_withdraw_requests", do_nothing),
            (SubagentSupervisor, "reset_after_crash", do_nothing),
        )
    ),
}
