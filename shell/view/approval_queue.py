"""The approval requests that wait for the user: first in, first out, some of them deferred."""

from dataclasses import dataclass, replace

from messages.address import Address
from messages.approvals import (
    AnyApprovalRequest,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.user_questions import UserQuestion
from shell.text.sanitize import sanitize_line
from shell.view.styled_text import AGENT_CHAIN_SEPARATOR, truncate

MAX_CALL_COLUMNS = 120
"""Width of a rejected call in the notice about it."""


@dataclass(frozen=True, slots=True)
class ApprovalQueue:
    """The parked requests, oldest first; at most one of them is on screen."""

    parked: tuple[AnyApprovalRequest, ...] = ()
    deferred_ids: frozenset[str] = frozenset()
    """Ids of the requests that the user deferred."""
    given_replies: tuple[str, ...] = ()
    """Replies to the first questions of the request on screen."""
    shows_background: bool = False
    """Requests of background tasks are shown at once: there is no footer that counts them."""
    only_agent: Address | None = None
    """The agent whose page is open: only its requests are shown. None: all requests are."""

    @property
    def current(self) -> AnyApprovalRequest | None:
        """The request on screen."""
        return next(
            (request for request in self.shown if request.id not in self.deferred_ids), None
        )

    @property
    def shown(self) -> tuple[AnyApprovalRequest, ...]:
        """The requests that are shown one after the other, also deferred ones."""
        if self.only_agent is None:
            return self.parked
        return self.of_agent(self.only_agent)

    def of_agent(self, agent: Address) -> tuple[AnyApprovalRequest, ...]:
        """Return the requests of one agent, without those of its subagents."""
        return tuple(request for request in self.parked if request.agent == agent)

    @property
    def has_hidden(self) -> bool:
        """Whether a request is deferred, or is not shown on the open page."""
        return bool(self.deferred_ids) or len(self.shown) < len(self.parked)

    @property
    def current_question(self) -> UserQuestion | None:
        """The question on screen; None: there is no request, or one of another kind."""
        request = self.current
        if not isinstance(request, QuestionRequest):
            return None
        return request.questions[len(self.given_replies)]

    @property
    def prompt_id(self) -> str:
        """The id of the prompt on screen; each question of a request is a separate prompt."""
        return f"{self.current.id}·{len(self.given_replies)}" if self.current else ""

    def find(self, request_id: str) -> AnyApprovalRequest | None:
        """Return a parked request, or None if it has ended."""
        return next((request for request in self.parked if request.id == request_id), None)


def with_request(queue: ApprovalQueue, request: AnyApprovalRequest) -> ApprovalQueue:
    """Add a request at the end; a known request keeps its position.

    A background task must not interrupt the user, so its request is shown at once only on the
    agent's own page; elsewhere, the footer counts it.
    """
    if queue.find(request.id):
        return queue
    is_hidden = (
        request.is_background and not queue.shows_background and queue.only_agent != request.agent
    )
    hidden_ids = frozenset({request.id}) if is_hidden else frozenset[str]()
    deferred_ids = queue.deferred_ids | hidden_ids
    return replace(queue, parked=(*queue.parked, request), deferred_ids=deferred_ids)


def without_request(queue: ApprovalQueue, request_id: str) -> ApprovalQueue:
    """Remove a request that was decided or withdrawn."""
    if not queue.find(request_id):
        return queue
    current = queue.current
    replies = queue.given_replies if current and current.id != request_id else ()
    return replace(
        queue,
        given_replies=replies,
        parked=tuple(request for request in queue.parked if request.id != request_id),
        deferred_ids=queue.deferred_ids - {request_id},
    )


def format_rejection(request: AnyApprovalRequest, feedback: str) -> str:
    """Return a notice that names the rejected call and the reason that the agent receives."""
    chain = AGENT_CHAIN_SEPARATOR.join(request.agent.segments)
    notice = f"You denied this call of {chain}: {format_call(request)}"
    return f"{notice}\nReason sent to the agent: {feedback}" if feedback else notice


def format_call(request: AnyApprovalRequest) -> str:
    """Return one line that names the call, shortened if it is long."""
    match request:
        case ExecApprovalRequest():
            target = f" {sanitize_line(request.command)}"
        case PatchApprovalRequest():
            target = f" {sanitize_line(request.path)}"
        case QuestionRequest():
            target = ""
    return truncate(request.tool + target, MAX_CALL_COLUMNS)


def defer_shown(queue: ApprovalQueue) -> ApprovalQueue:
    """Take every request that is shown now off the screen; they stay parked.

    All of them, so that a long queue cannot block the key that interrupts the turn. Requests that
    arrive later are shown.
    """
    ids = frozenset(request.id for request in queue.shown)
    return replace(queue, deferred_ids=queue.deferred_ids | ids, given_replies=())


def restore_deferred(queue: ApprovalQueue) -> ApprovalQueue:
    """Show the deferred requests again."""
    return replace(queue, deferred_ids=frozenset(), given_replies=())


def show_only(queue: ApprovalQueue, agent: Address | None) -> ApprovalQueue:
    """Show only an agent's requests, also those that were deferred; None: all of them.

    Those of background tasks are deferred again when the page is closed.
    """
    if agent == queue.only_agent:
        return queue
    own = frozenset(request.id for request in queue.of_agent(agent)) if agent else frozenset[str]()
    background = frozenset(request.id for request in queue.parked if request.is_background)
    deferred_ids = (queue.deferred_ids | background) - own
    return replace(queue, only_agent=agent, deferred_ids=deferred_ids, given_replies=())
