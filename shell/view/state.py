"""What the screen knows, and how it changes: `(state, happening) -> (state, effects)`.

Pure: it needs no terminal, and the components that draw it never change it.
"""

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from messages.address import PRIMARY
from messages.approvals import ApprovalDecision, DismissApproval, QuestionRequest, SubmitDecision
from messages.base import Message
from messages.questions import Todo
from messages.rules import PermissionMode, Policy
from messages.turns import (
    ModelRetrying,
    PersistenceChanged,
    SessionConfigured,
    ToolEnded,
    UsageChanged,
)
from shell.intents import (
    InterruptTurn,
    RunUserCommand,
    SendPrompt,
    StopUserCommand,
    UserCommandEnded,
)
from shell.view import blocks, requests
from shell.view.below import SubagentList
from shell.view.blocks import Tail
from shell.view.details import Detail
from shell.view.requests import Requests


@dataclass(frozen=True, slots=True)
class Running:
    """A tool call that is at work."""

    call_id: str
    title: str
    began_s: float


@dataclass(frozen=True, slots=True)
class Retrying:
    """A request that failed and waits to be sent again."""

    event: ModelRetrying
    until_s: float


@dataclass(frozen=True, slots=True)
class RunningTurn:
    """The turn that runs."""

    began_s: float
    tail: Tail = field(default_factory=Tail)
    streamed: bool = False
    """Text of the reply in hand has come."""
    tools: tuple[Running, ...] = ()
    tokens: int = 0
    """Output of its whole replies, as the API counts it."""
    streamed_chars: int = 0
    """Of the reply in hand; four of them are about a token."""
    retrying: Retrying | None = None
    heard_s: float = float("-inf")
    """When the model or a tool last said something, or is to be asked again."""
    interrupting: bool = False
    late_chars: int = 0
    """What came of text since."""


@dataclass(frozen=True, slots=True)
class UserCommand:
    """A command of the person's own, while it runs."""

    command: str
    began_s: float
    stopping: bool = False


@dataclass(frozen=True, slots=True)
class PendingMode:
    """The mode as the person set it, until it is known to be so."""

    mode: PermissionMode | None = None
    """What is to be at work."""
    session: PermissionMode | None = None
    """What the session was told to be set to."""
    passing: bool = False
    """Shift-Tab has just come by auto-edit, in which nothing was begun."""
    named: bool = False
    """The person named it, and is told what it means once it is so."""


@dataclass(frozen=True, slots=True)
class State:
    """Everything that is drawn, the input line aside."""

    session: SessionConfigured | None = None
    turn: RunningTurn | None = None
    queue: tuple[str, ...] = ()
    """Messages that go out one by one as turns end."""
    usage: UsageChanged | None = None
    """How full the conversation is, and what was used in all."""
    disk: PersistenceChanged = PersistenceChanged(state="well")  # noqa: RUF009  (frozen, so it may be shared)
    requests: Requests = field(default_factory=Requests)
    todos: tuple[Todo, ...] = ()
    own: UserCommand | None = None
    below: SubagentList = field(default_factory=SubagentList)
    """The agents below the one that is talked with."""
    wish: PendingMode = field(default_factory=PendingMode)
    listed: Policy | None = None
    """What `/permissions` showed last; its numbers are what can be taken back."""
    details: tuple[Detail, ...] = ()
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

    intent: Message


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
Effect: TypeAlias = Printable | SendCommand | RestoreDraft
ScreenUpdate: TypeAlias = tuple[State, tuple[Effect, ...]]


def entered(state: State, text: str, now_s: float) -> ScreenUpdate:
    """Take a message of the person: sent when nothing runs, else queued."""
    if state.turn or not state.session:
        return replace(state, queue=(*state.queue, text)), ()
    wish = replace(state.wish, passing=False)
    state = replace(state, turn=RunningTurn(began_s=now_s), wish=wish)
    return state, (PrintPrompt(text), SendCommand(SendPrompt(text=text)))


def next_sent(state: State, now_s: float) -> ScreenUpdate:
    """Send the first queued message, if nothing runs."""
    if not state.queue or state.turn or not state.session:
        return state, ()
    text, *rest = state.queue
    return entered(replace(state, queue=tuple(rest)), text, now_s)


