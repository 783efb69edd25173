"""How a pause at a limit ends: by the user's answer, or by the ancestor that asked."""

from dataclasses import replace

from actors.agents.turn import cancellation, subagent_tasks
from actors.agents.turn.call_completion import start_ready_calls
from actors.agents.turn.effects import ExtendSpawnBudget
from actors.agents.turn.limit_pause import broadcast, format_continue
from actors.agents.turn.limits import LimitReached
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import CallStage, TurnStage
from messages.approvals import ApprovalDecided, ApprovalUnavailable
from messages.subagents import AncestorBudgetExhausted, PauseWork, ResumeWork

PauseInput = PauseWork | ResumeWork | AncestorBudgetExhausted
"""What an ancestor sends about a limit."""


def on_answer(step: Transition, outcome: ApprovalDecided | ApprovalUnavailable) -> None:
    """Extend the limit, or let it end the turn."""
    reached = step.state.pause.reached
    if reached is None:
        return
    step.update(pause=replace(step.state.pause, question_id="", reached=None))
    if isinstance(outcome, ApprovalDecided) and outcome.answers == (format_continue(reached),):
        _extend(step, reached)
    else:
        _stop(step, reached)


def handle(step: Transition, message: PauseInput) -> None:
    """Pause or continue as an ancestor does, and so do the agent's own children."""
    pause = step.state.pause
    match message:
        case PauseWork():
            step.update(pause=replace(pause, is_held=True))
        case ResumeWork():
            totals = step.state.totals.with_tokens_left(message.tokens_left)
            step.update(pause=replace(pause, is_held=False, stopped=None), totals=totals)
        case AncestorBudgetExhausted():
            stopped = LimitReached("token_budget", message.detail)
            step.update(pause=replace(pause, is_held=False, stopped=stopped))
    broadcast(step, message)
    _continue(step)


def _extend(step: Transition, reached: LimitReached) -> None:
    totals = step.state.totals.with_extension(reached.reason)
    step.update(totals=totals)
    if reached.reason == "time_limit":
        timer = replace(step.state.turn.timer, remaining_s=totals.limits.seconds)
        step.update_turn(timer=timer)
    elif reached.reason == "spawn_budget":
        step.emit(ExtendSpawnBudget(reached.spawn_limit))
    if reached.pauses_subtree:
        broadcast(step, ResumeWork(tokens_left=totals.tokens_left))
    _continue(step)


def _stop(step: Transition, reached: LimitReached) -> None:
    """Stop the turn at once if its time is up; otherwise, end it before its next request."""
    if reached.reason == "time_limit":
        cancellation.stop_at_limit(step, reached)
        broadcast(step, ResumeWork(tokens_left=step.state.totals.tokens_left))
        return
    step.update(pause=replace(step.state.pause, stopped=reached))
    if reached.reason == "token_budget":
        broadcast(step, AncestorBudgetExhausted(detail=reached.detail))
    _continue(step)


def _continue(step: Transition) -> None:
    """Continue where the pause began, unless another one goes on."""
    if step.state.pause.is_paused:
        return
    turn = step.state.turn
    if turn.stage is TurnStage.PAUSED:
        step.update_turn(stage=TurnStage.RECORDING_RESULTS)
    elif turn.stage is TurnStage.ACTING and not turn.is_stopping:
        for call in turn.calls:
            if call.stage is CallStage.AWAITING_BUDGET:
                subagent_tasks.repeat_spawn_request(step, call)
        start_ready_calls(step)
