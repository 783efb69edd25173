"""What each report of the agent changes on the screen: one function an event, all pure."""

from dataclasses import replace
from typing import get_args

from messages.address import PRIMARY
from messages.approvals import DismissApproval, ShowApproval
from messages.content import ThinkingBlock, text_of
from messages.models import LimitReason
from messages.permissions import (
    ChangeModeFailed,
    DecisionExplained,
    GrantRevoked,
    ModeChanged,
    PolicySnapshot,
    ReplaceRulesFailed,
    RevokeGrantFailed,
    RulesReplaced,
    StoreGrantFailed,
)
from messages.subagents import SubagentEnded, SubagentQueued, SubagentStarted
from messages.turns import (
    AgentSwitched,
    ModelChanged,
    ModelRetrying,
    PersistenceChanged,
    ReplyCompleted,
    ReplyProgress,
    SessionConfigured,
    SwitchAgentFailed,
    TextDelta,
    ThinkingDelta,
    TodosUpdated,
    ToolEnded,
    ToolInputDelta,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
    UsageChanged,
)
from shell.inbox import ApprovalsReset, Event, Notice, SubagentEvent, TextDropped
from shell.intents import UserCommandEnded
from shell.view import below, blocks, details, modes, requests
from shell.view.details import Detail
from shell.view.disk import WRITTEN_AGAIN, unwritten
from shell.view.policy import policy_lines, told_of
from shell.view.state import (
    PrintMarkdown,
    PrintNotice,
    PrintOmission,
    PrintPrompt,
    Retrying,
    Running,
    RunningTurn,
    ScreenUpdate,
    State,
    flushed,
    handed_back,
    next_sent,
    questions_gone,
    retracted,
)
from shell.visible import visible

Answer = (
    UserCommandEnded
    | PolicySnapshot
    | RulesReplaced
    | ReplaceRulesFailed
    | GrantRevoked
    | RevokeGrantFailed
    | StoreGrantFailed
    | DecisionExplained
    | TextDropped
    | Notice
)
"""What the program tells besides what the agents do."""
MOST_LATE_CHARS = 4_000
"""So much text is still shown of a turn that is being interrupted."""


def received(state: State, event: Event, now_s: float) -> ScreenUpdate:  # noqa: C901, PLR0911, PLR0912  (a case an event)
    """Take in one event."""
    match event:
        case SessionConfigured():
            return _configured(state, event, now_s)
        case TurnStarted():
            return _started(state, event, now_s)
        case ToolInputDelta():
            return _heard(state, event.chars, now_s), ()
        case TextDelta() | ThinkingDelta():
            return _streamed(state, event, now_s)
        case ReplyProgress():
            return state, ()  # said of subagents only; what this one writes is streamed
        case ReplyCompleted():
            return _replied(state, event, now_s)
        case ModelRetrying():
            return _retrying(state, event, now_s)
        case ModelChanged():
            return _model_changed(state, event)
        case AgentSwitched() | SwitchAgentFailed() | ModeChanged() | ChangeModeFailed():
            return modes.received(state, event)
        case UsageChanged():
            return replace(state, usage=event), ()
        case ToolStarted():
            return _tool_started(state, event, now_s)
        case ToolEnded():
            return _tool_ended(state, event, now_s)
        case TodosUpdated():
            return replace(state, todos=event.todos), ()
        case TurnCompleted() | TurnInterrupted() | TurnFailed():
            return _ended(state, event, now_s)
        case PersistenceChanged():
            return _disk_changed(state, event)
        case SubagentEvent():
            return replace(state, below=below.heard(state.below, event, now_s)), ()
        case SubagentStarted() | SubagentQueued() | SubagentEnded():
            said = SubagentEvent(PRIMARY, event)
            return replace(state, below=below.heard(state.below, said, now_s)), ()
        case ShowApproval():
            return replace(state, requests=requests.presented(state.requests, event)), ()
        case DismissApproval():
            return retracted(state, event)
        case ApprovalsReset():
            return questions_gone(state)
        case _:
            return _told(state, event)


def _told(state: State, event: Answer) -> ScreenUpdate:
    """Take in what is only told, once: the answer to something that the person did."""
    match event:
        case UserCommandEnded():
            detail = Detail(f"! {event.command}", event.text)
            kept = details.kept(state.details, detail)
            return replace(state, own=None, details=kept), (event,)
        case PolicySnapshot():
            ceiling = state.session.max_mode if state.session else "yolo"
            told = policy_lines(event.policy, ceiling)
            return replace(state, listed=event.policy), (PrintNotice(told, "plain"),)
        case TextDropped():
            return state, (PrintOmission(event.chars),)
        case Notice():
            return state, (PrintNotice(event.text, "warn"),)
        case _:
            return state, (PrintNotice(*told_of(event)),)


def _configured(state: State, event: SessionConfigured, now_s: float) -> ScreenUpdate:
    if state.session is None:
        header: tuple[SessionConfigured, ...] = (event,)
    else:
        header = ()  # the agent was started again, which a notice says
        event = event.model_copy(update={"mode": state.session.mode})
    turn = None if event.running_turn is None else RunningTurn(began_s=now_s)
    well = PersistenceChanged(state="well")  # else it tells anew
    state, sent = next_sent(replace(state, session=event, turn=turn, disk=well), now_s)
    return state, (*header, *sent)


