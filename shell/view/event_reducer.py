"""How each event changes the screen state. Pure: one function per event."""

from dataclasses import replace
from typing import get_args

from actors.agents.kinds.review_target import describe_target
from messages.address import PRIMARY
from messages.approvals import DismissApproval, ShowApproval
from messages.compaction import Compacted, CompactionFailed, ContextUsage
from messages.content import ThinkingBlock, join_text
from messages.failure_reasons import LimitReason
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
from messages.reviews import ReviewEnded, ReviewStarted
from messages.snapshots import ChangesUndone, SnapshotFailed, SnapshotTaken
from messages.steering import PromptDelivered, PromptsReturned
from messages.subagents import (
    NotificationDelivered,
    SubagentBackgrounded,
    SubagentEnded,
    SubagentQueued,
    SubagentsPaused,
    SubagentStarted,
)
from messages.turns import (
    AgentSwitched,
    CommandOutput,
    EffortChanged,
    ModelChanged,
    ModelRetrying,
    PersistenceChanged,
    ReplyActivity,
    ReplyCompleted,
    ReplyProgress,
    RequestPaused,
    RequestResumed,
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
    TurnNumberTaken,
    TurnStarted,
    UsageChanged,
)
from shell.console.screen_event_queue import (
    ApprovalsReset,
    DecisionLost,
    Notice,
    ScreenEvent,
    SubagentEvent,
    TextDropped,
)
from shell.console.ui_commands import UserCommandEnded
from shell.text.sanitize import sanitize_prose
from shell.view import full_output, markdown_blocks, mode_changes, subagent_states
from shell.view.call_text import describe_ended, describe_started
from shell.view.compaction_text import format_compaction, format_context_usage
from shell.view.full_output import FullOutput
from shell.view.held_lookups import hold_lookups
from shell.view.policy_text import format_policy, format_policy_report
from shell.view.queued_messages import (
    restore_returned,
    restore_unstarted,
    send_early_messages,
    send_under_next_number,
    show_delivered,
    synchronize_queue,
    take_queued,
)
from shell.view.review_text import format_review_end
from shell.view.screen_state import (
    MAX_INTERRUPTED_TEXT_CHARS,
    PrintCall,
    PrintMarkdown,
    PrintNotice,
    PrintOmission,
    PrintPrompt,
    PrintReview,
    RunningTool,
    RunningTurn,
    ScreenState,
    ScreenUpdate,
    dismiss_approval,
    flush_tail,
    reset_approvals,
    show_approval,
    show_undecided,
)
from shell.view.status_notices import (
    PERSISTENCE_RECOVERED,
    format_attached_files,
    format_effort,
    format_missing_snapshot,
    format_write_failure,
    list_attachment_problems,
)
from shell.view.subagent_rows import format_outcome
from shell.view.turn_summary import add_thinking_time, summarize_turn, take_thought
from shell.view.waiting_model_request import make_pending_request

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
    | ContextUsage
)
"""Events of the program itself, as opposed to those of agents."""


def apply_event(state: ScreenState, event: ScreenEvent, now_s: float) -> ScreenUpdate:
    """Apply one event; return the new state and its effects."""
    return hold_lookups(_apply_event(state, event, now_s))


