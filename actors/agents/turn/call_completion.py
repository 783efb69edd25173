"""How a tool call ends: its one result, and what the turn does next."""

from actors.agents.turn.agent_switch import is_switch_pending
from actors.agents.turn.effects import PlanCall
from actors.agents.turn.notifications import deliver_notifications
from actors.agents.turn.persistence_state import PersistenceState
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import CallStage, ToolCall, TurnStage, TurnState
from messages.turns import ToolEnded, ToolStarted, ToolStatus

INTERRUPTED_BEFORE_RUN = "Cancelled: the user interrupted the turn before this call ran."
INTERRUPTED_WHILE_RUNNING = (
    "Cancelled while running: the user interrupted the turn. The call may have taken partial "
    "effect."
)
TIMED_OUT_BEFORE_RUN = "Cancelled: the time limit ended the turn before this call ran."
TIMED_OUT_WHILE_RUNNING = (
    "Cancelled while running: the time limit ended the turn. The call may have taken partial "
    "effect."
)
MAX_DIFF_CHARS = 20_000
"""Longest diff in a result, which only the user sees; the call itself has the whole text."""
SESSION_NOT_WRITABLE = (
    "Not run: the session cannot be saved ({detail}). Until it can, no call runs that changes "
    "anything or needs the user's approval; calls that only read still work."
)


def start_ready_calls(step: Transition) -> None:
    """Plan every call that may start now.

    A changing call waits for all calls before it and blocks all calls after it; calls that only
    read run in parallel. A command blocks the calls after it until the permission engine has found
    that it only reads, and is planned early for that: nothing before it changes anything. All wait
    while a switch of the agent is pending, which may change rights, and while work is paused.
    """
    if is_switch_pending(step.state) or step.state.pause.is_paused:
        return
    for call in step.state.turn.calls:
        if call.stage is CallStage.DONE:
            continue
        may_start = (
            not call.runs_alone or call.is_undecided or is_alone(step.state.turn.calls, call)
        )
        if call.stage is CallStage.WAITING and may_start:
            step.update_call(call, stage=CallStage.PLANNING)
            step.emit(PlanCall(call.tool_use.id))
        if call.runs_alone:
            return


def is_alone(calls: tuple[ToolCall, ...], call: ToolCall) -> bool:
    """Return whether all calls before it have ended, and none after it is in progress."""
    at = calls.index(call)
    return all(each.stage is CallStage.DONE for each in calls[:at]) and all(
        each.stage in (CallStage.DONE, CallStage.WAITING) for each in calls[at + 1 :]
    )


def end_call(
    step: Transition, call: ToolCall, status: ToolStatus, text: str, *, no_user: bool = False
) -> None:
    """Record a call's one result and continue the turn."""
    record_result(step, call, status, text, no_user=no_user)
    continue_turn(step)


def record_result(
    step: Transition, call: ToolCall, status: ToolStatus, text: str, *, no_user: bool = False
) -> None:
    """Record a call's one result."""
    requests = call.plan.requests if call.plan else ()
    if call.plan and call.plan.argument_note:
        text = f"{text}\n{call.plan.argument_note}"
    ended = ToolEnded(
        turn=step.state.turn.number,
        call_id=call.tool_use.id,
        tool=call.tool_use.name,
        title=call.title,
        target=requests[0].target if requests else "",
        status=status,
        text=text,
        diff=_truncate_diff(call) if status == "ok" else "",
        observed_files=call.observed_files,
        no_user=no_user,
    )
    step.update_call(call, stage=CallStage.DONE)
    step.write(ended)
    step.publish(ended)


def _truncate_diff(call: ToolCall) -> str:
    """Return the planned diff, which is exactly what was done, cut at a line end if it is long."""
    patch = call.plan.patch if call.plan else None
    if patch is None or len(patch.diff) <= MAX_DIFF_CHARS:
        return patch.diff if patch else ""
    whole_lines, _, last_line = patch.diff[:MAX_DIFF_CHARS].rpartition("\n")
    omitted_lines = patch.diff.count("\n", len(whole_lines) + 1)
    return f"{whole_lines}\n… +{omitted_lines:,} lines\n" if whole_lines else f"{last_line}…\n"


def continue_turn(step: Transition) -> None:
    """Start the calls that are ready; after the last result, end the acting stage."""
    if any(call.stage is not CallStage.DONE for call in step.state.turn.calls):
        if not step.state.turn.is_stopping:
            start_ready_calls(step)
    elif step.state.turn.is_stopping:
        step.interrupt_turn()
    else:
        deliver_notifications(step)
        step.update_turn(stage=TurnStage.RECORDING_RESULTS)


def build_tool_started(step: Transition, call: ToolCall) -> ToolStarted:
    """Return the record of a call's start."""
    return ToolStarted(
        turn=step.state.turn.number,
        call_id=call.tool_use.id,
        tool=call.tool_use.name,
        title=call.title,
        sandbox=call.sandbox,
    )


def get_not_run_text(turn: TurnState) -> str:
    """Return the result of a call that was cancelled before it ran."""
    return TIMED_OUT_BEFORE_RUN if turn.limit_reached else INTERRUPTED_BEFORE_RUN


def get_stopped_text(turn: TurnState) -> str:
    """Return the result of a call that was cancelled while it ran."""
    return TIMED_OUT_WHILE_RUNNING if turn.limit_reached else INTERRUPTED_WHILE_RUNNING


def get_not_writable_text(persistence: PersistenceState) -> str:
    """Return the result of a call that cannot run because the session cannot be saved."""
    return SESSION_NOT_WRITABLE.format(detail=persistence.status.detail)
