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
from messages.permissions import StoreGrant


@dataclass
class Parked:
    """A request that has not ended."""

    request: AnyApprovalRequest
    came_from: Address
    """Whoever handed it over; the answer goes back the same way."""
    shown: bool = False
    answer: ApprovalAnswered | None = None
    """Given, and on its way to the disk."""
    storing: StoreGrant | None = None
    """What the engine has to keep before the answer is delivered."""


def taken(given: AnswerApproval, request: AnyApprovalRequest) -> ApprovalAnswered:
    """Make of what a person chose the answer that counts."""
    answer = legal(given.answer, request)
    if isinstance(request, QuestionRequest) and len(given.replies) != len(request.questions):
        answer = "no"
    return ApprovalAnswered(
        id=request.id,
        agent=request.agent,
        answer=answer,
        feedback=given.feedback if answer == "no" else "",
        replies=given.replies if isinstance(request, QuestionRequest) and answer != "no" else (),
    )


def legal(answer: Answer, request: AnyApprovalRequest) -> Answer:
    """Take an answer that was not offered for the nearest that was: once for session, else no."""
    if answer == "session" and answer not in request.answers:
        answer = "once"
    return answer if answer in request.answers else "no"
