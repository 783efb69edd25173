"""How a running turn is stopped: by a person, or by its clock."""

from dataclasses import replace

from actors.agents import calls
from actors.agents.effects import CancelModelRequest, PauseTimer, StartTimer, WithdrawSubtree
from actors.agents.limits import out_of_time
from actors.agents.state import AgentState, CallStage, SlotState, TurnStage
from actors.agents.step import Transition
from messages.address import Address
from messages.models import TurnTimerStopped
from messages.turns import CancelTurn

_AT_REST = (TurnStage.IDLE, TurnStage.CLOSING)


def cancelled(step: Transition, message: CancelTurn) -> None:
    """Stop the turn that is named, or remember that it must not begin."""
    turn = step.turn
    if message.turn > turn.number:
        step.set(cancelled=turn.cancelled | {message.turn})
    elif message.turn == turn.number and turn.stage not in _AT_REST:
        _stop(step)


def dismissed(step: Transition) -> None:
    """Stop whatever runs, and never begin what waits."""
    step.set(queue=())
    if step.turn.stage not in _AT_REST:
        _stop(step)


def clock_stopped(step: Transition, message: TurnTimerStopped) -> None:
    """Note the time that is left; when there is none, stop."""
    turn = step.turn
    ours = message.turn == turn.number
    left_s = message.left_s if ours else turn.clock.left_s
    step.set(clock=replace(turn.clock, left_s=left_s, runs=False, held=False))
    at_work = turn.stage not in _AT_REST and not turn.stopping
    if ours and message.left_s <= 0 and at_work:
        step.set(limit=out_of_time(turn.account.limits))
        _stop(step)


def keep_time(step: Transition) -> None:
    """Let the clock run while the turn works; while a person is asked it stands still."""
    clock = step.turn.clock
    if clock.left_s is not None and _works(step.turn) and not clock.runs:
        step.set(clock=replace(clock, runs=True))
        step.do(StartTimer(step.turn.number, clock.left_s))
    elif clock.runs and not clock.held and not _works(step.turn):
        step.set(clock=replace(clock, held=True))
        step.do(PauseTimer())


def _works(turn: AgentState) -> bool:
    asks = turn.family.open or any(call.stage is CallStage.PARKED for call in turn.calls)
    waits = asks or turn.place is SlotState.ASKED
    return turn.stage not in _AT_REST and not turn.stopping and not waits


def _stop(step: Transition) -> None:
    """Withdraw before abort: the person must not be asked about what is being stopped."""
    turn = step.turn
    if turn.stopping and turn.stage in (TurnStage.THINKING, TurnStage.WAITING, TurnStage.ACTING):
        return  # it has been told; its end comes
    step.set(stopping=True)
    if turn.family.open or any(call.stage is CallStage.PARKED for call in turn.calls):
        step.do(WithdrawSubtree(Address(turn.asker)))
    if turn.stage in (TurnStage.THINKING, TurnStage.WAITING):
        step.do(CancelModelRequest())
    elif turn.stage is TurnStage.ACTING:
        calls.cancel(step)
    else:
        step.interrupt(turn.tries.partial)