def taken_back(state: State) -> ScreenUpdate:
    """Put the last queued message into the input."""
    if not state.queue:
        return state, ()
    return replace(state, queue=state.queue[:-1]), (RestoreDraft(state.queue[-1]),)


def handed_back(state: State) -> ScreenUpdate:
    """Put the queued messages into the input; before the agent is ready they just wait."""
    if not state.queue or not state.session:
        return state, ()
    return replace(state, queue=()), (RestoreDraft("\n".join(state.queue)),)


def ran_own(state: State, command: str, now_s: float) -> ScreenUpdate:
    """Run a command of the person's own, one at a time."""
    if state.own:
        told = f"`{state.own.command}` still runs; Esc ends it."
        return state, (PrintNotice(told, "warn"), RestoreDraft(f"!{command}"))
    begun = replace(state, own=UserCommand(command, now_s))
    return begun, (PrintPrompt(f"!{command}"), SendCommand(RunUserCommand(command=command)))


def interrupted(state: State) -> ScreenUpdate:
    """Stop the person's own command; else the running turn, and hand the queued messages back."""
    if state.own:
        stopping = replace(state, own=replace(state.own, stopping=True))
        return stopping, () if state.own.stopping else (SendCommand(StopUserCommand()),)
    state, refill = handed_back(state)
    if not state.turn or state.turn.interrupting:
        return state, refill
    turn = replace(state.turn, interrupting=True)
    return replace(state, turn=turn), (SendCommand(InterruptTurn()), *refill)


def answered(
    state: State,
    request_id: str,
    choice: ApprovalDecision,
    feedback: str = "",
    *,
    wider: bool = False,
) -> ScreenUpdate:
    """Decide a parked request; it leaves the screen at once.

    A no to a subagent is told, since its calls are not printed, and so not what came of them.
    """
    request = state.requests.find(request_id)
    if not request:
        return state, ()
    state = replace(state, requests=requests.ended(state.requests, request_id))
    answer = SubmitDecision(
        id=request_id, decision=choice, use_broader_grants=wider, feedback=feedback
    )
    if choice != "no" or request.agent == PRIMARY:
        return state, (SendCommand(answer),)
    return state, (SendCommand(answer), PrintNotice(requests.refusal(request, feedback), "warn"))


def replied(state: State, request_id: str, reply: str) -> ScreenUpdate:
    """Reply to the question on the screen; the last of a request sends them all."""
    asked = state.requests.shown
    if not isinstance(asked, QuestionRequest) or asked.id != request_id:
        return state, ()
    replies = (*state.requests.replied, reply)
    if len(replies) < len(asked.questions):
        return replace(state, requests=replace(state.requests, replied=replies)), ()
    state = replace(state, requests=requests.ended(state.requests, request_id))
    return state, (SendCommand(SubmitDecision(id=request_id, decision="once", answers=replies)),)


def put_off(state: State) -> State:
    """Leave every request that waits now for later."""
    return replace(state, requests=requests.put_off(state.requests))


def recalled(state: State) -> State:
    """Bring back the requests that were left for later."""
    return replace(state, requests=requests.recalled(state.requests))


def retracted(state: State, message: DismissApproval) -> ScreenUpdate:
    """Take an ended request away; if it was on the screen, say so."""
    shown = state.requests.shown
    seen = shown is not None and shown.id == message.id
    state = replace(state, requests=requests.ended(state.requests, message.id))
    how = "was withdrawn" if message.why == "withdrawn" else "needs no answer any more"
    return state, (PrintNotice(f"The request on screen {how}.", "warn"),) if seen else ()


def questions_gone(state: State) -> ScreenUpdate:
    """Take every request away; if one was on the screen, say so."""
    seen = state.requests.shown is not None
    told = PrintNotice(
        "The request on screen was taken back; if it still stands, it is asked again."
    )
    return replace(state, requests=Requests()), (replace(told, tone="warn"),) if seen else ()


def flushed(turn: RunningTurn) -> tuple[RunningTurn, tuple[PrintMarkdown, ...]]:
    """End the text in hand: whatever is left of it is printed."""
    finished = blocks.finish(turn.tail)
    return replace(turn, tail=Tail()), tuple(PrintMarkdown(block) for block in finished)
