"""How a call ends: with its one result, after which the next begin or the turn goes on."""

from actors.agents.effects import PlanCall
from actors.agents.state import AgentState, CallStage, ToolCall, TurnStage
from actors.agents.step import Transition
from actors.agents.switching import awaited
from messages.turns import ToolEnded, ToolStarted, ToolStatus

NEVER_RAN = "Cancelled: the user interrupted the turn before this call ran."
CUT_SHORT = "Cancelled while it ran: the user interrupted the turn. Part of it may have happened."
NO_TIME = "Cancelled: the time limit ended the turn before this call ran."
CUT_BY_TIME = "Cancelled while it ran: the time was up. Part of it may have happened."
MOST_DIFF_CHARS = 20_000
"""So much of a diff is kept for people; the call itself has all of what is new."""
UNRECORDED = (
    "Not run: the session cannot be written ({detail}). Until it can, nothing is run that changes "
    "anything or that a person has to allow; what only reads works."
)


def start_ready(step: Transition) -> None:
    """Begin every call whose turn has come.

    A changing call waits for all before it and holds all after it; reading ones run side by side.
    All wait while another agent takes the session: it may do other things.
    """
    if awaited(step.turn):
        return
    open_before = False
    for call in step.turn.calls:
        if call.stage is CallStage.DONE:
            continue
        if call.stage is CallStage.WAITING and not (call.changes and open_before):
            step.put(call, stage=CallStage.PLANNING)
            step.do(PlanCall(call.use.id))
        if call.changes:
            return
        open_before = True


def end(step: Transition, call: ToolCall, status: ToolStatus, text: str) -> None:
    """Give a call its one result, and go on with the turn."""
    close(step, call, status, text)
    proceed(step)


def close(step: Transition, call: ToolCall, status: ToolStatus, text: str) -> None:
    """Give a call its one result."""
    requests = call.plan.requests if call.plan else ()
    ended = ToolEnded(
        turn=step.turn.number,
        call_id=call.use.id,
        tool=call.use.name,
        title=call.title,
        target=requests[0].target if requests else "",
        status=status,
        text=text,
        diff=_changed(call) if status == "ok" else "",
    )
    step.put(call, stage=CallStage.DONE)
    step.write(ended)
    step.report(ended)


def _changed(call: ToolCall) -> str:
    """Take the diff that was planned, and carried out to the letter."""
    patch = call.plan.patch if call.plan else None
    if patch is None or len(patch.diff) <= MOST_DIFF_CHARS:
        return patch.diff if patch else ""
    shown, _, rest = patch.diff[:MOST_DIFF_CHARS].rpartition("\n")
    left = patch.diff.count("\n", len(shown) + 1)
    return f"{shown}\n… +{left:,} lines\n" if shown else f"{rest}…\n"


def proceed(step: Transition) -> None:
    """Begin the calls whose turn has come; after the last result the turn goes on."""
    if any(each.stage is not CallStage.DONE for each in step.turn.calls):
        if not step.turn.stopping:
            start_ready(step)
    elif step.turn.stopping:
        step.interrupt()
    else:
        step.set(stage=TurnStage.SETTLING)


def started_of(step: Transition, call: ToolCall) -> ToolStarted:
    """Write down that a call begins."""
    return ToolStarted(
        turn=step.turn.number, call_id=call.use.id, tool=call.use.name, title=call.title
    )


def never_ran(turn: AgentState) -> str:
    """Tell the model who kept a call from running."""
    return NO_TIME if turn.limit else NEVER_RAN


def cut_short(turn: AgentState) -> str:
    """Tell the model who cut a call short."""
    return CUT_BY_TIME if turn.limit else CUT_SHORT


def unrecorded(turn: AgentState) -> str:
    """Tell the model why nothing may change."""
    return UNRECORDED.format(detail=turn.disk.detail)
