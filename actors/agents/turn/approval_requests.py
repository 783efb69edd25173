"""Approval requests: how they are built, and what an answer means for the call."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors.agents.turn.effects import AskAboutLimit, RequestApproval
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

NO_ANSWER = "The user gave no answer."


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Who asks, and where the call would run."""

    agent: Address
    turn: int
    cwd: Path


def build_approval_request(
    effect: RequestApproval, tool_use: ToolUseBlock, context: RequestContext
) -> AnyApprovalRequest:
    """Build the request; `session` and `project` are offered only if there is an exact grant."""
    plan, grants = effect.plan, effect.decision.grants
    lasting: tuple[ApprovalDecision, ...] = ("session", "project") if grants else ()
    decisions: tuple[ApprovalDecision, ...] = ("once", *lasting, "no")
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
        "available_decisions": decisions,
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
        command=format_command(plan),
        executed_files=plan.executed_files,
        workspace_access=plan.workspace_access,
        sandbox=effect.decision.sandbox,
        **common,
    )


def build_limit_question(effect: AskAboutLimit, context: RequestContext) -> QuestionRequest:
    """Build the question whether to continue beyond a limit; no permission is involved."""
    return QuestionRequest(
        id=effect.id,
        agent=context.agent,
        turn=context.turn,
        call_id="",
        tool="question",
        cwd=str(context.cwd),
        reason=effect.reason,
        requests=(),
        available_decisions=("once", "no"),
        questions=(effect.question,),
        limit=effect.limit,
    )


def format_command(plan: CallPlan) -> str:
    """Return everything the user must see of a plan; a title may be shortened, this never is."""
    return plan.full_text or plan.title


def is_request_for(request: ApprovalRequest, plan: CallPlan, cwd: str) -> bool:
    """Return whether the user saw exactly this plan, in this directory, when deciding `request`."""
    if request.requests != plan.requests or request.cwd != cwd:
        return False
    if isinstance(request, QuestionRequest):
        return plan.questions == request.questions
    patch = plan.patch
    if isinstance(request, PatchApprovalRequest):
        return patch is not None and (patch.path, patch.diff) == (request.path, request.diff)
    return patch is None and (
        format_command(plan),
        plan.executed_files,
        plan.workspace_access,
    ) == (request.command, request.executed_files, request.workspace_access)


def format_denial(decided: ApprovalDecided) -> str:
    """Return the result of a call that the user denied, with the user's feedback."""
    feedback = f" The user said: {decided.feedback}" if decided.feedback else ""
    return f"Denied by the user.{feedback}"


def is_switch_confirmed(proposal: AgentSwitchProposal, answers: tuple[str, ...]) -> bool:
    """Return whether the user's answer confirms the switch."""
    return answers == (proposal.confirming_reply,)


def format_answers(
    questions: tuple[UserQuestion, ...],
    answers: tuple[str, ...],
    proposal: AgentSwitchProposal | None,
) -> str:
    """Return the result of a call that asked the user: each question with its answer, if any."""
    if proposal is not None and not is_switch_confirmed(proposal, answers):
        return f"The user did not agree; nothing was switched. The user said: {' '.join(answers)}"
    pairs = zip(questions, answers, strict=False)
    return "\n\n".join(
        f"{question.text}\nThe user: {answer}" if answer else f"{question.text}\n{NO_ANSWER}"
        for question, answer in pairs
    )
