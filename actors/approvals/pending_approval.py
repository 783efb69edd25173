"""A parked approval request, and validation of the user's decision on it."""

from dataclasses import dataclass

from messages.address import Address
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalDecision,
    ExecApprovalRequest,
    QuestionRequest,
    SubmitDecision,
)
from messages.permissions import EvaluatePermission, StoreGrant
from messages.policy import Rule, WorkspaceAccess

LASTING_DECISIONS: tuple[ApprovalDecision, ...] = ("session", "project")
"""Decisions that store a grant."""


@dataclass
class PendingApproval:
    """A request that has not ended."""

    request: AnyApprovalRequest
    reply_to: Address
    """The agent that forwarded the request; the decision takes the same way back."""
    is_shown: bool = False
    decision: ApprovalDecided | None = None
    """The decision, which may not be on disk yet."""
    grantable_rules: tuple[Rule, ...] | None = None
    """Rules that can still be granted after the last evaluation; None: as in the request."""
    pending_grant: StoreGrant | None = None
    """A grant that must be stored before the decision is delivered."""

    @property
    def evaluation_request(self) -> EvaluatePermission:
        """A request to evaluate the call again under the current policy."""
        request = self.request
        access: WorkspaceAccess = (
            request.workspace_access if isinstance(request, ExecApprovalRequest) else "read-only"
        )
        return EvaluatePermission(
            id=request.id,
            agent=request.agent,
            requests=request.requests,
            workspace_access=access,
        )


def restrict(request: AnyApprovalRequest) -> AnyApprovalRequest:
    """Return the request as it may be decided: a background task never gets a lasting grant."""
    if not request.is_background:
        return request
    decisions: tuple[ApprovalDecision, ...] = ("once", "no")
    restricted = {"available_decisions": decisions, "grants": (), "broader_grants": ()}
    return request.model_copy(update=restricted)


def can_ask(request: AnyApprovalRequest) -> bool:
    """Return whether the user may be asked, if there is one."""
    return request.bubbles or not request.is_background


def normalize(
    submitted: SubmitDecision,
    request: AnyApprovalRequest,
    grantable_rules: tuple[Rule, ...] | None = None,
) -> ApprovalDecided:
    """Return the decision that takes effect; it never grants more than was shown.

    `grantable_rules` are the rules that can still be granted; None: all rules of the request.
    """
    decision = clamp(submitted.decision, request)
    if decision in LASTING_DECISIONS:
        rules = get_granted_rules(submitted, request)
        not_offered = submitted.use_broader_grants and not request.broader_grants
        outdated = grantable_rules is not None and not set(rules) <= set(grantable_rules)
        decision = "once" if not_offered or outdated or not rules else decision
    if isinstance(request, QuestionRequest) and len(submitted.answers) != len(request.questions):
        decision = "no"
    has_answers = isinstance(request, QuestionRequest) and decision != "no"
    return ApprovalDecided(
        id=request.id,
        agent=request.agent,
        decision=decision,
        use_broader_grants=submitted.use_broader_grants and decision in LASTING_DECISIONS,
        feedback=submitted.feedback if decision == "no" else "",
        answers=submitted.answers if has_answers else (),
    )


def get_granted_rules(
    decision: SubmitDecision | ApprovalDecided, request: AnyApprovalRequest
) -> tuple[Rule, ...]:
    """Return the rules that a lasting decision stores: exactly those that were shown."""
    return request.broader_grants if decision.use_broader_grants else request.grants


def clamp(decision: ApprovalDecision, request: AnyApprovalRequest) -> ApprovalDecision:
    """Replace a decision that is not available: a lasting one by once, anything else by no."""
    if decision in LASTING_DECISIONS and decision not in request.available_decisions:
        decision = "once"
    return decision if decision in request.available_decisions else "no"
