"""When an agent asks for a place to work, and when it gives it back. Pure."""

from actors.agents.effects import AskForSlot, PublishEvent, ReturnSlot
from actors.agents.state import AgentState, CallStage, SlotState, TurnStage
from actors.agents.step import Transition
from messages.address import Address
from messages.subagents import SlotAcquired, SlotPending, SubagentQueued


def has(step: Transition) -> bool:
    """Whether the model may be asked now; else a place is asked for."""
    if step.turn.place is SlotState.NONE:
        step.set(place=SlotState.ASKED)
        step.do(AskForSlot())
    return step.turn.place in (SlotState.NEEDLESS, SlotState.HELD)


def take(step: Transition, message: SlotAcquired | SlotPending) -> None:
    """Work, or say that all places are taken; a place that is not wanted any more goes back."""
    asked = step.turn.place is SlotState.ASKED
    if isinstance(message, SlotPending):
        if asked:
            agent = Address(step.turn.asker)
            step.do(PublishEvent(SubagentQueued(agent=agent, slot_limit=message.slot_limit)))
    elif asked:
        step.set(place=SlotState.HELD)
    elif step.turn.place is SlotState.NONE:
        step.do(ReturnSlot())


def keep(step: Transition) -> None:
    """Give the place back while there is nothing to do but wait for those below, or at all."""
    turn = step.turn
    if turn.place not in (SlotState.HELD, SlotState.ASKED):
        return
    if turn.stage is TurnStage.IDLE or turn.stopping or _only_waits(turn):
        step.set(place=SlotState.NONE)
        step.do(ReturnSlot())


def _only_waits(turn: AgentState) -> bool:
    """Whether all that is still to come is what subagents bring, or waits behind that."""
    if turn.stage is not TurnStage.ACTING:
        return False
    below = False
    for call in turn.calls:
        if call.stage is CallStage.RUNNING and call.started is not None:
            below = True
        elif call.stage not in (CallStage.DONE, CallStage.WAITING):
            return False
    return below
