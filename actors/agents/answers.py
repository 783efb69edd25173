"""What a person's answer to a request means for the call that asked."""

from actors.agents.asking import format_command
from messages.approvals import (
    ApprovalDecided,
    ApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.questions import UserQuestion
from messages.tools import AgentSwitchProposal, CallPlan


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
