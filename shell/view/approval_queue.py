"""The approvals that wait for the person: first in first out, some put off until later."""

from dataclasses import dataclass, replace

from messages.approvals import (
    AnyApprovalRequest,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
    ShowApproval,
)
from shell.text.sanitize import sanitize_line
from shell.view.styled_text import AGENT_CHAIN_SEPARATOR, truncate

MAX_CALL_COLUMNS = 120
"""So much of a call is told again once it was refused."""


@dataclass(frozen=True, slots=True)
class ApprovalQueue:
    """What is parked, oldest first; at most one of them is on the screen."""

    parked: tuple[AnyApprovalRequest, ...] = ()
    deferred_ids: frozenset[str] = frozenset()
    """Ids that the person put off."""
    given_replies: tuple[str, ...] = ()
    """To the first questions of the request on the screen."""

    @property
    def current(self) -> AnyApprovalRequest | None:
        """The request that is on the screen."""
        return next(
            (request for request in self.parked if request.id not in self.deferred_ids), None
        )

    @property
    def prompt_id(self) -> str:
        """Names what is on the screen; each question of a request is a prompt of its own."""
        return f"{self.current.id}·{len(self.given_replies)}" if self.current else ""

    def find(self, request_id: str) -> AnyApprovalRequest | None:
        """Look a parked request up; None when it has ended."""
        return next((request for request in self.parked if request.id == request_id), None)


def with_request(requests: ApprovalQueue, message: ShowApproval) -> ApprovalQueue:
    """Add a request behind the others; one that is known keeps its place."""
    if requests.find(message.request.id):
        return requests
    return replace(requests, parked=(*requests.parked, message.request))


def without_request(requests: ApprovalQueue, request_id: str) -> ApprovalQueue:
    """Take a request away: it was answered or withdrawn."""
    if not requests.find(request_id):
        return requests
    shown = requests.current
    kept = requests.given_replies if shown and shown.id != request_id else ()
    return ApprovalQueue(
        given_replies=kept,
        parked=tuple(request for request in requests.parked if request.id != request_id),
        deferred_ids=requests.deferred_ids - {request_id},
    )


def format_rejection(request: AnyApprovalRequest, feedback: str) -> str:
    """Say what the person said no to, and what the agent reads of them."""
    match request:
        case ExecApprovalRequest():
            what = f" {sanitize_line(request.command)}"
        case PatchApprovalRequest():
            what = f" {sanitize_line(request.path)}"
        case QuestionRequest():
            what = ""
    who = AGENT_CHAIN_SEPARATOR.join(request.agent.segments)
    told = f"You said no to {who}: {truncate(request.tool + what, MAX_CALL_COLUMNS)}"
    return f"{told}\nIt reads: {feedback}" if feedback else told


def defer_all(requests: ApprovalQueue) -> ApprovalQueue:
    """Take every request that waits now off the screen; they stay parked.

    All of them, since a screen full of questions must not stand before the key that stops the
    turn; one that comes later shows itself.
    """
    return replace(
        requests,
        deferred_ids=frozenset(request.id for request in requests.parked),
        given_replies=(),
    )


def restore_deferred(requests: ApprovalQueue) -> ApprovalQueue:
    """Bring back what was put off."""
    return replace(requests, deferred_ids=frozenset(), given_replies=())
