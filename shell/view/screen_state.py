"""The state of the screen and its transitions: `(state, event) -> (state, effects)`.

Pure: it needs no terminal, and the components that draw it never change it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from messages.address import PRIMARY, Address
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecision,
    DismissApproval,
    QuestionRequest,
    SubmitDecision,
)
from messages.base import Message
from messages.policy import PermissionMode, Policy
from messages.reviews import ReviewEnded
from messages.steering import WithdrawPrompts
from messages.todos import Todo
from messages.turns import (
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
from shell.view.grouped_lookups import Lookup, PrintLookups
from shell.view.markdown_blocks import MarkdownTail
from shell.view.subagent_states import SubagentList
from shell.view.waiting_model_request import PendingRequest

MAX_INTERRUPTED_TEXT_CHARS = 4_000
"""Text of an interrupted turn that is still printed; the rest is dropped."""


@dataclass(frozen=True, slots=True)
class RunningTool:
    """A running tool call."""

    call_id: str
    title: str
    started_s: float
    output: str = ""
    """The end of a command's output so far."""


@dataclass(frozen=True, slots=True)
class RunningTurn:
    """The running turn."""

    started_s: float
    has_prompt: bool = True
    """As in `TurnStarted`; else a message that waits may have the same number."""
    tail: MarkdownTail = field(default_factory=MarkdownTail)
    has_streamed_text: bool = False
    """Text of the current reply has arrived."""
    has_reply_begun: bool = False
    """The model has begun its reply; before that, the turn waits for it."""
    running_tools: tuple[RunningTool, ...] = ()
    output_tokens: int = 0
    """Output tokens of completed replies, as counted by the API."""
    streamed_chars: int = 0
    """Characters of the current reply; about four make a token."""
    thought_s: float = 0.0
    """Time that the model has thought since its last text."""
    pending_request: PendingRequest | None = None
    last_activity_s: float = float("-inf")
    """Time of the last output of the model or a tool, or of the next retry."""
    is_interrupting: bool = False
    late_chars: int = 0
    """Characters of text that arrived after the interrupt."""


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that no turn has received."""

    text: str
    turn: int = 0
    """As in `SendPrompt`; 0: it is sent when the session starts."""
    is_withdrawn: bool = False
    """The user takes it back; the agent may have delivered it before."""


@dataclass(frozen=True, slots=True)
class UserCommand:
    """A running user command (`!command`)."""

    command: str
    started_s: float
    is_stopping: bool = False


@dataclass(frozen=True, slots=True)
class PendingMode:
    """The mode that the user requested, until it applies."""

    mode: PermissionMode | None = None
    """The effective mode that was requested."""
    session_mode: PermissionMode | None = None
    """The session mode that was requested from the permission engine."""
    is_passing_through: bool = False
    """Shift-Tab has just reached auto-edit, and no prompt was sent in it."""
    is_named_by_user: bool = False
    """The user named the mode; a notice explains it once it applies."""


@dataclass(frozen=True, slots=True)
class SubmittedDecision:
    """The user's decision, and the request that it was made on."""

    request: AnyApprovalRequest
    decision: SubmitDecision


@dataclass(frozen=True, slots=True)
class ScreenState:
    """Everything that is drawn except the input line."""

    session: SessionConfigured | None = None
    turn: RunningTurn | None = None
    next_turn: int = 1
    """The first turn number that no message has used."""
    queued: tuple[QueuedMessage, ...] = ()
    """Messages in the order in which they will be delivered or start turns."""
    usage: UsageChanged | None = None
    """The size of the context and the total usage."""
    persistence: PersistenceChanged = PersistenceChanged(state="ok")  # noqa: RUF009  (frozen, so it may be shared)
    approvals: ApprovalQueue = field(default_factory=ApprovalQueue)
    submitted: Mapping[str, SubmittedDecision] = field(default_factory=dict[str, SubmittedDecision])
    """Decisions that the broker has not confirmed, by the id of the request."""
    lookups: tuple[Lookup, ...] = ()
    """Ended lookups that are not printed yet, so that later ones can share their row."""
    todos: tuple[Todo, ...] = ()
    user_command: UserCommand | None = None
    subagents: SubagentList = field(default_factory=SubagentList)
    """All agents below the primary agent."""
    pending_mode: PendingMode = field(default_factory=PendingMode)
    listed_policy: Policy | None = None
    """The policy that `/permissions` showed last; its numbers name the grants to revoke."""
    review_starts: Mapping[str, float] = field(default_factory=dict[str, float])
    """When each running review started, by its id."""
    last_review: ReviewEnded | None = None
    """The last review with findings."""
    enter_opens_findings: bool = False
    """Enter on an empty line opens them: no prompt was sent since the review ended."""
    full_outputs: tuple[FullOutput, ...] = ()
    """Outputs that were shown truncated, newest last."""

    @property
    def is_working(self) -> bool:
        """Whether a turn or a user command runs."""
        return self.turn is not None or self.user_command is not None

    @property
    def can_interrupt(self) -> bool:
        """Whether a user command runs, or a turn that is not being interrupted yet."""
        can_interrupt_turn = self.turn is not None and not self.turn.is_interrupting
        return self.user_command is not None or can_interrupt_turn