def _apply_event(state: ScreenState, event: ScreenEvent, now_s: float) -> ScreenUpdate:  # noqa: C901, PLR0911, PLR0912  (one case per event)
    match event:
        case SessionConfigured():
            return _on_session_configured(state, event, now_s)
        case TurnStarted():
            return _on_turn_started(state, event, now_s)
        case ToolInputDelta():
            return _add_streamed_chars(state, event.char_count, now_s), ()
        case ReplyActivity():
            return _add_streamed_chars(state, 0, now_s), ()
        case TextDelta() | ThinkingDelta():
            return _on_delta(state, event, now_s)
        case ReplyProgress():
            return state, ()  # only for subagents; this agent's reply is streamed
        case ReplyCompleted():
            return _on_reply_completed(state, event, now_s)
        case ModelRetrying():
            return _on_model_retrying(state, event, now_s)
        case RequestPaused():
            return _wait_for_request(state, event, now_s), ()
        case RequestResumed():
            return _on_request_resumed(state, now_s), ()
        case EffortChanged():
            return _on_effort_changed(state, event)
        case ModelChanged():
            return _on_model_changed(state, event)
        case AgentSwitched() | SwitchAgentFailed() | ModeChanged() | ChangeModeFailed():
            return mode_changes.apply_mode_event(state, event)
        case UsageChanged():
            return replace(state, usage=event), ()
        case ToolStarted():
            return _on_tool_started(state, event, now_s)
        case CommandOutput():
            return _on_command_output(state, event), ()
        case ToolEnded():
            return _on_tool_ended(state, event, now_s)
        case TodosUpdated():
            return replace(state, todos=event.todos), ()
        case Compacted() | CompactionFailed():
            return state, (PrintNotice(*format_compaction(event)),)
        case ReviewStarted():
            return _on_review_started(state, event, now_s)
        case ReviewEnded():
            return _on_review_ended(state, event, now_s)
        case (SnapshotFailed() as failed) | SubagentEvent(_, SnapshotFailed() as failed):
            return state, (PrintNotice(format_missing_snapshot(failed)),)
        case PromptDelivered():
            return show_delivered(state, event)
        case PromptsReturned():
            return restore_returned(state, event)
        case TurnNumberTaken():
            return send_under_next_number(state, event)
        case TurnCompleted() | TurnInterrupted() | TurnFailed():
            return _on_turn_ended(state, event, now_s)
        case PersistenceChanged():
            return _on_persistence_changed(state, event)
        case SubagentEvent():
            return _on_subagent_event(state, event, now_s), _list_unsent(event)
        case (
            SubagentStarted()
            | SubagentQueued()
            | SubagentBackgrounded()
            | SubagentsPaused()
            | SubagentEnded()
        ):
            state = _on_subagent_event(state, SubagentEvent(PRIMARY, event), now_s)
            return state, _format_background_event(event)
        case NotificationDelivered() | SnapshotTaken() | ChangesUndone():
            return state, ()
        case ShowApproval():
            return show_approval(state, event.request)
        case DismissApproval():
            return dismiss_approval(state, event)
        case ApprovalsReset():
            return reset_approvals(state)
        case DecisionLost():
            return show_undecided(state, event.request_id)
        case _:
            return _on_program_event(state, event)


def _on_program_event(state: ScreenState, event: ProgramEvent) -> ScreenUpdate:
    """Print an event of the program, usually the outcome of a user's command."""
    match event:
        case UserCommandEnded():
            output = FullOutput(f"! {event.command}", event.text)
            outputs = full_output.with_full_output(state.full_outputs, output)
            return replace(state, user_command=None, full_outputs=outputs), (event,)
        case PolicySnapshot():
            max_mode = state.session.max_mode if state.session else "yolo"
            text = format_policy(event.policy, max_mode)
            return replace(state, listed_policy=event.policy), (PrintNotice(text, "plain"),)
        case ContextUsage():
            return state, (PrintNotice(format_context_usage(event), "plain"),)
        case TextDropped():
            return state, (PrintOmission(event.chars),)
        case Notice():
            return state, (PrintNotice(event.text, "warn"),)
        case _:
            return state, (PrintNotice(*format_policy_report(event)),)


def _on_subagent_event(state: ScreenState, event: SubagentEvent, now_s: float) -> ScreenState:
    subagents = subagent_states.apply_subagent_event(state.subagents, event, now_s)
    return replace(state, subagents=subagents)


def _format_background_event(
    event: SubagentStarted
    | SubagentQueued
    | SubagentBackgrounded
    | SubagentsPaused
    | SubagentEnded,
) -> tuple[PrintNotice, ...]:
    """Return a notice of what the user waits for without seeing it."""
    match event:
        case SubagentBackgrounded():
            text = f"{event.child.name} continues in the background."
        case SubagentsPaused():
            names = ", ".join(agent.name for agent in event.agents)
            text = f"Paused in the background: {names}. Open /tasks to continue or stop them."
        case SubagentEnded(notification=notification) if notification:
            outcome = format_outcome(event.status, event.detail)
            text = f"{event.child.name} has ended in the background: {outcome}."
        case _:
            return ()
    return (PrintNotice(text, "plain"),)


def _list_unsent(event: SubagentEvent) -> tuple[PrintNotice, ...]:
    """Return the messages to a subagent that it never received, as notices."""
    if not isinstance(event.event, PromptsReturned):
        return ()
    name = event.source.name
    return tuple(
        PrintNotice(f"Not sent to {name}: {prompt.text}", "warn") for prompt in event.event.prompts
    )


def _on_session_configured(
    state: ScreenState, event: SessionConfigured, now_s: float
) -> ScreenUpdate:
    is_restart = state.session is not None  # which a notice reports
    if state.session is not None:
        event = event.model_copy(update={"mode": state.session.mode})  # only the engine knows it
    turn = None if event.running_turn is None else RunningTurn(started_s=now_s)
    persistence = PersistenceChanged(state="ok")  # a restarted agent reports problems again
    next_turn = max(state.next_turn, event.next_turn)
    state = replace(state, session=event, turn=turn, persistence=persistence, next_turn=next_turn)
    if is_restart:
        return synchronize_queue(state, event)
    state, sent = send_early_messages(state, now_s)
    return state, (event, *sent)


