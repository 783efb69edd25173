"""How a running turn is stopped: by a person, or by its clock."""

from dataclasses import replace

from actors.agents.turn import call_lifecycle
from actors.agents.turn.agent_state import AgentState, CallStage, SlotState, TurnStage
from actors.agents.turn.effects import CancelModelRequest, PauseTimer, StartTimer, WithdrawSubtree
from actors.agents.turn.limits import build_time_limit_reached
from actors.agents.turn.self_messages import TurnTimerStopped
from actors.agents.turn.transition import Transition
from messages.address import Address
from messages.turns import CancelTurn

_AT_REST = (TurnStage.IDLE, TurnStage.RECORDING_END)


def on_cancel_turn(step: Transition, message: CancelTurn) -> None:
    """Stop the turn that is named, or remember that it must not begin."""
    turn = step.state
    if message.turn > turn.turn_number:
        step.update(cancelled_turns=turn.cancelled_turns | {message.turn})
    elif message.turn == turn.turn_number and turn.stage not in _AT_REST:
        _stop(step)


def cancel_all(step: Transition) -> None:
    """Stop whatever runs, and never begin what waits."""
    step.update(queued_prompts=())
    if step.state.stage not in _AT_REST:
        _stop(step)


def on_timer_stopped(step: Transition, message: TurnTimerStopped) -> None:
    """Note the time that is left; when there is none, stop."""
    turn = step.state
    ours = message.turn == turn.turn_number
    left_s = message.remaining_s if ours else turn.timer.remaining_s
    step.update(timer=replace(turn.timer, remaining_s=left_s, is_running=False, is_pausing=False))
    at_work = turn.stage not in _AT_REST and not turn.is_stopping
    if ours and message.remaining_s <= 0 and at_work:
        step.update(limit_reached=build_time_limit_reached(turn.totals.limits))
        _stop(step)


def update_timer(step: Transition) -> None:
    """Let the clock run while the turn works; while a person is asked it stands still."""
    clock = step.state.timer
    if clock.remaining_s is not None and _works(step.state) and not clock.is_running:
        step.update(timer=replace(clock, is_running=True))
        step.emit(StartTimer(step.state.turn_number, clock.remaining_s))
    elif clock.is_running and not clock.is_pausing and not _works(step.state):
        step.update(timer=replace(clock, is_pausing=True))
        step.emit(PauseTimer())


def _works(turn: AgentState) -> bool:
    asks = turn.subagents.open_requests or any(
        call.stage is CallStage.AWAITING_APPROVAL for call in turn.calls
    )
    waits = asks or turn.slot is SlotState.PENDING
    return turn.stage not in _AT_REST and not turn.is_stopping and not waits


def _stop(step: Transition) -> None:
    """Withdraw before abort: the person must not be asked about what is being stopped."""
    turn = step.state
    if turn.is_stopping and turn.stage in (
        TurnStage.THINKING,
        TurnStage.RETRYING,
        TurnStage.ACTING,
    ):
        return  # it has been told; its end comes
    step.update(is_stopping=True)
    if turn.subagents.open_requests or any(
        call.stage is CallStage.AWAITING_APPROVAL for call in turn.calls
    ):
        step.emit(WithdrawSubtree(Address(turn.agent_address)))
    if turn.stage in (TurnStage.THINKING, TurnStage.RETRYING):
        step.emit(CancelModelRequest())
    elif turn.stage is TurnStage.ACTING:
        call_lifecycle.cancel_calls(step)
    else:
        step.interrupt_turn(turn.retry.partial_text)
