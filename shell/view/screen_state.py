"""What the screen knows, and how it changes: `(state, happening) -> (state, effects)`.

Pure: it needs no terminal, and the components that draw it never change it.
"""

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from messages.address import PRIMARY
from messages.approvals import ApprovalDecision, DismissApproval, QuestionRequest, SubmitDecision
from messages.base import Message
from messages.policy import PermissionMode, Policy
from messages.todos import Todo
from messages.turns import (
    ModelRetrying,
    PersistenceChanged,
    SessionConfigured,
    ToolEnded,
    UsageChanged,
)
from shell.console.ui_commands import (
    InterruptTurn,
    RunUserCommand,
    SendPrompt,
    StopUserCommand,
    UserCommandEnded,
)
from shell.view import approval_queue, markdown_blocks
from shell.view.approval_queue import ApprovalQueue
from shell.view.full_output import FullOutput
from shell.view.markdown_blocks import MarkdownTail
from shell.view.subagent_list import SubagentList


@dataclass(frozen=True, slots=True)
class RunningTool:
    """A tool call that is at work."""

    call_id: str
    title: str
    started_s: float


@dataclass(frozen=True, slots=True)
class PendingRetry:
    """A request that failed and waits to be sent again."""

    event: ModelRetrying
    retry_at_s: float


@dataclass(frozen=True, slots=True)
class RunningTurn:
    """The turn that runs."""

    started_s: float
    tail: MarkdownTail = field(default_factory=MarkdownTail)
    has_streamed_text: bool = False
    """Text of the reply in hand has come."""
    running_tools: tuple[RunningTool, ...] = ()
    output_tokens: int = 0
    """Output of its whole replies, as the API counts it."""
    streamed_chars: int = 0
    """Of the reply in hand; four of them are about a token."""
    pending_retry: PendingRetry | None = None
    last_activity_s: float = float("-inf")
    """When the model or a tool last said something, or is to be asked again."""
    is_interrupting: bool = False
    late_chars: int = 0
    """What came of text since."""


@dataclass(frozen=True, slots=True)
class UserCommand:
    """A command of the person's own, while it runs."""

    command: str
    started_s: float
    is_stopping: bool = False


@dataclass(frozen=True, slots=True)
class PendingMode:
    """The mode as the person set it, until it is known to be so."""

    mode: PermissionMode | None = None
    """What is to be at work."""
    session_mode: PermissionMode | None = None
    """What the session was told to be set to."""
    is_passing_through: bool = False
    """Shift-Tab has just come by auto-edit, in which nothing was begun."""
    is_named_by_user: bool = False
    """The person named it, and is told what it means once it is so."""


@dataclass(frozen=True, slots=True)
class ScreenState:
    """Everything that is drawn, the input line aside."""

    session: SessionConfigured | None = None
    turn: RunningTurn | None = None
    queued_prompts: tuple[str, ...] = ()
    """Messages that go out one by one as turns end."""
    usage: UsageChanged | None = None
    """How full the conversation is, and what was used in all."""
    persistence: PersistenceChanged = PersistenceChanged(state="well")  # noqa: RUF009  (frozen, so it may be shared)
    approvals: ApprovalQueue = field(default_factory=ApprovalQueue)
    todos: tuple[Todo, ...] = ()
    user_command: UserCommand | None = None
    subagents: SubagentList = field(default_factory=SubagentList)
    """The agents below the one that is talked with."""
    pending_mode: PendingMode = field(default_factory=PendingMode)
    listed_policy: Policy | None = None
    """What `/permissions` showed last; its numbers are what can be taken back."""
    full_outputs: tuple[FullOutput, ...] = ()
    """What was shown shortened, the newest last."""


@dataclass(frozen=True, slots=True)
class PrintPrompt:
    """Print what the person said."""

    text: str


@dataclass(frozen=True, slots=True)
class PrintMarkdown:
    """Print a finished block of the model's Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class PrintNotice:
    """Print one remark of ours."""

    text: str
    tone: str = "dim"


@dataclass(frozen=True, slots=True)
class SendCommand:
    """Tell the console what the person wants."""

    command: Message


@dataclass(frozen=True, slots=True)
class PrintOmission:
    """Print that so much of the model's text is not shown."""

    chars: int


@dataclass(frozen=True, slots=True)
class RestoreDraft:
    """Put text back into the input, before what is there."""

    text: str


Printable: TypeAlias = (
    PrintPrompt
    | PrintMarkdown
    | PrintOmission
    | PrintNotice
    | ToolEnded
    | UserCommandEnded
    | SessionConfigured
)
ScreenEffect: TypeAlias = Printable | SendCommand | RestoreDraft
ScreenUpdate: TypeAlias = tuple[ScreenState, tuple[ScreenEffect, ...]]


def submit_prompt(state: ScreenState, text: str, now_s: float) -> ScreenUpdate:
    """Take a message of the person: sent when nothing runs, else queued."""
    if state.turn or not state.session:
        return replace(state, queued_prompts=(*state.queued_prompts, text)), ()
    wish = replace(state.pending_mode, is_passing_through=False)
    state = replace(state, turn=RunningTurn(started_s=now_s), pending_mode=wish)
    return state, (PrintPrompt(text), SendCommand(SendPrompt(text=text)))