def _on_turn_started(state: ScreenState, event: TurnStarted, now_s: float) -> ScreenUpdate:
    attached = format_attached_files(event)
    notices = (
        *((PrintNotice(attached),) if attached else ()),
        *(PrintNotice(problem, "warn") for problem in list_attachment_problems(event)),
    )
    if not event.has_prompt:
        next_turn = max(state.next_turn, event.turn + 1)
        turn = RunningTurn(started_s=now_s, has_prompt=False)
        return replace(state, next_turn=next_turn, turn=turn), notices
    state, queued = take_queued(state, event.turn)
    if state.turn and not queued:
        return state, notices  # it was printed when it was sent
    prompt = PrintPrompt(queued.text if queued else event.prompt)
    return replace(state, turn=RunningTurn(started_s=now_s)), (prompt, *notices)


def _add_streamed_chars(state: ScreenState, chars: int, now_s: float) -> ScreenState:
    """Record that the model is active and has written more characters."""
    if not state.turn:
        return state
    chars += state.turn.streamed_chars
    turn = replace(
        state.turn,
        has_reply_begun=True,
        streamed_chars=chars,
        pending_request=None,
        last_activity_s=now_s,
    )
    return replace(state, turn=turn)


def _on_delta(state: ScreenState, event: TextDelta | ThinkingDelta, now_s: float) -> ScreenUpdate:
    if state.turn and isinstance(event, ThinkingDelta):
        state = replace(state, turn=add_thinking_time(state.turn, now_s))
    state = _add_streamed_chars(state, len(event.text), now_s)
    turn = state.turn
    if turn is None or isinstance(event, ThinkingDelta):
        return state, ()  # text after the end of its turn: the completed reply is printed whole
    if turn.is_interrupting:
        turn = replace(turn, late_chars=turn.late_chars + len(event.text))
        if turn.late_chars > MAX_INTERRUPTED_TEXT_CHARS:
            return replace(state, turn=turn), (PrintOmission(len(event.text)),)
    finished, tail = markdown_blocks.feed_text(turn.tail, sanitize_prose(event.text))
    turn, thought = take_thought(replace(turn, tail=tail, has_streamed_text=True))
    prose = tuple(PrintMarkdown(block) for block in finished)
    return replace(state, turn=turn), (*thought, *prose)


def _on_reply_completed(state: ScreenState, event: ReplyCompleted, now_s: float) -> ScreenUpdate:
    turn = state.turn or RunningTurn(started_s=now_s)
    finished: tuple[str, ...] = ()
    if not turn.has_streamed_text:
        finished, tail = markdown_blocks.feed_text(
            turn.tail, sanitize_prose(join_text(event.content))
        )
        turn = replace(turn, tail=tail)
    turn, last = flush_tail(turn)
    prose = (*(PrintMarkdown(block) for block in finished), *last)
    tokens = turn.output_tokens + event.usage.output_tokens
    turn = replace(
        turn,
        has_streamed_text=False,
        has_reply_begun=False,
        streamed_chars=0,
        output_tokens=tokens,
        pending_request=None,
        last_activity_s=now_s,
    )
    thoughts = [block.thinking for block in event.content if isinstance(block, ThinkingBlock)]
    outputs = full_output.with_full_output(
        state.full_outputs, FullOutput("reasoning", "\n\n".join(thoughts))
    )
    return replace(state, turn=turn, full_outputs=outputs), prose


def _on_model_retrying(state: ScreenState, event: ModelRetrying, now_s: float) -> ScreenUpdate:
    """Show the wait; text already streamed is discarded, since the reply starts over."""
    turn, prose = flush_tail(state.turn or RunningTurn(started_s=now_s))
    notice = PrintNotice("The reply was interrupted here and starts over.", "warn")
    turn = replace(turn, has_streamed_text=False, has_reply_begun=False, streamed_chars=0)
    state = _wait_for_request(replace(state, turn=turn), event, now_s)
    notices = (notice,) if event.partial_text else ()
    if event.reason == "setting_rejected":  # stays on screen, because it applies from now on
        notices = (*notices, PrintNotice(f"{event.detail}.", "warn"))
    return state, (*prose, *notices)


def _wait_for_request(
    state: ScreenState, event: ModelRetrying | RequestPaused, now_s: float
) -> ScreenState:
    """Show why the next request is not sent yet; the wait for the model begins after it."""
    pending = make_pending_request(event, now_s)
    turn = state.turn or RunningTurn(started_s=now_s)
    turn = replace(turn, pending_request=pending, last_activity_s=pending.due_s)
    return replace(state, turn=turn)


def _on_request_resumed(state: ScreenState, now_s: float) -> ScreenState:
    if state.turn is None:
        return state
    return replace(state, turn=replace(state.turn, pending_request=None, last_activity_s=now_s))


