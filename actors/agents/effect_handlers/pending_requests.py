"""An agent's questions to the engine and to people, until they are answered."""

from typing import Any

from actors.agents.turn.agent_state import AgentState, CallStage
from actors.runtime.actor import Actor
from messages.address import Address
from messages.approvals import AnyApprovalRequest, ApprovalUnavailable
from messages.permissions import EvaluatePermission, PermissionDecision
from messages.supervision import Undelivered

PendingRequest = EvaluatePermission | AnyApprovalRequest


class PendingRequests:
    """What was asked and whom; said again to whoever was restarted."""

    def __init__(self, actor: Actor[Any]) -> None:
        """Speak for `actor`, with nothing asked yet."""
        self._actor = actor
        self._asked: dict[str, tuple[Address, PendingRequest]] = {}

    def send(self, to: Address, request: PendingRequest, turn: AgentState) -> None:
        """Ask, and forget what the turn does not wait for any more."""
        awaited = get_awaited_ids(turn)
        self._asked = {each: kept for each, kept in self._asked.items() if each in awaited}
        self._asked[request.id] = (to, request)
        self._actor.tell(to, request)

    def resend(self, peer: Address, turn: AgentState) -> None:
        """Say to a restarted peer what the turn still waits for."""
        awaited = get_awaited_ids(turn)
        for question_id, (to, question) in self._asked.items():
            if to == peer and question_id in awaited:
                self._actor.tell(to, question)


def get_awaited_ids(turn: AgentState) -> frozenset[str]:
    """Name the questions that a turn has no answer to."""
    judging = (CallStage.CHECKING_READ, CallStage.EVALUATING)
    queries = (call.decision_id for call in turn.calls if call.stage in judging)
    approvals = (
        call.approval_id for call in turn.calls if call.stage is CallStage.AWAITING_APPROVAL
    )
    return frozenset((*queries, *approvals))


def get_undelivered_outcome(
    returned: Undelivered,
) -> PermissionDecision | ApprovalUnavailable | None:
    """Say what it means that a question came back; None: it is asked again, or was none."""
    message = returned.message
    if returned.reason == "crashed":  # its receiver lives on, and is asked again
        return None
    if isinstance(message, EvaluatePermission):
        reason = f"the permission engine could not judge it ({returned.reason})"
        return PermissionDecision(id=message.id, action="deny", reason=reason, policy_version=0)
    if isinstance(message, AnyApprovalRequest):
        reason = f"the question could not be put to anybody ({returned.reason})"
        return ApprovalUnavailable(id=message.id, agent=message.agent, reason=reason)
    return None
