"""When an agent asks for a place to work, and when it gives it back. Pure."""

from actors.agents.effects import AskPlace, LeavePlace, Report
from actors.agents.state import CallStage, Place, Stage, Turn
from actors.agents.step import Step
from messages.address import Address
from messages.subagents import PlaceGiven, PlacesFull, SubagentQueued


def has(step: Step) -> bool:
    """Whether the model may be asked now; else a place is asked for."""
    if step.turn.place is Place.NONE:
        step.set(place=Place.ASKED)
        step.do(AskPlace())
    return step.turn.place in (Place.NEEDLESS, Place.HELD)


def take(step: Step, message: PlaceGiven | PlacesFull) -> None:
    """Work, or say that all places are taken; a place that is not wanted any more goes back."""
    asked = step.turn.place is Place.ASKED
    if isinstance(message, PlacesFull):
        if asked:
            agent = Address(step.turn.asker)
            step.do(Report(SubagentQueued(agent=agent, places=message.places)))
    elif asked:
        step.set(place=Place.HELD)
    elif step.turn.place is Place.NONE:
        step.do(LeavePlace())


def keep(step: Step) -> None:
    """Give the place back while there is nothing to do but wait for those below, or at all."""
    turn = step.turn
    if turn.place not in (Place.HELD, Place.ASKED):
        return
    if turn.stage is Stage.IDLE or turn.stopping or _only_waits(turn):
        step.set(place=Place.NONE)
        step.do(LeavePlace())


def _only_waits(turn: Turn) -> bool:
    """Whether all that is still to come is what subagents bring, or waits behind that."""
    if turn.stage is not Stage.ACTING:
        return False
    below = False
    for call in turn.calls:
        if call.stage is CallStage.RUNNING and call.started is not None:
            below = True
        elif call.stage not in (CallStage.DONE, CallStage.WAITING):
            return False
    return below
