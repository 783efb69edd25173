"""A request that waits for its answer, and what of an answer counts."""

from dataclasses import dataclass

from messages.address import Address
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalDecision,
    QuestionRequest,
    SubmitDecision,
)
from messages.permissions import EvaluatePermission, StoreGrant
from messages.policy import Rule

LASTING_DECISIONS: tuple[ApprovalDecision, ...] = ("session", "project")
"""Answers that grant."""


@dataclass
class Parked:
    """A request that has not ended."""

    request: AnyApprovalRequest
    reply_to: Address
    """Whoever handed it over; the answer goes back the same way."""
    is_shown: bool = False
    answer: ApprovalDecided | None = None
    """Given, and on its way to the disk."""
    grantable_rules: tuple[Rule, ...] | None = None
    """What may still be granted, as it was judged last; None: as the request says."""
    pending_grant: StoreGrant | None = None
    """What the engine has to keep before the answer is delivered."""

    @property
    def evaluation_request(self) -> EvaluatePermission:
        """Ask whether it is decided otherwise now."""
        asked = self.request
        return EvaluatePermission(id=asked.id, agent=asked.agent, requests=asked.requests)


def normalize(
    submitted: SubmitDecision,
    request: AnyApprovalRequest,
    grantable_rules: tuple[Rule, ...] | None = None,
) -> ApprovalDecided:
    """Make of what a person chose the answer that counts; nothing is granted that is not offered.

    `offered` is what may still be granted; None: all that the request says.
    """
    answer = clamp(submitted.decision, request)
    if answer in LASTING_DECISIONS:
        rules = get_granted_rules(submitted, request)
        wide = submitted.use_broader_grants and not request.broader_grants
        stale = grantable_rules is not None and not set(rules) <= set(grantable_rules)
        answer = "once" if wide or stale or not rules else answer
    if isinstance(request, QuestionRequest) and len(submitted.answers) != len(request.questions):
        answer = "no"
    return ApprovalDecided(
        id=request.id,
        agent=request.agent,
        decision=answer,
        use_broader_grants=submitted.use_broader_grants and answer in LASTING_DECISIONS,
        feedback=submitted.feedback if answer == "no" else "",
        answers=submitted.answers
        if isinstance(request, QuestionRequest) and answer != "no"
        else (),
    )


def get_granted_rules(
    decision: SubmitDecision | ApprovalDecided, request: AnyApprovalRequest
) -> tuple[Rule, ...]:
    """Say what a lasting answer grants: exactly what was shown."""
    return request.broader_grants if decision.use_broader_grants else request.grants


def clamp(decision: ApprovalDecision, request: AnyApprovalRequest) -> ApprovalDecision:
    """Take an answer that was not offered for the nearest that was: once for more, else no."""
    if decision in LASTING_DECISIONS and decision not in request.available_decisions:
        decision = "once"
    return decision if decision in request.available_decisions else "no"
