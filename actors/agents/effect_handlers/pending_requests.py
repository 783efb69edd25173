"""An agent's unanswered requests to the permission engine and for the user's approval."""

from typing import Any

from actors.runtime.actor import Actor
from messages.address import Address
from messages.approvals import AnyApprovalRequest, ApprovalUnavailable
from messages.permissions import EvaluatePermission, PermissionDecision
from messages.subagents import AssignTask, TaskDropped
from messages.supervision import Undelivered

PendingRequest = EvaluatePermission | AnyApprovalRequest


class PendingRequests:
    """Sends requests and resends the unanswered ones to a restarted actor."""

    def __init__(self, actor: Actor[Any]) -> None:
        """Send requests for `actor`."""
        self._actor = actor
        self._requests: dict[str, tuple[Address, PendingRequest]] = {}

    def send(self, to: Address, request: PendingRequest, awaited_ids: frozenset[str]) -> None:
        """Send a request, and forget requests whose answer the agent no longer needs."""
        self._requests = {
            request_id: sent
            for request_id, sent in self._requests.items()
            if request_id in awaited_ids
        }
        self._requests[request.id] = (to, request)
        self._actor.tell(to, request)

    def resend(self, peer: Address, awaited_ids: frozenset[str]) -> None:
        """Resend to a restarted peer the requests that the agent still waits for."""
        for request_id, (to, request) in self._requests.items():
            if to == peer and request_id in awaited_ids:
                self._actor.tell(to, request)


def get_undelivered_outcome(
    undelivered: Undelivered,
) -> PermissionDecision | ApprovalUnavailable | TaskDropped | None:
    """Return the outcome of an undelivered request; None if it is resent, or is not a request."""
    message = undelivered.message
    if undelivered.reason == "crashed":  # its receiver restarts, and gets the request again
        return None
    if isinstance(message, EvaluatePermission):
        reason = f"the permission engine could not evaluate it ({undelivered.reason})"
        return PermissionDecision(id=message.id, action="deny", reason=reason, policy_version=0)
    if isinstance(message, AnyApprovalRequest):
        reason = f"the approval request could not be delivered ({undelivered.reason})"
        return ApprovalUnavailable(id=message.id, agent=message.agent, reason=reason)
    if isinstance(message, AssignTask):
        detail = f"the task could not be delivered ({undelivered.reason})"
        number = message.task_number
        return TaskDropped(child=undelivered.to, task_number=number, detail=detail)
    return None