def _on_model_changed(state: ScreenState, event: ModelChanged) -> ScreenUpdate:
    notice = PrintNotice(f"The next request uses {event.model}.")
    if state.session is None:
        return state, (notice,)
    session = state.session.model_copy(update={"model": event.model})
    return replace(state, session=session), (notice,)


def _on_effort_changed(state: ScreenState, event: EffortChanged) -> ScreenUpdate:
    notice = PrintNotice(f"The next request uses the effort {format_effort(event.effort)}.")
    if state.session is None:
        return state, (notice,)
    session = state.session.model_copy(update={"effort": event.effort})
    return replace(state, session=session), (notice,)


def _on_persistence_changed(state: ScreenState, event: PersistenceChanged) -> ScreenUpdate:
    """Store the status for the footer; announce failure and recovery, but not a slow disk."""
    was_failing = state.persistence.state == "failing"
    if event.state == state.persistence.state:
        return state, ()  # several agents report the same problem
    state = replace(state, persistence=event)
    if event.state == "failing":
        return state, (PrintNotice(format_write_failure(event), "bad"),)
    return state, (PrintNotice(PERSISTENCE_RECOVERED, "plain"),) if was_failing else ()


def _on_review_started(state: ScreenState, event: ReviewStarted, now_s: float) -> ScreenUpdate:
    starts = {**state.review_starts, event.id: now_s}
    notice = PrintNotice(
        f"Reviewing {describe_target(event.target)}. You can continue; /tasks shows the review."
    )
    return replace(state, review_starts=starts), (notice,)


def _on_review_ended(state: ScreenState, event: ReviewEnded, now_s: float) -> ScreenUpdate:
    started_s = state.review_starts.get(event.id)
    starts = {id_: start for id_, start in state.review_starts.items() if id_ != event.id}
    state = replace(state, review_starts=starts)
    if event.output is None:
        return state, (PrintNotice(*format_review_end(event)),)
    if event.output.findings:
        state = replace(state, last_review=event, enter_opens_findings=True)
    cwd = state.session.cwd if state.session else ""
    duration_s = None if started_s is None else now_s - started_s
    return state, (PrintReview(event, cwd, duration_s),)


def _on_tool_started(state: ScreenState, event: ToolStarted, now_s: float) -> ScreenUpdate:
    turn, prose = flush_tail(state.turn or RunningTurn(started_s=now_s))
    tool = RunningTool(event.call_id, describe_started(event), now_s)
    return replace(state, turn=replace(turn, running_tools=(*turn.running_tools, tool))), prose


def _on_command_output(state: ScreenState, event: CommandOutput) -> ScreenState:
    if state.turn is None:
        return state
    tools = tuple(
        replace(tool, output=event.text) if tool.call_id == event.call_id else tool
        for tool in state.turn.running_tools
    )
    return replace(state, turn=replace(state.turn, running_tools=tools))


def _on_tool_ended(state: ScreenState, event: ToolEnded, now_s: float) -> ScreenUpdate:
    turn, prose = flush_tail(state.turn or RunningTurn(started_s=now_s))
    tools = tuple(tool for tool in turn.running_tools if tool.call_id != event.call_id)
    starts = (tool.started_s for tool in turn.running_tools if tool.call_id == event.call_id)
    started_s = next(starts, None)
    outputs = full_output.with_full_output(
        state.full_outputs, FullOutput(describe_ended(event), f"{event.text}\n{event.diff}")
    )
    state = replace(
        state, turn=replace(turn, running_tools=tools, last_activity_s=now_s), full_outputs=outputs
    )
    duration_s = None if started_s is None else now_s - started_s
    return state, (*prose, PrintCall(event, duration_s))


def _on_turn_ended(
    state: ScreenState, event: TurnCompleted | TurnInterrupted | TurnFailed, now_s: float
) -> ScreenUpdate:
    turn, prose = flush_tail(state.turn) if state.turn else (None, ())
    state, restored = restore_unstarted(
        replace(state, turn=None), event.turn, has_prompt=turn is None or turn.has_prompt
    )
    match event:
        case TurnCompleted():
            return state, (*prose, *summarize_turn(turn, event.usage, now_s))
        case TurnInterrupted():
            return state, (*prose, PrintNotice("Interrupted.", "warn"), *restored)
        case TurnFailed():
            return state, (*prose, _describe_failure(event), *restored)


def _describe_failure(event: TurnFailed) -> PrintNotice:
    if event.reason in get_args(LimitReason):
        return PrintNotice(f"The turn {event.detail}.", "warn")
    incomplete = ". The reply above is incomplete." if event.partial_text else ""
    return PrintNotice(f"The turn failed ({event.reason}): {event.detail}{incomplete}", "bad")