@dataclass(frozen=True, slots=True)
class PrintPrompt:
    """Print a prompt of the user."""

    text: str
    is_steering: bool = False
    """It was delivered to the running turn."""


@dataclass(frozen=True, slots=True)
class PrintMarkdown:
    """Print a finished block of the model's Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class PrintNotice:
    """Print one notice of the program."""

    text: str
    tone: str = "dim"


@dataclass(frozen=True, slots=True)
class PrintCall:
    """Print an ended tool call that is not a lookup."""

    ended: ToolEnded
    duration_s: float | None = None
    """None: it did not run, or it ran in an earlier run."""


@dataclass(frozen=True, slots=True)
class PrintReview:
    """Print the result of a review."""

    ended: ReviewEnded
    cwd: str
    """Paths below it are shown relative to it."""
    duration_s: float | None
    """None: it ended in an earlier run."""


@dataclass(frozen=True, slots=True)
class SendCommand:
    """Send a command of the user to the console."""

    command: Message


@dataclass(frozen=True, slots=True)
class PrintOmission:
    """Print how much of the model's text is not shown."""

    chars: int


@dataclass(frozen=True, slots=True)
class RestoreDraft:
    """Put text back into the input, before its current text."""

    text: str


Printable: TypeAlias = (
    PrintPrompt
    | PrintMarkdown
    | PrintOmission
    | PrintNotice
    | PrintReview
    | PrintCall
    | PrintLookups
    | UserCommandEnded
    | SessionConfigured
)
ScreenEffect: TypeAlias = Printable | SendCommand | RestoreDraft
ScreenUpdate: TypeAlias = tuple[ScreenState, tuple[ScreenEffect, ...]]


def submit_prompt(state: ScreenState, text: str, now_s: float) -> ScreenUpdate:
    """Send the user's message, which waits for its delivery while a turn runs."""
    if not state.session:
        return replace(state, queued=(*state.queued, QueuedMessage(text))), ()
    turn = state.next_turn
    sent = SendCommand(SendPrompt(turn=turn, text=text))
    state = replace(state, next_turn=turn + 1)
    if state.turn or state.queued:
        return replace(state, queued=(*state.queued, QueuedMessage(text, turn))), (sent,)
    pending_mode = replace(state.pending_mode, is_passing_through=False)
    state = replace(
        state,
        turn=RunningTurn(started_s=now_s),
        pending_mode=pending_mode,
        enter_opens_findings=False,
    )
    return state, (PrintPrompt(text), sent)


def withdraw_messages(state: ScreenState, turns: tuple[int, ...]) -> ScreenUpdate:
    """Ask for queued messages back; each is returned unless a turn receives it before."""
    if not turns:
        return state, ()
    queued = tuple(
        replace(message, is_withdrawn=True) if message.turn in turns else message
        for message in state.queued
    )
    return replace(state, queued=queued), (SendCommand(WithdrawPrompts(numbers=turns)),)


def run_user_command(state: ScreenState, command: str, now_s: float) -> ScreenUpdate:
    """Run a user command; only one can run at a time."""
    if state.user_command:
        text = f"`{state.user_command.command}` is still running. Press Esc to stop it."
        return state, (PrintNotice(text, "warn"), RestoreDraft(f"!{command}"))
    state = replace(state, user_command=UserCommand(command, now_s))
    return state, (PrintPrompt(f"!{command}"), SendCommand(RunUserCommand(command=command)))


def interrupt(state: ScreenState) -> ScreenUpdate:
    """Stop the user command; without one, interrupt the turn and take queued messages back.

    Messages typed before the session started stay queued.
    """
    if state.user_command:
        stopping = replace(state, user_command=replace(state.user_command, is_stopping=True))
        return stopping, () if state.user_command.is_stopping else (SendCommand(StopUserCommand()),)
    turns = (message.turn for message in state.queued if message.turn and not message.is_withdrawn)
    state, withdrawn = withdraw_messages(state, tuple(turns))
    if not state.turn or state.turn.is_interrupting:
        return state, withdrawn
    turn = replace(state.turn, is_interrupting=True)
    return replace(state, turn=turn), (*withdrawn, SendCommand(InterruptTurn()))


