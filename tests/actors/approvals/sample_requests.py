"""A sample approval request of an agent."""

from messages.address import PRIMARY, Address
from messages.approvals import ApprovalDecision, ExecApprovalRequest
from messages.policy import PermissionRequest, Rule


def make_request(
    request_id: str = "r1",
    agent: Address = PRIMARY,
    available_decisions: tuple[ApprovalDecision, ...] = ("once", "session", "no"),
) -> ExecApprovalRequest:
    return ExecApprovalRequest(
        id=request_id,
        agent=agent,
        turn=1,
        call_id="c1",
        tool="write",
        cwd="/repo",
        reason="a rule",
        requests=(PermissionRequest(permission="write", target=request_id),),
        available_decisions=available_decisions,
        grants=(Rule(permission="write", pattern=request_id, action="allow"),),
        command="write it",
    )
