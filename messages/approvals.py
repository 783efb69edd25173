"""The journey of a question to a person and of the answer back.

A request is minted once by the agent that wants something, climbs from parent to parent to the
broker, and ends exactly once: answered, refused or withdrawn.
"""

from typing import Annotated, Literal

from pydantic import Field

from messages.address import Address
from messages.base import Message
from messages.questions import Question
from messages.rules import PermissionRequest, Rule
from messages.tools import FileState, Switch

Answer = Literal["once", "session", "project", "no"]


class _ApprovalRequest(Message):
    bounces = True
    id: str
    """`<address>#<n>@<run>`, opaque afterwards; a late answer can never reach another call."""
    agent: Address
    """Who asks; the chain that a person sees is read off it."""
    turn: int
    call_id: str
    tool: str
    cwd: str
    description: str = ""
    """The model's own word for what the call is for."""
    reason: str
    """Why it needs asking: the rule and source that decided."""
    requests: tuple[PermissionRequest, ...]
    """Exactly what would be touched; judged again whenever the rules change."""
    parts: tuple[PermissionRequest, ...] = ()
    """What that came to when it was asked, with links followed; a yes is to these alone."""
    generation: int = 0
    """Of the verdict that asked; if that is out of date, it is judged again at once."""
    answers: tuple[Answer, ...]
    """The answers that are legal for this request."""
    grants: tuple[Rule, ...] = ()
    """What `session` and `project` would store, shown before it is."""
    wider: tuple[Rule, ...] = ()
    """What they would store instead where the person asks for it; shown, too. Empty: nothing."""


class ExecApprovalRequest(_ApprovalRequest):
    """May this command run (or this tool look where it may not by itself)?"""

    type: Literal["exec_approval_request"] = "exec_approval_request"
    command: str
    """The whole text that would run, never shortened."""
    runs: tuple[FileState, ...] = ()
    """Files that it would run; a yes is to what they are now."""


class PatchApprovalRequest(_ApprovalRequest):
    """May this file change as shown?"""

    type: Literal["patch_approval_request"] = "patch_approval_request"
    path: str
    diff: str
    """Unified diff of exactly the bytes that would be written."""


class QuestionRequest(_ApprovalRequest):
    """What would you have? Answered `once` with one reply a question, or not at all."""

    type: Literal["question_request"] = "question_request"
    questions: tuple[Question, ...]
    switch: Switch | None = None
    """What the reply may lead to."""


AnyApprovalRequest = ExecApprovalRequest | PatchApprovalRequest | QuestionRequest
ApprovalRequest = Annotated[AnyApprovalRequest, Field(discriminator="type")]


class ApprovalAnswered(Message):
    """A person answered; on disk before it is delivered."""

    type: Literal["approval_answered"] = "approval_answered"
    id: str
    agent: Address
    answer: Answer
    wider: bool = False
    """With `session` and `project`: the wider rules are granted."""
    feedback: str = ""
    """With `no`: what the person tells the model."""
    replies: tuple[str, ...] = ()
    """To a question: one for each, in order; several choices stand on lines of their own."""
    decided_by: Literal["person", "rule"] = "person"
    """`rule`: a grant given meanwhile allows it."""


class ApprovalRefused(Message):
    """Nobody can answer; the model reads why."""

    type: Literal["approval_refused"] = "approval_refused"
    id: str
    agent: Address
    reason: str


class ApprovalWithdrawn(Message):
    """The question is moot; its asker sees 'cancelled', never 'refused'."""

    type: Literal["approval_withdrawn"] = "approval_withdrawn"
    id: str


class ApprovalsWithdrawn(Message):
    """Every question of an agent and of those below it is moot; sent before anything is aborted."""

    type: Literal["approvals_withdrawn"] = "approvals_withdrawn"
    under: Address


class PresentApproval(Message):
    """Show a parked request to the person."""

    type: Literal["present_approval"] = "present_approval"
    request: ApprovalRequest
    waiting: int = Field(ge=1)
    """How many are parked, this one included."""


class RetractApproval(Message):
    """Take a request off the screen: it has ended."""

    type: Literal["retract_approval"] = "retract_approval"
    id: str
    why: Literal["answered", "withdrawn"]


class AnswerApproval(Message):
    """What the person chose for the request on screen."""

    bounces = True
    type: Literal["answer_approval"] = "answer_approval"
    id: str
    answer: Answer
    wider: bool = False
    """As in `ApprovalAnswered`."""
    feedback: str = ""
    replies: tuple[str, ...] = ()
    """To a question, as in `ApprovalAnswered`."""


class PresenterChanged(Message):
    """Whether a person can be asked now: told by the console, or for it when it is gone."""

    type: Literal["presenter_changed"] = "presenter_changed"
    can_answer: bool
    reason: str = ""
    """Why not, as the model will read it."""
