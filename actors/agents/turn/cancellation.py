"""How a running turn is stopped: by the user or by its time limit."""

from dataclasses import replace

from actors.agents.turn import (
    background_tasks,
    call_lifecycle,
    limit_pause,
    prompt_context,
    steering,
)
from actors.agents.turn.agent_state import AgentState, SlotState
from actors.agents.turn.effects import (
    CancelModelRequest,
    PauseTimer,
    ReportDroppedTask,
    StartTimer,
    WithdrawSubtree,
)
from actors.agents.turn.limits import LimitReached, build_time_limit_reached
from actors.agents.turn.self_messages import TurnTimerStopped
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import TurnStage
from messages.address import Address
from messages.approvals import WithdrawApprovals
from messages.turns import CancelTurn

_STAGES_WITH_OPEN_WORK = (TurnStage.THINKING, TurnStage.RETRYING, TurnStage.ACTING)


def on_cancel_turn(step: Transition, message: CancelTurn) -> None:
    """Stop the named turn, or remember not to start it."""
    turn = step.state.turn
    if message.turn > turn.number:
        step.update(prompts=step.state.prompts.with_cancelled(message.turn))
    elif message.turn == turn.number and turn.is_active:
        _stop(step)


def cancel_all(step: Transition) -> None:
    """Stop the current turn, drop all queued tasks and return the user's prompts."""
    for prompt in step.state.prompts.queued:
        if prompt.task_number:
            step.emit(ReportDroppedTask(prompt.task_number))
    steering.return_prompts(step)
    step.update(prompts=step.state.prompts.without_prompts())
    background_tasks.stop_all(step)
    if step.state.turn.is_active:
        _stop(step)


def cancel_task(step: Transition, task_number: int) -> None:
    """Stop the turn of a task, or drop the task if its turn has not started.

    After a resume, the turn of an earlier task may still be open; it stops as well. A task whose
    turn has ended, or is ending, has reported its end.
    """
    turn, prompts = step.state.turn, step.state.prompts
    if prompts.has_not_started(task_number):
        step.update(prompts=prompts.without_task(task_number))
        step.emit(ReportDroppedTask(task_number))
    if turn.is_active and 0 < turn.task_number <= task_number:
        _stop(step)


def on_timer_stopped(step: Transition, message: TurnTimerStopped) -> None:
    """Store the remaining time; if there is none, ask the user or stop the turn."""
    turn = step.state.turn
    is_current = message.turn == turn.number
    remaining_s = message.remaining_s if is_current else turn.timer.remaining_s
    timer = replace(turn.timer, remaining_s=remaining_s, is_running=False, is_pausing=False)
    step.update_turn(timer=timer)
    if is_current and message.remaining_s <= 0 and turn.is_active and not turn.is_stopping:
        reached = build_time_limit_reached(step.state.totals.limits)
        if limit_pause.asks_user(step.state):
            limit_pause.ask_user(step, reached)
        else:
            stop_at_limit(step, reached)


def stop_at_limit(step: Transition, reached: LimitReached) -> None:
    """Stop the turn because of a limit."""
    if step.state.turn.is_active and not step.state.turn.is_stopping:
        step.update_turn(limit_reached=reached)
        _stop(step)


def update_timer(step: Transition) -> None:
    """Run the timer while the turn works; pause it while it waits for approval or a slot."""
    turn = step.state.turn
    timer = turn.timer
    if timer.remaining_s is not None and _is_working(step.state) and not timer.is_running:
        step.update_turn(timer=replace(timer, is_running=True))
        step.emit(StartTimer(turn.number, timer.remaining_s))
    elif timer.is_running and not timer.is_pausing and not _is_working(step.state):
        step.update_turn(timer=replace(timer, is_pausing=True))
        step.emit(PauseTimer())


def _is_working(state: AgentState) -> bool:
    is_asking = _has_open_approval(state) or state.pause.is_paused
    is_waiting = is_asking or state.slot is SlotState.PENDING
    return state.turn.is_active and not state.turn.is_stopping and not is_waiting


def _has_open_approval(state: AgentState) -> bool:
    """Return whether the user is asked about a call of the turn, or of a subagent it waits for."""
    if state.turn.has_open_approval or state.pause.question_id:
        return True
    if not state.subagents.open_requests:
        return False
    background = state.subagents.list_background()
    return any(
        not any(request.agent.is_under(child.address) for child in background)
        for request in state.subagents.open_requests.values()
    )


def _stop(step: Transition) -> None:
    """Withdraw approvals before aborting: the user must not be asked about a call being stopped.

    An interactive subagent may be asking for the user's own turn. If it works for this one, it
    withdraws its requests when it is stopped. A background task does not belong to the turn.
    """
    turn = step.state.turn
    if turn.is_stopping and turn.stage in _STAGES_WITH_OPEN_WORK:
        return  # already cancelled; its end will arrive
    step.update_turn(is_stopping=True)
    if _has_open_approval(step.state):
        withdrawal = WithdrawApprovals(
            under=Address(step.state.identity.address),
            except_under=step.state.subagents.list_independent(),
        )
        step.emit(WithdrawSubtree(withdrawal))
    if turn.stage in (TurnStage.THINKING, TurnStage.RETRYING):
        step.emit(CancelModelRequest())
    elif turn.stage is TurnStage.ACTING:
        call_lifecycle.cancel_calls(step)
    else:
        prompt_context.interrupt_preparation(step)
        step.interrupt_turn(turn.retry.partial_text)