def _started(state: State, event: TurnStarted, now_s: float) -> ScreenUpdate:
    if state.turn:
        return state, ()
    return replace(state, turn=RunningTurn(began_s=now_s)), (PrintPrompt(event.prompt),)


def _heard(state: State, chars: int, now_s: float) -> State:
    """Note that the model is at work: it has written so much more."""
    if not state.turn:
        return state
    chars += state.turn.streamed_chars
    turn = replace(state.turn, streamed_chars=chars, retrying=None, heard_s=now_s)
    return replace(state, turn=turn)


def _streamed(state: State, event: TextDelta | ThinkingDelta, now_s: float) -> ScreenUpdate:
    state = _heard(state, len(event.text), now_s)
    turn = state.turn
    if turn is None or isinstance(event, ThinkingDelta):
        return state, ()  # late: its turn has ended, and the record of the reply is printed whole
    if turn.interrupting:
        turn = replace(turn, late_chars=turn.late_chars + len(event.text))
        if turn.late_chars > MOST_LATE_CHARS:
            return replace(state, turn=turn), (PrintOmission(len(event.text)),)
    finished, tail = blocks.feed(turn.tail, visible(event.text))
    turn = replace(turn, tail=tail, streamed=True)
    return replace(state, turn=turn), tuple(PrintMarkdown(block) for block in finished)


def _replied(state: State, event: ReplyCompleted, now_s: float) -> ScreenUpdate:
    turn = state.turn or RunningTurn(began_s=now_s)
    finished: tuple[str, ...] = ()
    if not turn.streamed:
        finished, tail = blocks.feed(turn.tail, visible(text_of(event.content)))
        turn = replace(turn, tail=tail)
    turn, last = flushed(turn)
    prose = (*(PrintMarkdown(block) for block in finished), *last)
    tokens = turn.tokens + event.usage.output_tokens
    turn = replace(turn, streamed=False, streamed_chars=0, tokens=tokens, retrying=None)
    thoughts = [block.thinking for block in event.content if isinstance(block, ThinkingBlock)]
    kept = details.kept(state.details, Detail("reasoning", "\n\n".join(thoughts)))
    return replace(state, turn=turn, details=kept), prose


def _retrying(state: State, event: ModelRetrying, now_s: float) -> ScreenUpdate:
    """Show the wait; text that has streamed is void, since the reply begins anew."""
    turn, prose = flushed(state.turn or RunningTurn(began_s=now_s))
    void = (PrintNotice("The reply was cut off here; it begins anew.", "warn"),)
    retrying = Retrying(event, until_s=now_s + event.wait_s)
    turn = replace(
        turn, streamed=False, streamed_chars=0, retrying=retrying, heard_s=retrying.until_s
    )
    return replace(state, turn=turn), (*prose, *(void if event.partial else ()))


def _model_changed(state: State, event: ModelChanged) -> ScreenUpdate:
    told = PrintNotice(f"The model is {event.model} from the next request on.")
    if state.session is None:
        return state, (told,)
    session = state.session.model_copy(update={"model": event.model})
    return replace(state, session=session), (told,)


def _disk_changed(state: State, event: PersistenceChanged) -> ScreenUpdate:
    """Keep the trouble for the footer; that it began and ended is told, but for a slow disk."""
    failed = state.disk.state == "failing"
    if event.state == state.disk.state:
        return state, ()  # several agents tell of the same
    state = replace(state, disk=event)
    if event.state == "failing":
        return state, (PrintNotice(unwritten(event), "bad"),)
    return state, (PrintNotice(WRITTEN_AGAIN, "plain"),) if failed else ()


def _tool_started(state: State, event: ToolStarted, now_s: float) -> ScreenUpdate:
    turn, prose = flushed(state.turn or RunningTurn(began_s=now_s))
    running = Running(event.call_id, event.title, now_s)
    return replace(state, turn=replace(turn, tools=(*turn.tools, running))), prose


def _tool_ended(state: State, event: ToolEnded, now_s: float) -> ScreenUpdate:
    turn, prose = flushed(state.turn or RunningTurn(began_s=now_s))
    tools = tuple(tool for tool in turn.tools if tool.call_id != event.call_id)
    kept = details.kept(
        state.details, Detail(event.title or event.tool, f"{event.text}\n{event.diff}")
    )
    state = replace(state, turn=replace(turn, tools=tools, heard_s=now_s), details=kept)
    return state, (*prose, event)


def _ended(
    state: State, event: TurnCompleted | TurnInterrupted | TurnFailed, now_s: float
) -> ScreenUpdate:
    _, prose = flushed(state.turn) if state.turn else (None, ())
    state = replace(state, turn=None)
    match event:
        case TurnCompleted():
            state, sent = next_sent(state, now_s)
            return state, (*prose, *sent)
        case TurnInterrupted():
            state, sent = next_sent(state, now_s)
            return state, (*prose, PrintNotice("Interrupted.", "warn"), *sent)
        case TurnFailed():
            state, refill = handed_back(state)
            return state, (*prose, _failure(event), *refill)


def _failure(event: TurnFailed) -> PrintNotice:
    if event.reason in get_args(LimitReason):
        return PrintNotice(f"The turn {event.detail}.", "warn")
    cut = ". What stands above of the reply is not all of it." if event.partial else ""
    return PrintNotice(f"The turn failed ({event.reason}): {event.detail}{cut}", "bad")
