"""What each report of the agent changes on the screen: one function an event, all pure."""

from dataclasses import replace
from typing import get_args

from messages.address import PRIMARY
from messages.approvals import DismissApproval, ShowApproval
from messages.content import ThinkingBlock, join_text
from messages.model_events import LimitReason
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
from shell.console.screen_events import (
    ApprovalsReset,
    Notice,
    ScreenEvent,
    SubagentEvent,
    TextDropped,
)
from shell.console.ui_commands import UserCommandEnded
from shell.text.sanitize import visible
from shell.view import approval_queue, full_output, markdown_blocks, mode_changes, subagent_list
from shell.view.full_output import FullOutput
from shell.view.policy_text import format_policy, format_policy_report
from shell.view.screen_state import (
    PendingRetry,
    PrintMarkdown,
    PrintNotice,
    PrintOmission,
    PrintPrompt,
    RunningTool,
    RunningTurn,
    ScreenState,
    ScreenUpdate,
    dismiss_approval,
    flush_tail,
    reset_approvals,
    restore_queued,
    send_next_prompt,
)
from shell.view.status_notices import PERSISTENCE_RECOVERED, format_write_failure

ProgramEvent = (
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
MAX_LATE_CHARS = 4_000
"""So much text is still shown of a turn that is being interrupted."""


def apply_event(state: ScreenState, event: ScreenEvent, now_s: float) -> ScreenUpdate:  # noqa: C901, PLR0911, PLR0912  (a case an event)
    """Take in one event."""
    match event:
        case SessionConfigured():
            return _configured(state, event, now_s)
        case TurnStarted():
            return _started(state, event, now_s)
        case ToolInputDelta():
            return _heard(state, event.char_count, now_s), ()
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
            return mode_changes.apply_mode_event(state, event)
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
            return replace(
                state, subagents=subagent_list.apply_subagent_event(state.subagents, event, now_s)
            ), ()
        case SubagentStarted() | SubagentQueued() | SubagentEnded():
            said = SubagentEvent(PRIMARY, event)
            return replace(
                state, subagents=subagent_list.apply_subagent_event(state.subagents, said, now_s)
            ), ()
        case ShowApproval():
            return replace(state, approvals=approval_queue.with_request(state.approvals, event)), ()
        case DismissApproval():
            return dismiss_approval(state, event)
        case ApprovalsReset():
            return reset_approvals(state)
        case _:
            return _told(state, event)


def _told(state: ScreenState, event: ProgramEvent) -> ScreenUpdate:
    """Take in what is only told, once: the answer to something that the person did."""
    match event:
        case UserCommandEnded():
            detail = FullOutput(f"! {event.command}", event.text)
            kept = full_output.with_full_output(state.full_outputs, detail)
            return replace(state, user_command=None, full_outputs=kept), (event,)
        case PolicySnapshot():
            ceiling = state.session.max_mode if state.session else "yolo"
            told = format_policy(event.policy, ceiling)
            return replace(state, listed_policy=event.policy), (PrintNotice(told, "plain"),)
        case TextDropped():
            return state, (PrintOmission(event.chars),)
        case Notice():
            return state, (PrintNotice(event.text, "warn"),)
        case _:
            return state, (PrintNotice(*format_policy_report(event)),)


def _configured(state: ScreenState, event: SessionConfigured, now_s: float) -> ScreenUpdate:
    if state.session is None:
        header: tuple[SessionConfigured, ...] = (event,)
    else:
        header = ()  # the agent was started again, which a notice says
        event = event.model_copy(update={"mode": state.session.mode})
    turn = None if event.running_turn is None else RunningTurn(started_s=now_s)
    well = PersistenceChanged(state="well")  # else it tells anew
    state, sent = send_next_prompt(
        replace(state, session=event, turn=turn, persistence=well), now_s
    )
    return state, (*header, *sent)


def _started(state: ScreenState, event: TurnStarted, now_s: float) -> ScreenUpdate:
    if state.turn:
        return state, ()
    return replace(state, turn=RunningTurn(started_s=now_s)), (PrintPrompt(event.prompt),)


def _heard(state: ScreenState, chars: int, now_s: float) -> ScreenState:
    """Note that the model is at work: it has written so much more."""
    if not state.turn:
        return state
    chars += state.turn.streamed_chars
    turn = replace(state.turn, streamed_chars=chars, pending_retry=None, last_activity_s=now_s)
    return replace(state, turn=turn)


def _streamed(state: ScreenState, event: TextDelta | ThinkingDelta, now_s: float) -> ScreenUpdate:
    state = _heard(state, len(event.text), now_s)
    turn = state.turn
    if turn is None or isinstance(event, ThinkingDelta):
        return state, ()  # late: its turn has ended, and the record of the reply is printed whole
    if turn.is_interrupting:
        turn = replace(turn, late_chars=turn.late_chars + len(event.text))
        if turn.late_chars > MAX_LATE_CHARS:
            return replace(state, turn=turn), (PrintOmission(len(event.text)),)
    finished, tail = markdown_blocks.feed_text(turn.tail, visible(event.text))
    turn = replace(turn, tail=tail, has_streamed_text=True)
    return replace(state, turn=turn), tuple(PrintMarkdown(block) for block in finished)


def _replied(state: ScreenState, event: ReplyCompleted, now_s: float) -> ScreenUpdate:
    turn = state.turn or RunningTurn(started_s=now_s)
    finished: tuple[str, ...] = ()
    if not turn.has_streamed_text:
        finished, tail = markdown_blocks.feed_text(turn.tail, visible(join_text(event.content)))
        turn = replace(turn, tail=tail)
    turn, last = flush_tail(turn)
    prose = (*(PrintMarkdown(block) for block in finished), *last)
    tokens = turn.output_tokens + event.usage.output_tokens
    turn = replace(
        turn, has_streamed_text=False, streamed_chars=0, output_tokens=tokens, pending_retry=None
    )
    thoughts = [block.thinking for block in event.content if isinstance(block, ThinkingBlock)]
    kept = full_output.with_full_output(
        state.full_outputs, FullOutput("reasoning", "\n\n".join(thoughts))
    )
    return replace(state, turn=turn, full_outputs=kept), prose


def _retrying(state: ScreenState, event: ModelRetrying, now_s: float) -> ScreenUpdate:
    """Show the wait; text that has streamed is void, since the reply begins anew."""
    turn, prose = flush_tail(state.turn or RunningTurn(started_s=now_s))
    void = (PrintNotice("The reply was cut off here; it begins anew.", "warn"),)
    retrying = PendingRetry(event, retry_at_s=now_s + event.wait_s)
    turn = replace(
        turn,
        has_streamed_text=False,
        streamed_chars=0,
        pending_retry=retrying,
        last_activity_s=retrying.retry_at_s,
    )
    return replace(state, turn=turn), (*prose, *(void if event.partial_text else ()))


def _model_changed(state: ScreenState, event: ModelChanged) -> ScreenUpdate:
    told = PrintNotice(f"The model is {event.model} from the next request on.")
    if state.session is None:
        return state, (told,)
    session = state.session.model_copy(update={"model": event.model})
    return replace(state, session=session), (told,)


def _disk_changed(state: ScreenState, event: PersistenceChanged) -> ScreenUpdate:
    """Keep the trouble for the footer; that it began and ended is told, but for a slow disk."""
    failed = state.persistence.state == "failing"
    if event.state == state.persistence.state:
        return state, ()  # several agents tell of the same
    state = replace(state, persistence=event)
    if event.state == "failing":
        return state, (PrintNotice(format_write_failure(event), "bad"),)
    return state, (PrintNotice(PERSISTENCE_RECOVERED, "plain"),) if failed else ()


def _tool_started(state: ScreenState, event: ToolStarted, now_s: float) -> ScreenUpdate:
    turn, prose = flush_tail(state.turn or RunningTurn(started_s=now_s))
    running = RunningTool(event.call_id, event.title, now_s)
    return replace(state, turn=replace(turn, running_tools=(*turn.running_tools, running))), prose


def _tool_ended(state: ScreenState, event: ToolEnded, now_s: float) -> ScreenUpdate:
    turn, prose = flush_tail(state.turn or RunningTurn(started_s=now_s))
    tools = tuple(tool for tool in turn.running_tools if tool.call_id != event.call_id)
    kept = full_output.with_full_output(
        state.full_outputs, FullOutput(event.title or event.tool, f"{event.text}\n{event.diff}")
    )
    state = replace(
        state, turn=replace(turn, running_tools=tools, last_activity_s=now_s), full_outputs=kept
    )
    return state, (*prose, event)


def _ended(
    state: ScreenState, event: TurnCompleted | TurnInterrupted | TurnFailed, now_s: float
) -> ScreenUpdate:
    _, prose = flush_tail(state.turn) if state.turn else (None, ())
    state = replace(state, turn=None)
    match event:
        case TurnCompleted():
            state, sent = send_next_prompt(state, now_s)
            return state, (*prose, *sent)
        case TurnInterrupted():
            state, sent = send_next_prompt(state, now_s)
            return state, (*prose, PrintNotice("Interrupted.", "warn"), *sent)
        case TurnFailed():
            state, refill = restore_queued(state)
            return state, (*prose, _failure(event), *refill)


def _failure(event: TurnFailed) -> PrintNotice:
    if event.reason in get_args(LimitReason):
        return PrintNotice(f"The turn {event.detail}.", "warn")
    cut = ". What stands above of the reply is not all of it." if event.partial_text else ""
    return PrintNotice(f"The turn failed ({event.reason}): {event.detail}{cut}", "bad")
