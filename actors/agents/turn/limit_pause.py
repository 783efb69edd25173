"""Pausing an agent's work at a limit, until the user has said whether to continue.

While it is paused, the agent starts no request, call or subagent, and its time does not run; what
runs already continues. The primary agent asks about its own limits and the token budget of the
tree, and pauses its subagents. Any agent asks about the spawn budget. Without a user, the question
is answered by `ApprovalUnavailable`, and the limit ends the work.
"""

from dataclasses import replace

from actors.agents.turn.agent_state import AgentState, LimitPause, SlotState
from actors.agents.turn.effects import AskAboutLimit, BroadcastToChildren, WithdrawSubtree
from actors.agents.turn.limits import (
    LimitReached,
    build_time_limit_reached,
    find_reached_limit,
    find_token_limit,
)
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import TurnStage
from messages.address import Address
from messages.approvals import WithdrawApprovals
from messages.subagents import AncestorBudgetExhausted, PauseWork, ResumeWork
from messages.user_questions import Choice, UserQuestion

HEADER = "Limit"
STOP = "Stop"


def format_continue(reached: LimitReached) -> str:
    """Return the choice that extends a limit."""
    return f"Continue with {reached.extension}"


def build_question(reached: LimitReached) -> UserQuestion:
    """Return the question whether to continue."""
    return UserQuestion(
        text=f"Paused {reached.detail.removeprefix('stopped ')}. Continue?",
        header=HEADER,
        choices=(Choice(label=format_continue(reached)), Choice(label=STOP)),
    )


def asks_user(state: AgentState) -> bool:
    """Return whether the agent asks about its requests and time: only the primary agent does.

    A subagent that reaches such a limit ends its task, and the agent that started it decides.
    """
    return state.slot is SlotState.NOT_NEEDED


def find_reached(state: AgentState) -> LimitReached | None:
    """Return the limit that forbids the next request, if any."""
    is_time_up = state.turn.timer.remaining_s == 0 and not state.turn.timer.is_running
    time_limit = build_time_limit_reached(state.totals.limits) if is_time_up else None
    return find_reached_limit(state.totals) or time_limit


def ask_user(step: Transition, reached: LimitReached) -> None:
    """Ask the user whether to continue, unless the user is being asked about a limit already."""
    pause = step.state.pause
    if pause.reached is not None:
        return
    question_id = pause.recorded_id
    if not question_id:
        number = step.state.turn.approval_count + 1
        step.update_turn(approval_count=number)
        question_id = step.state.identity.build_approval_id(number)
    step.update(pause=replace(pause, recorded_id="", question_id=question_id, reached=reached))
    step.emit(AskAboutLimit(question_id, reached.reason, reached.detail, build_question(reached)))
    if reached.pauses_subtree:
        broadcast(step, PauseWork())


def pause_turn(step: Transition, reached: LimitReached | None) -> None:
    """Send no request until the pause ends.

    A subagent that has used up its tokens waits for its ancestors, who know the same.
    """
    if reached is not None and asks_user(step.state):
        ask_user(step, reached)
    step.update_turn(stage=TurnStage.PAUSED)


def with_next_turn(state: AgentState) -> LimitPause:
    """Return the pause at the start of a turn: only an ancestor's limit still applies."""
    stopped = state.pause.stopped
    is_ancestors = stopped and stopped.reason == "token_budget" and not asks_user(state)
    return state.pause if is_ancestors else replace(state.pause, stopped=None)


def check_token_limit(step: Transition) -> None:
    """Ask the user once the subtree has used up the tokens of the primary agent."""
    stopped = step.state.pause.stopped
    if not asks_user(step.state) or (stopped and stopped.reason == "token_budget"):
        return
    reached = find_token_limit(step.state.totals)
    if reached is not None:
        ask_user(step, reached)


def may_start_child(step: Transition) -> bool:
    """Return whether the tokens allow another subagent; if not, the user is asked."""
    check_token_limit(step)
    return find_token_limit(step.state.totals) is None


def sync_new_child(step: Transition) -> None:
    """Send a child that has just started what its siblings were sent before."""
    check_token_limit(step)
    message = build_child_message(step.state)
    if message is not None:
        broadcast(step, message)


def build_child_message(state: AgentState) -> AncestorBudgetExhausted | PauseWork | None:
    """Return what a child must know that has just started, or that has lost it in a crash."""
    pause = state.pause
    if pause.stopped and pause.stopped.reason == "token_budget":
        return AncestorBudgetExhausted(detail=pause.stopped.detail)
    if pause.is_held or (pause.reached and pause.reached.pauses_subtree):
        return PauseWork()
    return None


def broadcast(step: Transition, message: PauseWork | ResumeWork | AncestorBudgetExhausted) -> None:
    """Send a message to all running children."""
    if any(child.is_alive for child in step.state.subagents.entries.values()):
        step.emit(BroadcastToChildren(message))


def withdraw_if_pointless(step: Transition) -> None:
    """Withdraw a question about a turn that has ended or is being stopped."""
    turn, pause = step.state.turn, step.state.pause
    is_over = turn.is_stopping or turn.stage in (TurnStage.IDLE, TurnStage.RECORDING_END)
    concerns_tree = pause.reached is not None and pause.reached.reason == "token_budget"
    if pause.reached is None or not is_over or (concerns_tree and not turn.is_stopping):
        return
    step.update(pause=replace(pause, question_id="", reached=None))
    if not turn.is_stopping:  # otherwise it was withdrawn when the turn was stopped
        withdrawal = WithdrawApprovals(
            under=Address(step.state.identity.address),
            except_under=step.state.subagents.list_independent(),
        )
        step.emit(WithdrawSubtree(withdrawal))
    if concerns_tree:
        broadcast(step, AncestorBudgetExhausted(detail=pause.reached.detail))
    elif pause.reached.pauses_subtree:
        broadcast(step, ResumeWork(tokens_left=step.state.totals.tokens_left))
