"""How a running turn is stopped: by a person, or by its clock."""

from dataclasses import replace

from actors.agents import calls
from actors.agents.effects import HoldClock, StartClock, StopModel, WithdrawUnder
from actors.agents.limits import out_of_time
from actors.agents.state import CallStage, Place, Stage, Turn
from actors.agents.step import Step
from messages.address import Address
from messages.models import ClockStopped
from messages.turns import CancelTurn

_AT_REST = (Stage.IDLE, Stage.CLOSING)


def cancelled(step: Step, message: CancelTurn) -> None:
    """Stop the turn that is named, or remember that it must not begin."""
    turn = step.turn
    if message.turn > turn.number:
        step.set(cancelled=turn.cancelled | {message.turn})
    elif message.turn == turn.number and turn.stage not in _AT_REST:
        _stop(step)


def dismissed(step: Step) -> None:
    """Stop whatever runs, and never begin what waits."""
    step.set(queue=())
    if step.turn.stage not in _AT_REST:
        _stop(step)


def clock_stopped(step: Step, message: ClockStopped) -> None:
    """Note the time that is left; when there is none, stop."""
    turn = step.turn
    ours = message.turn == turn.number
    left_s = message.left_s if ours else turn.clock.left_s
    step.set(clock=replace(turn.clock, left_s=left_s, runs=False, held=False))
    at_work = turn.stage not in _AT_REST and not turn.stopping
    if ours and message.left_s <= 0 and at_work:
        step.set(limit=out_of_time(turn.account.limits))
        _stop(step)


def keep_time(step: Step) -> None:
    """Let the clock run while the turn works; while a person is asked it stands still."""
    clock = step.turn.clock
    if clock.left_s is not None and _works(step.turn) and not clock.runs:
        step.set(clock=replace(clock, runs=True))
        step.do(StartClock(step.turn.number, clock.left_s))
    elif clock.runs and not clock.held and not _works(step.turn):
        step.set(clock=replace(clock, held=True))
        step.do(HoldClock())


def _works(turn: Turn) -> bool:
    asks = turn.family.open or any(call.stage is CallStage.PARKED for call in turn.calls)
    waits = asks or turn.place is Place.ASKED
    return turn.stage not in _AT_REST and not turn.stopping and not waits


def _stop(step: Step) -> None:
    """Withdraw before abort: the person must not be asked about what is being stopped."""
    turn = step.turn
    if turn.stopping and turn.stage in (Stage.THINKING, Stage.WAITING, Stage.ACTING):
        return  # it has been told; its end comes
    step.set(stopping=True)
    if turn.family.open or any(call.stage is CallStage.PARKED for call in turn.calls):
        step.do(WithdrawUnder(Address(turn.asker)))
    if turn.stage in (Stage.THINKING, Stage.WAITING):
        step.do(StopModel())
    elif turn.stage is Stage.ACTING:
        calls.cancel(step)
    else:
        step.interrupt(turn.tries.partial)