def send_next_prompt(state: ScreenState, now_s: float) -> ScreenUpdate:
    """Send the first queued message, if nothing runs."""
    if not state.queued_prompts or state.turn or not state.session:
        return state, ()
    text, *rest = state.queued_prompts
    return submit_prompt(replace(state, queued_prompts=tuple(rest)), text, now_s)


def restore_last_queued(state: ScreenState) -> ScreenUpdate:
    """Put the last queued message into the input."""
    if not state.queued_prompts:
        return state, ()
    return replace(state, queued_prompts=state.queued_prompts[:-1]), (
        RestoreDraft(state.queued_prompts[-1]),
    )


def restore_queued(state: ScreenState) -> ScreenUpdate:
    """Put the queued messages into the input; before the agent is ready they just wait."""
    if not state.queued_prompts or not state.session:
        return state, ()
    return replace(state, queued_prompts=()), (RestoreDraft("\n".join(state.queued_prompts)),)


def run_user_command(state: ScreenState, command: str, now_s: float) -> ScreenUpdate:
    """Run a command of the person's own, one at a time."""
    if state.user_command:
        told = f"`{state.user_command.command}` still runs; Esc ends it."
        return state, (PrintNotice(told, "warn"), RestoreDraft(f"!{command}"))
    begun = replace(state, user_command=UserCommand(command, now_s))
    return begun, (PrintPrompt(f"!{command}"), SendCommand(RunUserCommand(command=command)))


def interrupt(state: ScreenState) -> ScreenUpdate:
    """Stop the person's own command; else the running turn, and hand the queued messages back."""
    if state.user_command:
        stopping = replace(state, user_command=replace(state.user_command, is_stopping=True))
        return stopping, () if state.user_command.is_stopping else (SendCommand(StopUserCommand()),)
    state, refill = restore_queued(state)
    if not state.turn or state.turn.is_interrupting:
        return state, refill
    turn = replace(state.turn, is_interrupting=True)
    return replace(state, turn=turn), (SendCommand(InterruptTurn()), *refill)


def decide_approval(
    state: ScreenState,
    request_id: str,
    decision: ApprovalDecision,
    feedback: str = "",
    *,
    use_broader_grants: bool = False,
) -> ScreenUpdate:
    """Decide a parked request; it leaves the screen at once.

    A no to a subagent is told, since its calls are not printed, and so not what came of them.
    """
    request = state.approvals.find(request_id)
    if not request:
        return state, ()
    state = replace(state, approvals=approval_queue.without_request(state.approvals, request_id))
    answer = SubmitDecision(
        id=request_id, decision=decision, use_broader_grants=use_broader_grants, feedback=feedback
    )
    if decision != "no" or request.agent == PRIMARY:
        return state, (SendCommand(answer),)
    return state, (
        SendCommand(answer),
        PrintNotice(approval_queue.format_rejection(request, feedback), "warn"),
    )


def reply_to_question(state: ScreenState, request_id: str, reply: str) -> ScreenUpdate:
    """Reply to the question on the screen; the last of a request sends them all."""
    asked = state.approvals.current
    if not isinstance(asked, QuestionRequest) or asked.id != request_id:
        return state, ()
    replies = (*state.approvals.given_replies, reply)
    if len(replies) < len(asked.questions):
        return replace(state, approvals=replace(state.approvals, given_replies=replies)), ()
    state = replace(state, approvals=approval_queue.without_request(state.approvals, request_id))
    return state, (SendCommand(SubmitDecision(id=request_id, decision="once", answers=replies)),)


def defer_approvals(state: ScreenState) -> ScreenState:
    """Leave every request that waits now for later."""
    return replace(state, approvals=approval_queue.defer_all(state.approvals))


def restore_deferred_approvals(state: ScreenState) -> ScreenState:
    """Bring back the requests that were left for later."""
    return replace(state, approvals=approval_queue.restore_deferred(state.approvals))


def dismiss_approval(state: ScreenState, message: DismissApproval) -> ScreenUpdate:
    """Take an ended request away; if it was on the screen, say so."""
    shown = state.approvals.current
    seen = shown is not None and shown.id == message.id
    state = replace(state, approvals=approval_queue.without_request(state.approvals, message.id))
    how = "was withdrawn" if message.outcome == "withdrawn" else "needs no answer any more"
    return state, (PrintNotice(f"The request on screen {how}.", "warn"),) if seen else ()


def reset_approvals(state: ScreenState) -> ScreenUpdate:
    """Take every request away; if one was on the screen, say so."""
    seen = state.approvals.current is not None
    told = PrintNotice(
        "The request on screen was taken back; if it still stands, it is asked again."
    )
    return replace(state, approvals=ApprovalQueue()), (replace(told, tone="warn"),) if seen else ()


def flush_tail(turn: RunningTurn) -> tuple[RunningTurn, tuple[PrintMarkdown, ...]]:
    """End the text in hand: whatever is left of it is printed."""
    finished = markdown_blocks.finish_reply(turn.tail)
    return replace(turn, tail=MarkdownTail()), tuple(PrintMarkdown(block) for block in finished)
