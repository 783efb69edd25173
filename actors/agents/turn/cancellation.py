"""How a running turn is stopped: by the user or by its time limit."""

from dataclasses import replace

from actors.agents.turn import call_lifecycle
from actors.agents.turn.agent_state import AgentState, CallStage, SlotState, TurnStage
from actors.agents.turn.effects import CancelModelRequest, PauseTimer, StartTimer, WithdrawSubtree
from actors.agents.turn.limits import build_time_limit_reached
from actors.agents.turn.self_messages import TurnTimerStopped
from actors.agents.turn.transition import Transition
from messages.address import Address
from messages.turns import CancelTurn

_INACTIVE_STAGES = (TurnStage.IDLE, TurnStage.RECORDING_END)
_STAGES_WITH_OPEN_WORK = (TurnStage.THINKING, TurnStage.RETRYING, TurnStage.ACTING)


def on_cancel_turn(step: Transition, message: CancelTurn) -> None:
    """Stop the named turn, or remember not to start it."""
    turn = step.state
    if message.turn > turn.turn_number:
        step.update(cancelled_turns=turn.cancelled_turns | {message.turn})
    elif message.turn == turn.turn_number and turn.stage not in _INACTIVE_STAGES:
        _stop(step)


def cancel_all(step: Transition) -> None:
    """Stop the current turn and drop all queued prompts."""
    step.update(queued_prompts=())
    if step.state.stage not in _INACTIVE_STAGES:
        _stop(step)


def on_timer_stopped(step: Transition, message: TurnTimerStopped) -> None:
    """Store the remaining time; if there is none, stop the turn."""
    turn = step.state
    is_current = message.turn == turn.turn_number
    remaining_s = message.remaining_s if is_current else turn.timer.remaining_s
    timer = replace(turn.timer, remaining_s=remaining_s, is_running=False, is_pausing=False)
    step.update(timer=timer)
    is_active = turn.stage not in _INACTIVE_STAGES and not turn.is_stopping
    if is_current and message.remaining_s <= 0 and is_active:
        step.update(limit_reached=build_time_limit_reached(turn.totals.limits))
        _stop(step)


def update_timer(step: Transition) -> None:
    """Run the timer while the turn works; pause it while it waits for approval or a slot."""
    timer = step.state.timer
    if timer.remaining_s is not None and _is_working(step.state) and not timer.is_running:
        step.update(timer=replace(timer, is_running=True))
        step.emit(StartTimer(step.state.turn_number, timer.remaining_s))
    elif timer.is_running and not timer.is_pausing and not _is_working(step.state):
        step.update(timer=replace(timer, is_pausing=True))
        step.emit(PauseTimer())


def _is_working(turn: AgentState) -> bool:
    is_waiting = _has_open_approval(turn) or turn.slot is SlotState.PENDING
    return turn.stage not in _INACTIVE_STAGES and not turn.is_stopping and not is_waiting


def _has_open_approval(turn: AgentState) -> bool:
    return bool(turn.subagents.open_requests) or any(
        call.stage is CallStage.AWAITING_APPROVAL for call in turn.calls
    )


def _stop(step: Transition) -> None:
    """Withdraw approvals before aborting: the user must not be asked about a call being stopped."""
    turn = step.state
    if turn.is_stopping and turn.stage in _STAGES_WITH_OPEN_WORK:
        return  # already cancelled; its end will arrive
    step.update(is_stopping=True)
    if _has_open_approval(turn):
        step.emit(WithdrawSubtree(Address(turn.agent_address)))
    if turn.stage in (TurnStage.THINKING, TurnStage.RETRYING):
        step.emit(CancelModelRequest())
    elif turn.stage is TurnStage.ACTING:
        call_lifecycle.cancel_calls(step)
    else:
        step.interrupt_turn(turn.retry.partial_text)
