"""When an agent asks for a place to work, and when it gives it back. Pure."""

from actors.agents.turn.agent_state import AgentState, CallStage, SlotState, TurnStage
from actors.agents.turn.effects import AskForSlot, PublishEvent, ReturnSlot
from actors.agents.turn.transition import Transition
from messages.address import Address
from messages.subagents import SlotAcquired, SlotPending, SubagentQueued


def ensure_slot(step: Transition) -> bool:
    """Whether the model may be asked now; else a place is asked for."""
    if step.state.slot is SlotState.NONE:
        step.update(slot=SlotState.PENDING)
        step.emit(AskForSlot())
    return step.state.slot in (SlotState.NOT_NEEDED, SlotState.HELD)


def handle(step: Transition, message: SlotAcquired | SlotPending) -> None:
    """Work, or say that all places are taken; a place that is not wanted any more goes back."""
    asked = step.state.slot is SlotState.PENDING
    if isinstance(message, SlotPending):
        if asked:
            agent = Address(step.state.agent_address)
            step.emit(PublishEvent(SubagentQueued(agent=agent, slot_limit=message.slot_limit)))
    elif asked:
        step.update(slot=SlotState.HELD)
    elif step.state.slot is SlotState.NONE:
        step.emit(ReturnSlot())


def release_if_idle(step: Transition) -> None:
    """Give the place back while there is nothing to do but wait for those below, or at all."""
    turn = step.state
    if turn.slot not in (SlotState.HELD, SlotState.PENDING):
        return
    if turn.stage is TurnStage.IDLE or turn.is_stopping or _only_waits(turn):
        step.update(slot=SlotState.NONE)
        step.emit(ReturnSlot())


def _only_waits(turn: AgentState) -> bool:
    """Whether all that is still to come is what subagents bring, or waits behind that."""
    if turn.stage is not TurnStage.ACTING:
        return False
    below = False
    for call in turn.calls:
        if call.stage is CallStage.RUNNING and call.subagent_started is not None:
            below = True
        elif call.stage not in (CallStage.DONE, CallStage.WAITING):
            return False
    return below
