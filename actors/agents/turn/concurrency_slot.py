"""When an agent asks for a concurrency slot and when it returns it."""

from actors.agents.turn.agent_state import SlotState
from actors.agents.turn.effects import AskForSlot, PublishEvent, ReturnSlot
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import TurnStage
from messages.address import Address
from messages.subagents import SlotAcquired, SlotPending, SubagentQueued

SlotInput = SlotAcquired | SlotPending
"""The supervisor's answers to a request for a slot."""


def ensure_slot(step: Transition) -> bool:
    """Return whether the agent may work now; ask for a slot if it needs one."""
    if step.state.slot is SlotState.NONE:
        step.update(slot=SlotState.PENDING)
        step.emit(AskForSlot())
    return step.state.slot in (SlotState.NOT_NEEDED, SlotState.HELD)


def handle(step: Transition, message: SlotInput) -> None:
    """Take the slot or report that all are taken; return a slot that is no longer needed."""
    is_pending = step.state.slot is SlotState.PENDING
    if isinstance(message, SlotPending):
        if is_pending:
            agent = Address(step.state.identity.address)
            step.emit(PublishEvent(SubagentQueued(agent=agent, slot_limit=message.slot_limit)))
    elif is_pending:
        step.update(slot=SlotState.HELD)
    elif step.state.slot is SlotState.NONE:  # it stopped waiting while the slot was on its way
        step.emit(ReturnSlot())


def release_if_idle(step: Transition) -> None:
    """Return the slot if the agent is idle, stopping, or waits for subagents or the user."""
    if step.state.slot not in (SlotState.HELD, SlotState.PENDING):
        return
    turn = step.state.turn
    is_idle = turn.stage in (TurnStage.IDLE, TurnStage.PAUSED)
    if is_idle or turn.is_stopping or turn.only_waits_for_others:
        step.update(slot=SlotState.NONE)
        step.emit(ReturnSlot())
