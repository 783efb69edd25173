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
from messages.rules import Rule

LASTING: tuple[ApprovalDecision, ...] = ("session", "project")
"""Answers that grant."""


@dataclass
class Parked:
    """A request that has not ended."""

    request: AnyApprovalRequest
    came_from: Address
    """Whoever handed it over; the answer goes back the same way."""
    shown: bool = False
    answer: ApprovalDecided | None = None
    """Given, and on its way to the disk."""
    offered: tuple[Rule, ...] | None = None
    """What may still be granted, as it was judged last; None: as the request says."""
    storing: StoreGrant | None = None
    """What the engine has to keep before the answer is delivered."""

    @property
    def query(self) -> EvaluatePermission:
        """Ask whether it is decided otherwise now."""
        asked = self.request
        return EvaluatePermission(id=asked.id, agent=asked.agent, requests=asked.requests)


def taken(
    given: SubmitDecision, request: AnyApprovalRequest, offered: tuple[Rule, ...] | None = None
) -> ApprovalDecided:
    """Make of what a person chose the answer that counts; nothing is granted that is not offered.

    `offered` is what may still be granted; None: all that the request says.
    """
    answer = legal(given.decision, request)
    if answer in LASTING:
        rules = granted_by(given, request)
        wide = given.use_broader_grants and not request.broader_grants
        stale = offered is not None and not set(rules) <= set(offered)
        answer = "once" if wide or stale or not rules else answer
    if isinstance(request, QuestionRequest) and len(given.answers) != len(request.questions):
        answer = "no"
    return ApprovalDecided(
        id=request.id,
        agent=request.agent,
        decision=answer,
        use_broader_grants=given.use_broader_grants and answer in LASTING,
        feedback=given.feedback if answer == "no" else "",
        answers=given.answers if isinstance(request, QuestionRequest) and answer != "no" else (),
    )


def granted_by(
    answer: SubmitDecision | ApprovalDecided, request: AnyApprovalRequest
) -> tuple[Rule, ...]:
    """Say what a lasting answer grants: exactly what was shown."""
    return request.broader_grants if answer.use_broader_grants else request.grants


def legal(answer: ApprovalDecision, request: AnyApprovalRequest) -> ApprovalDecision:
    """Take an answer that was not offered for the nearest that was: once for more, else no."""
    if answer in LASTING and answer not in request.available_decisions:
        answer = "once"
    return answer if answer in request.available_decisions else "no"
