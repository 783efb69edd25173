"""The request that a person will see, bound to exactly what would run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors.agents.effects import RequestApproval
from messages.address import Address
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecision,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.content import ToolUseBlock
from messages.tools import CallPlan


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Who asks, and where the call would run."""

    agent: Address
    turn: int
    cwd: Path


def build_approval_request(
    effect: RequestApproval, tool_use: ToolUseBlock, context: RequestContext
) -> AnyApprovalRequest:
    """Write the request; it may be granted for longer where an exact rule can be offered."""
    plan, grants = effect.plan, effect.decision.grants
    lasting: tuple[ApprovalDecision, ...] = ("session", "project") if grants else ()
    answers: tuple[ApprovalDecision, ...] = ("once", *lasting, "no")
    common: dict[str, Any] = {
        "id": effect.id,
        "agent": context.agent,
        "turn": context.turn,
        "call_id": tool_use.id,
        "tool": tool_use.name,
        "cwd": str(context.cwd),
        "description": str(tool_use.input.get("description", "")),
        "reason": effect.decision.reason,
        "policy_version": effect.decision.policy_version,
        "requests": plan.requests,
        "resolved_requests": effect.decision.resolved_requests,
        "available_decisions": answers,
        "grants": grants,
        "broader_grants": effect.decision.broader_grants,
    }
    if plan.questions:
        return QuestionRequest(
            questions=plan.questions, switch_proposal=plan.switch_proposal, **common
        )
    if plan.patch is not None:
        return PatchApprovalRequest(path=plan.patch.path, diff=plan.patch.diff, **common)
    return ExecApprovalRequest(
        command=format_command(plan), executed_files=plan.executed_files, **common
    )


def format_command(plan: CallPlan) -> str:
    """Write out what a person must see of a plan; a title may be shortened, a command never is."""
    return plan.full_text or plan.title
