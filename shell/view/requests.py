"""The approvals that wait for the person: first in first out, some put off until later."""

from dataclasses import dataclass, replace

from messages.approvals import (
    AnyApprovalRequest,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
    ShowApproval,
)
from shell.view.ink import CHAIN, cut
from shell.visible import visible_line

TOLD_COLUMNS = 120
"""So much of a call is told again once it was refused."""


@dataclass(frozen=True, slots=True)
class Requests:
    """What is parked, oldest first; at most one of them is on the screen."""

    parked: tuple[AnyApprovalRequest, ...] = ()
    later: frozenset[str] = frozenset()
    """Ids that the person put off."""
    replied: tuple[str, ...] = ()
    """To the first questions of the request on the screen."""

    @property
    def shown(self) -> AnyApprovalRequest | None:
        """The request that is on the screen."""
        return next((request for request in self.parked if request.id not in self.later), None)

    @property
    def prompt_id(self) -> str:
        """Names what is on the screen; each question of a request is a prompt of its own."""
        return f"{self.shown.id}·{len(self.replied)}" if self.shown else ""

    def find(self, request_id: str) -> AnyApprovalRequest | None:
        """Look a parked request up; None when it has ended."""
        return next((request for request in self.parked if request.id == request_id), None)


def presented(requests: Requests, message: ShowApproval) -> Requests:
    """Add a request behind the others; one that is known keeps its place."""
    if requests.find(message.request.id):
        return requests
    return replace(requests, parked=(*requests.parked, message.request))


def ended(requests: Requests, request_id: str) -> Requests:
    """Take a request away: it was answered or withdrawn."""
    if not requests.find(request_id):
        return requests
    shown = requests.shown
    kept = requests.replied if shown and shown.id != request_id else ()
    return Requests(
        replied=kept,
        parked=tuple(request for request in requests.parked if request.id != request_id),
        later=requests.later - {request_id},
    )


def refusal(request: AnyApprovalRequest, feedback: str) -> str:
    """Say what the person said no to, and what the agent reads of them."""
    match request:
        case ExecApprovalRequest():
            what = f" {visible_line(request.command)}"
        case PatchApprovalRequest():
            what = f" {visible_line(request.path)}"
        case QuestionRequest():
            what = ""
    who = CHAIN.join(request.agent.names)
    told = f"You said no to {who}: {cut(request.tool + what, TOLD_COLUMNS)}"
    return f"{told}\nIt reads: {feedback}" if feedback else told


def put_off(requests: Requests) -> Requests:
    """Take every request that waits now off the screen; they stay parked.

    All of them, since a screen full of questions must not stand before the key that stops the
    turn; one that comes later shows itself.
    """
    return replace(requests, later=frozenset(request.id for request in requests.parked), replied=())


def recalled(requests: Requests) -> Requests:
    """Bring back what was put off."""
    return replace(requests, later=frozenset(), replied=())
