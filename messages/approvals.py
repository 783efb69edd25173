"""The journey of a question to a person and of the answer back.

A request is minted once by the agent that wants something, climbs from parent to parent to the
broker, and ends exactly once: answered, refused or withdrawn.
"""

from typing import Annotated, Literal

from pydantic import Field

from messages.address import Address
from messages.base import Message
from messages.policy import PermissionRequest, Rule
from messages.tool_calls import AgentSwitchProposal, FileDigest
from messages.user_questions import UserQuestion

ApprovalDecision = Literal["once", "session", "project", "no"]


class _ApprovalRequest(Message):
    notify_undelivered = True
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
    resolved_requests: tuple[PermissionRequest, ...] = ()
    """What that came to when it was asked, with links followed; a yes is to these alone."""
    policy_version: int = 0
    """Of the verdict that asked; if that is out of date, it is judged again at once."""
    available_decisions: tuple[ApprovalDecision, ...]
    """The answers that are legal for this request."""
    grants: tuple[Rule, ...] = ()
    """What `session` and `project` would store, shown before it is."""
    broader_grants: tuple[Rule, ...] = ()
    """What they would store instead where the person asks for it; shown, too. Empty: nothing."""


class ExecApprovalRequest(_ApprovalRequest):
    """May this command run (or this tool look where it may not by itself)?"""

    type: Literal["exec_approval_request"] = "exec_approval_request"
    command: str
    """The whole text that would run, never shortened."""
    executed_files: tuple[FileDigest, ...] = ()
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
    questions: tuple[UserQuestion, ...]
    switch_proposal: AgentSwitchProposal | None = None
    """What the reply may lead to."""


AnyApprovalRequest = ExecApprovalRequest | PatchApprovalRequest | QuestionRequest
ApprovalRequest = Annotated[AnyApprovalRequest, Field(discriminator="type")]


class ApprovalDecided(Message):
    """A person answered; on disk before it is delivered."""

    type: Literal["approval_decided"] = "approval_decided"
    id: str
    agent: Address
    decision: ApprovalDecision
    use_broader_grants: bool = False
    """With `session` and `project`: the wider rules are granted."""
    feedback: str = ""
    """With `no`: what the person tells the model."""
    answers: tuple[str, ...] = ()
    """To a question: one for each, in order; several choices stand on lines of their own."""
    decided_by: Literal["person", "rule"] = "person"
    """`rule`: a grant given meanwhile allows it."""


class ApprovalUnavailable(Message):
    """Nobody can answer; the model reads why."""

    type: Literal["approval_unavailable"] = "approval_unavailable"
    id: str
    agent: Address
    reason: str


class ApprovalWithdrawn(Message):
    """The question is moot; its asker sees 'cancelled', never 'refused'."""

    type: Literal["approval_withdrawn"] = "approval_withdrawn"
    id: str


class WithdrawApprovals(Message):
    """Every question of an agent and of those below it is moot; sent before anything is aborted."""

    type: Literal["withdraw_approvals"] = "withdraw_approvals"
    under: Address


class ShowApproval(Message):
    """Show a parked request to the person."""

    type: Literal["show_approval"] = "show_approval"
    request: ApprovalRequest
    parked_count: int = Field(ge=1)
    """How many are parked, this one included."""


class DismissApproval(Message):
    """Take a request off the screen: it has ended."""

    type: Literal["dismiss_approval"] = "dismiss_approval"
    id: str
    outcome: Literal["answered", "withdrawn"]


class SubmitDecision(Message):
    """What the person chose for the request on screen."""

    notify_undelivered = True
    type: Literal["submit_decision"] = "submit_decision"
    id: str
    decision: ApprovalDecision
    use_broader_grants: bool = False
    """As in `ApprovalDecided`."""
    feedback: str = ""
    answers: tuple[str, ...] = ()
    """To a question, as in `ApprovalDecided`."""


class ApproverAvailabilityChanged(Message):
    """Whether a person can be asked now: told by the console, or for it when it is gone."""

    type: Literal["approver_availability_changed"] = "approver_availability_changed"
    can_answer: bool
    reason: str = ""
    """Why not, as the model will read it."""
