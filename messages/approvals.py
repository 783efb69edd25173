"""Approval requests to the user, and the decisions on them.

An agent creates a request once. Its ancestors forward it to the broker. It ends exactly once:
decided, unavailable or withdrawn.
"""

from typing import Annotated, Literal

from pydantic import Field

from messages.address import Address
from messages.base import Message
from messages.failure_reasons import LimitReason
from messages.policy import CommandSandbox, PermissionRequest, Rule, WorkspaceAccess
from messages.tool_calls import AgentSwitchProposal, FileDigest
from messages.user_questions import UserQuestion

ApprovalDecision = Literal["once", "session", "project", "no"]


class _ApprovalRequest(Message):
    notify_undelivered = True
    id: str
    """`<address>#<n>@<run>`, then opaque, so a late decision never reaches another call."""
    agent: Address
    """The requesting agent; the chain shown to the user is derived from the address."""
    turn: int
    call_id: str
    tool: str
    cwd: str
    description: str = ""
    """The model's description of the call."""
    reason: str
    """Why approval is needed: the rule and source that decided."""
    requests: tuple[PermissionRequest, ...]
    """Exactly what the call would do; evaluated again whenever the policy changes."""
    resolved_requests: tuple[PermissionRequest, ...] = ()
    """The requests after analysis, with symbolic links resolved; an approval covers only these."""
    policy_version: int = 0
    """Version of the policy that decided to ask; if it is outdated, the call is evaluated again."""
    available_decisions: tuple[ApprovalDecision, ...]
    """The decisions that this request allows."""
    grants: tuple[Rule, ...] = ()
    """The rules that `session` and `project` store; shown before they are stored."""
    broader_grants: tuple[Rule, ...] = ()
    """Broader rules that the user can choose to store instead; empty: none."""
    is_background: bool = False
    """It comes from a background task; set on its way up. Only `once` and `no` are available."""
    bubbles: bool = False
    """The definition of the agent, or of one above it, says `approval_mode: bubble`: the user is
    asked, although the request comes from a background task. Set on its way up as well."""


class ExecApprovalRequest(_ApprovalRequest):
    """Ask to run a command, or a tool that needs approval for its target."""

    type: Literal["exec_approval_request"] = "exec_approval_request"
    command: str
    """The complete command, never shortened."""
    workspace_access: WorkspaceAccess = "read-only"
    """As in `EvaluatePermission`."""
    sandbox: CommandSandbox | None = None
    """The sandbox that it would run in; None: it would run without one."""
    executed_files: tuple[FileDigest, ...] = ()
    """Script files that it would run; an approval covers only their current content."""


class PatchApprovalRequest(_ApprovalRequest):
    """Ask to change a file."""

    type: Literal["patch_approval_request"] = "patch_approval_request"
    path: str
    diff: str
    """Unified diff of exactly what would be written."""


class QuestionRequest(_ApprovalRequest):
    """Questions for the user, decided as `once` with one answer per question, or as `no`."""

    type: Literal["question_request"] = "question_request"
    questions: tuple[UserQuestion, ...]
    switch_proposal: AgentSwitchProposal | None = None
    """The agent switch that the answer decides on."""
    limit: LimitReason | None = None
    """The limit that the answer extends; such a question is not about a call."""


AnyApprovalRequest = ExecApprovalRequest | PatchApprovalRequest | QuestionRequest
ApprovalRequest = Annotated[AnyApprovalRequest, Field(discriminator="type")]


class ApprovalDecided(Message):
    """Recorded: the decision on a request; on disk before it is delivered."""

    type: Literal["approval_decided"] = "approval_decided"
    id: str
    agent: Address
    decision: ApprovalDecision
    use_broader_grants: bool = False
    """With `session` and `project`: store the broader grants."""
    feedback: str = ""
    """With `no`: the user's message to the model."""
    answers: tuple[str, ...] = ()
    """One answer per question, in order; multiple choices are separated by line breaks."""
    decided_by: Literal["user", "rule"] = "user"
    """`rule`: a policy change made the call allowed."""


class ApprovalUnavailable(Message):
    """No user can decide; the model gets the reason."""

    type: Literal["approval_unavailable"] = "approval_unavailable"
    id: str
    agent: Address
    reason: str


class ApprovalWithdrawn(Message):
    """Recorded: the request ended without a decision; its call is cancelled, not denied."""

    type: Literal["approval_withdrawn"] = "approval_withdrawn"
    id: str


class WithdrawApprovals(Message):
    """End all requests of an agent and its descendants; sent before anything is aborted."""

    type: Literal["withdraw_approvals"] = "withdraw_approvals"
    under: Address
    except_under: tuple[Address, ...] = ()
    """Descendants whose subtrees keep their requests."""

    def is_about(self, agent: Address) -> bool:
        """Return whether the requests of an agent end."""
        is_kept = any(agent.is_under(kept) for kept in self.except_under)
        return agent.is_under(self.under) and not is_kept


class ShowApproval(Message):
    """Show a parked request to the user."""

    type: Literal["show_approval"] = "show_approval"
    request: ApprovalRequest
    parked_count: int = Field(ge=1)
    """Number of parked requests, including this one."""


class DismissApproval(Message):
    """Remove a request that has ended from the screen."""

    type: Literal["dismiss_approval"] = "dismiss_approval"
    id: str
    outcome: Literal["decided", "withdrawn"]


class SubmitDecision(Message):
    """The user's decision on the request on screen."""

    notify_undelivered = True
    type: Literal["submit_decision"] = "submit_decision"
    id: str
    decision: ApprovalDecision
    use_broader_grants: bool = False
    """As in `ApprovalDecided`."""
    feedback: str = ""
    answers: tuple[str, ...] = ()
    """As in `ApprovalDecided`."""


class ApproverAvailabilityChanged(Message):
    """Whether a user can decide now; sent by the console, or on its behalf after it ended."""

    type: Literal["approver_availability_changed"] = "approver_availability_changed"
    can_decide: bool
    reason: str = ""
    """Why not; shown to the model."""
