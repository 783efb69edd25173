"""How a call ends: with its one result, after which the next begin or the turn goes on."""

from actors.agents.turn.agent_state import AgentState, CallStage, ToolCall, TurnStage
from actors.agents.turn.agent_switch import is_switch_pending
from actors.agents.turn.effects import PlanCall
from actors.agents.turn.transition import Transition
from messages.turns import ToolEnded, ToolStarted, ToolStatus

INTERRUPTED_BEFORE_RUN = "Cancelled: the user interrupted the turn before this call ran."
INTERRUPTED_WHILE_RUNNING = (
    "Cancelled while it ran: the user interrupted the turn. Part of it may have happened."
)
TIMED_OUT_BEFORE_RUN = "Cancelled: the time limit ended the turn before this call ran."
TIMED_OUT_WHILE_RUNNING = "Cancelled while it ran: the time was up. Part of it may have happened."
MAX_DIFF_CHARS = 20_000
"""So much of a diff is kept for people; the call itself has all of what is new."""
SESSION_NOT_WRITABLE = (
    "Not run: the session cannot be written ({detail}). Until it can, nothing is run that changes "
    "anything or that a person has to allow; what only reads works."
)


def start_ready_calls(step: Transition) -> None:
    """Begin every call whose turn has come.

    A changing call waits for all before it and holds all after it; reading ones run side by side.
    All wait while another agent takes the session: it may do other things.
    """
    if is_switch_pending(step.state):
        return
    open_before = False
    for call in step.state.calls:
        if call.stage is CallStage.DONE:
            continue
        if call.stage is CallStage.WAITING and not (call.is_changing and open_before):
            step.update_call(call, stage=CallStage.PLANNING)
            step.emit(PlanCall(call.tool_use.id))
        if call.is_changing:
            return
        open_before = True


def end_call(step: Transition, call: ToolCall, status: ToolStatus, text: str) -> None:
    """Give a call its one result, and go on with the turn."""
    record_result(step, call, status, text)
    continue_turn(step)


def record_result(step: Transition, call: ToolCall, status: ToolStatus, text: str) -> None:
    """Give a call its one result."""
    requests = call.plan.requests if call.plan else ()
    ended = ToolEnded(
        turn=step.state.turn_number,
        call_id=call.tool_use.id,
        tool=call.tool_use.name,
        title=call.title,
        target=requests[0].target if requests else "",
        status=status,
        text=text,
        diff=_changed(call) if status == "ok" else "",
    )
    step.update_call(call, stage=CallStage.DONE)
    step.write(ended)
    step.publish(ended)


def _changed(call: ToolCall) -> str:
    """Take the diff that was planned, and carried out to the letter."""
    patch = call.plan.patch if call.plan else None
    if patch is None or len(patch.diff) <= MAX_DIFF_CHARS:
        return patch.diff if patch else ""
    shown, _, rest = patch.diff[:MAX_DIFF_CHARS].rpartition("\n")
    left = patch.diff.count("\n", len(shown) + 1)
    return f"{shown}\n… +{left:,} lines\n" if shown else f"{rest}…\n"


def continue_turn(step: Transition) -> None:
    """Begin the calls whose turn has come; after the last result the turn goes on."""
    if any(each.stage is not CallStage.DONE for each in step.state.calls):
        if not step.state.is_stopping:
            start_ready_calls(step)
    elif step.state.is_stopping:
        step.interrupt_turn()
    else:
        step.update(stage=TurnStage.RECORDING_RESULTS)


def build_tool_started(step: Transition, call: ToolCall) -> ToolStarted:
    """Write down that a call begins."""
    return ToolStarted(
        turn=step.state.turn_number,
        call_id=call.tool_use.id,
        tool=call.tool_use.name,
        title=call.title,
    )


def get_not_run_text(turn: AgentState) -> str:
    """Tell the model who kept a call from running."""
    return TIMED_OUT_BEFORE_RUN if turn.limit_reached else INTERRUPTED_BEFORE_RUN


def get_stopped_text(turn: AgentState) -> str:
    """Tell the model who cut a call short."""
    return TIMED_OUT_WHILE_RUNNING if turn.limit_reached else INTERRUPTED_WHILE_RUNNING


def get_not_writable_text(turn: AgentState) -> str:
    """Tell the model why nothing may change."""
    return SESSION_NOT_WRITABLE.format(detail=turn.persistence.detail)
