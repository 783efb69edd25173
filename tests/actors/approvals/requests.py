"""A question as an agent would ask it."""

from messages.address import PRIMARY, Address
from messages.approvals import ApprovalDecision, ExecApprovalRequest
from messages.rules import PermissionRequest, Rule


def asking(
    approval: str = "r1",
    agent: Address = PRIMARY,
    answers: tuple[ApprovalDecision, ...] = ("once", "session", "no"),
) -> ExecApprovalRequest:
    return ExecApprovalRequest(
        id=approval,
        agent=agent,
        turn=1,
        call_id="c1",
        tool="write",
        cwd="/repo",
        reason="a rule",
        requests=(PermissionRequest(permission="write", target=approval),),
        available_decisions=answers,
        grants=(Rule(permission="write", pattern=approval, action="allow"),),
        command="write it",
    )
