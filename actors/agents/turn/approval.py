"""What a person's answer to a request means for the call that asked."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors.agents.turn.effects import RequestApproval
from messages.address import Address
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalDecision,
    ApprovalRequest,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.content import ToolUseBlock
from messages.tool_calls import AgentSwitchProposal, CallPlan
from messages.user_questions import UserQuestion


def is_request_for(request: ApprovalRequest, plan: CallPlan, cwd: str) -> bool:
    """Whether a person who said yes to `request` saw exactly this plan, in this folder."""
    if request.requests != plan.requests or request.cwd != cwd:
        return False
    if isinstance(request, QuestionRequest):
        return plan.questions == request.questions
    patch = plan.patch
    if isinstance(request, PatchApprovalRequest):
        shown = (request.path, request.diff)
        return patch is not None and (patch.path, patch.diff) == shown
    return patch is None and (format_command(plan), plan.executed_files) == (
        request.command,
        request.executed_files,
    )


def format_denial(answer: ApprovalDecided) -> str:
    """Tell the model that a person said no, and what they said."""
    said = f" They said: {answer.feedback}" if answer.feedback else ""
    return f"Denied by the user.{said}"


def is_switch_confirmed(switch: AgentSwitchProposal, replies: tuple[str, ...]) -> bool:
    """Whether a person's reply is the yes to a switch."""
    return replies == (switch.confirming_reply,)


def format_answers(
    questions: tuple[UserQuestion, ...],
    replies: tuple[str, ...],
    switch: AgentSwitchProposal | None,
) -> str:
    """Tell the model what a person replied; their answer is the call's whole result."""
    if switch is not None and not is_switch_confirmed(switch, replies):
        return f"The user did not agree, and nothing is switched. They said: {' '.join(replies)}"
    pairs = zip(questions, replies, strict=False)
    return "\n\n".join(f"{asked.text}\nThe user: {reply}" for asked, reply in pairs)


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
