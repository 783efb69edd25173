"""A request that waits for its answer, and what of an answer counts."""

from dataclasses import dataclass

from messages.address import Address
from messages.approvals import (
    Answer,
    AnswerApproval,
    AnyApprovalRequest,
    ApprovalAnswered,
    QuestionRequest,
)
from messages.permissions import PermissionQuery, StoreGrant
from messages.rules import Rule

LASTING: tuple[Answer, ...] = ("session", "project")
"""Answers that grant."""


@dataclass
class Parked:
    """A request that has not ended."""

    request: AnyApprovalRequest
    came_from: Address
    """Whoever handed it over; the answer goes back the same way."""
    shown: bool = False
    answer: ApprovalAnswered | None = None
    """Given, and on its way to the disk."""
    offered: tuple[Rule, ...] | None = None
    """What may still be granted, as it was judged last; None: as the request says."""
    storing: StoreGrant | None = None
    """What the engine has to keep before the answer is delivered."""

    @property
    def query(self) -> PermissionQuery:
        """Ask whether it is decided otherwise now."""
        asked = self.request
        return PermissionQuery(id=asked.id, agent=asked.agent, requests=asked.requests)


def taken(
    given: AnswerApproval, request: AnyApprovalRequest, offered: tuple[Rule, ...] | None = None
) -> ApprovalAnswered:
    """Make of what a person chose the answer that counts; nothing is granted that is not offered.

    `offered` is what may still be granted; None: all that the request says.
    """
    answer = legal(given.answer, request)
    if answer in LASTING:
        rules = granted_by(given, request)
        wide = given.wider and not request.wider
        stale = offered is not None and not set(rules) <= set(offered)
        answer = "once" if wide or stale or not rules else answer
    if isinstance(request, QuestionRequest) and len(given.replies) != len(request.questions):
        answer = "no"
    return ApprovalAnswered(
        id=request.id,
        agent=request.agent,
        answer=answer,
        wider=given.wider and answer in LASTING,
        feedback=given.feedback if answer == "no" else "",
        replies=given.replies if isinstance(request, QuestionRequest) and answer != "no" else (),
    )


def granted_by(
    answer: AnswerApproval | ApprovalAnswered, request: AnyApprovalRequest
) -> tuple[Rule, ...]:
    """Say what a lasting answer grants: exactly what was shown."""
    return request.wider if answer.wider else request.grants


def legal(answer: Answer, request: AnyApprovalRequest) -> Answer:
    """Take an answer that was not offered for the nearest that was: once for more, else no."""
    if answer in LASTING and answer not in request.answers:
        answer = "once"
    return answer if answer in request.answers else "no"
