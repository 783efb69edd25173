"""An agent's unanswered requests to the permission engine and for the user's approval."""

from typing import Any

from actors.agents.turn.agent_state import AgentState, CallStage
from actors.runtime.actor import Actor
from messages.address import Address
from messages.approvals import AnyApprovalRequest, ApprovalUnavailable
from messages.permissions import EvaluatePermission, PermissionDecision
from messages.supervision import Undelivered

PendingRequest = EvaluatePermission | AnyApprovalRequest


class PendingRequests:
    """Sends requests and resends the unanswered ones to a restarted actor."""

    def __init__(self, actor: Actor[Any]) -> None:
        """Send requests for `actor`."""
        self._actor = actor
        self._requests: dict[str, tuple[Address, PendingRequest]] = {}

    def send(self, to: Address, request: PendingRequest, turn: AgentState) -> None:
        """Send a request, and forget requests whose answer the turn no longer needs."""
        awaited_ids = get_awaited_ids(turn)
        self._requests = {
            request_id: sent
            for request_id, sent in self._requests.items()
            if request_id in awaited_ids
        }
        self._requests[request.id] = (to, request)
        self._actor.tell(to, request)

    def resend(self, peer: Address, turn: AgentState) -> None:
        """Resend to a restarted peer the requests that the turn still waits for."""
        awaited_ids = get_awaited_ids(turn)
        for request_id, (to, request) in self._requests.items():
            if to == peer and request_id in awaited_ids:
                self._actor.tell(to, request)


def get_awaited_ids(turn: AgentState) -> frozenset[str]:
    """Return the ids of all requests that the turn waits for."""
    evaluation_stages = (CallStage.CHECKING_READ, CallStage.EVALUATING)
    decision_ids = (call.decision_id for call in turn.calls if call.stage in evaluation_stages)
    approval_ids = (
        call.approval_id for call in turn.calls if call.stage is CallStage.AWAITING_APPROVAL
    )
    return frozenset((*decision_ids, *approval_ids))


def get_undelivered_outcome(
    undelivered: Undelivered,
) -> PermissionDecision | ApprovalUnavailable | None:
    """Return the outcome of an undelivered request; None if it is resent, or is no request."""
    message = undelivered.message
    if undelivered.reason == "crashed":  # its receiver restarts, and gets the request again
        return None
    if isinstance(message, EvaluatePermission):
        reason = f"the permission engine could not evaluate it ({undelivered.reason})"
        return PermissionDecision(id=message.id, action="deny", reason=reason, policy_version=0)
    if isinstance(message, AnyApprovalRequest):
        reason = f"the approval request could not be delivered ({undelivered.reason})"
        return ApprovalUnavailable(id=message.id, agent=message.agent, reason=reason)
    return None