def show_approval(state: ScreenState, request: AnyApprovalRequest) -> ScreenUpdate:
    """Show a request. If the user has decided exactly this one, send that decision again.

    It comes again if the decision was lost in a crash of the broker or the console.
    """
    submitted = state.submitted.get(request.id)
    if submitted is not None and submitted.request == request:
        return state, (SendCommand(submitted.decision),)
    state = _forget_submitted(state, request.id)
    return replace(state, approvals=approval_queue.with_request(state.approvals, request)), ()


def show_undecided(state: ScreenState, request_id: str) -> ScreenUpdate:
    """Show a request again whose decision will never be handled."""
    submitted = state.submitted.get(request_id)
    if submitted is None:
        return state, ()
    return show_approval(_forget_submitted(state, request_id), submitted.request)


def _submit(
    state: ScreenState, request: AnyApprovalRequest, decision: SubmitDecision
) -> ScreenState:
    """Take a request off the screen and keep its decision until it is confirmed."""
    approvals = approval_queue.without_request(state.approvals, request.id)
    submitted = {**state.submitted, request.id: SubmittedDecision(request, decision)}
    return replace(state, approvals=approvals, submitted=submitted)


def _forget_submitted(state: ScreenState, request_id: str) -> ScreenState:
    if request_id not in state.submitted:
        return state
    remaining = {key: value for key, value in state.submitted.items() if key != request_id}
    return replace(state, submitted=remaining)


def decide_approval(
    state: ScreenState,
    request_id: str,
    decision: ApprovalDecision,
    feedback: str = "",
    *,
    use_broader_grants: bool = False,
) -> ScreenUpdate:
    """Decide a parked request and take it off the screen at once.

    Denying a subagent's call prints a notice, since its calls are not printed.
    """
    request = state.approvals.find(request_id)
    if not request:
        return state, ()
    submit = SubmitDecision(
        id=request_id, decision=decision, use_broader_grants=use_broader_grants, feedback=feedback
    )
    state = _submit(state, request, submit)
    if decision != "no" or request.agent == PRIMARY:
        return state, (SendCommand(submit),)
    return state, (
        SendCommand(submit),
        PrintNotice(approval_queue.format_rejection(request, feedback), "warn"),
    )


def reply_to_question(state: ScreenState, request_id: str, reply: str) -> ScreenUpdate:
    """Answer the question on screen; the last answer of a request sends all of them.

    An empty reply is no answer; without any answer, the request is denied.
    """
    request = state.approvals.current
    if not isinstance(request, QuestionRequest) or request.id != request_id:
        return state, ()
    replies = (*state.approvals.given_replies, reply)
    if len(replies) < len(request.questions):
        return replace(state, approvals=replace(state.approvals, given_replies=replies)), ()
    if not any(replies):
        return decide_approval(state, request_id, "no")
    submit = SubmitDecision(id=request_id, decision="once", answers=replies)
    return _submit(state, request, submit), (SendCommand(submit),)


def defer_approvals(state: ScreenState) -> ScreenState:
    """Defer every request that is shown now."""
    return replace(state, approvals=approval_queue.defer_shown(state.approvals))


def restore_deferred_approvals(state: ScreenState) -> ScreenState:
    """Show the deferred requests again."""
    return replace(state, approvals=approval_queue.restore_deferred(state.approvals))


def show_approvals_of(state: ScreenState, agent: Address | None) -> ScreenState:
    """Show only the requests of the agent whose page is open; None: those of all agents."""
    return replace(state, approvals=approval_queue.show_only(state.approvals, agent))


def dismiss_approval(state: ScreenState, message: DismissApproval) -> ScreenUpdate:
    """Remove an ended request; print a notice if it was on screen."""
    current = state.approvals.current
    was_on_screen = current is not None and current.id == message.id
    state = _forget_submitted(state, message.id)
    state = replace(state, approvals=approval_queue.without_request(state.approvals, message.id))
    outcome = "was withdrawn" if message.outcome == "withdrawn" else "no longer needs a decision"
    notice = PrintNotice(f"The request on screen {outcome}.", "warn")
    return state, (notice,) if was_on_screen else ()


def reset_approvals(state: ScreenState) -> ScreenUpdate:
    """Remove every request; print a notice if one was on screen."""
    was_on_screen = state.approvals.current is not None
    notice = PrintNotice(
        "The request on screen was withdrawn. If it is still needed, you will be asked again.",
        "warn",
    )
    approvals = ApprovalQueue(
        only_agent=state.approvals.only_agent, shows_background=state.approvals.shows_background
    )
    return replace(state, approvals=approvals), (notice,) if was_on_screen else ()


def flush_tail(turn: RunningTurn) -> tuple[RunningTurn, tuple[PrintMarkdown, ...]]:
    """End the current text and print the rest of it."""
    finished = markdown_blocks.finish_reply(turn.tail)
    return replace(turn, tail=MarkdownTail()), tuple(PrintMarkdown(block) for block in finished)
