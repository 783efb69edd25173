"""Builders for the messages in tests of a turn."""

from actors.agents.turn.agent_identity import AgentIdentity
from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.effects import AskAboutLimit, RequestApproval
from actors.agents.turn.limits import Limits, TimerState, UsageTotals
from actors.agents.turn.model_state import ModelState
from actors.agents.turn.self_messages import ModelReplied, ToolFailed
from actors.agents.turn.turn_state import TurnState
from messages.address import PRIMARY
from messages.approvals import (
    ApprovalDecided,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.content import ContentBlock, TextBlock, ToolUseBlock, Usage
from messages.permissions import PermissionDecision
from messages.policy import Action, PermissionRequest
from messages.tool_calls import CallPlan, FileDigest, Patch
from messages.turns import RequestInfo

READ_TOOL, WRITE_TOOL, COMMAND_TOOL = "look", "change", "work"
"""A tool that only reads, one that changes files, and one whose calls may do either."""
READ_ONLY_TOOLS = frozenset({READ_TOOL})
CWD = "/repo"
USAGE = Usage(input_tokens=3, output_tokens=2, requests=1)


NO_LIMITS = Limits()


def make_state(run: int = 1, limits: Limits = NO_LIMITS) -> AgentState:
    return AgentState(
        identity=AgentIdentity(
            PRIMARY,
            run,
            cwd=CWD,
            read_only_tools=READ_ONLY_TOOLS,
            command_tools=frozenset({COMMAND_TOOL}),
        ),
        model=ModelState("m"),
        turn=TurnState(timer=TimerState(remaining_s=limits.seconds)),
        totals=UsageTotals(limits),
    )


def make_tool_use(call_id: str, name: str = WRITE_TOOL) -> ToolUseBlock:
    return ToolUseBlock(id=call_id, name=name)


def make_reply(request_number: int, *content: ContentBlock, stop_reason: str = "") -> ModelReplied:
    """Return a reply; its stop reason fits its content unless `stop_reason` is set."""
    has_call = any(isinstance(block, ToolUseBlock) for block in content)
    default_stop_reason = "tool_use" if has_call else "end_turn"
    return ModelReplied(
        request=RequestInfo(number=request_number),
        content=content or (TextBlock(text="done"),),
        stop_reason=stop_reason or default_stop_reason,
        usage=USAGE,
        model="script",
    )


def make_plan(call_id: str, version: int = 1, *, has_patch: bool = False) -> CallPlan:
    target = f"{call_id}.txt"
    text = f"version {version}"
    original = FileDigest(path=f"{CWD}/{target}", digest="")
    patch = Patch(path=original.path, original=original, new_text=text, diff=f"+{text}")
    return CallPlan(
        title=f"change {target}",
        full_text="" if has_patch else text,
        requests=(PermissionRequest(permission="write", target=target),),
        patch=patch if has_patch else None,
    )


def make_write_requests(*targets: str) -> tuple[PermissionRequest, ...]:
    return tuple(PermissionRequest(permission="write", target=target) for target in targets)


def make_decision(
    decision_id: str, action: Action, *resolved_paths: str, changes_nothing: bool = False
) -> PermissionDecision:
    return PermissionDecision(
        id=decision_id,
        action=action,
        reason="a rule",
        policy_version=1,
        resolved_requests=make_write_requests(*resolved_paths),
        changes_nothing=changes_nothing,
    )


def make_approval_request(
    effect: RequestApproval, turn: int = 1
) -> ExecApprovalRequest | PatchApprovalRequest:
    """Return the request an agent would build, written out to test the agent's separately."""
    plan = effect.plan
    if plan.patch is None:
        return ExecApprovalRequest(
            id=effect.id,
            agent=PRIMARY,
            turn=turn,
            call_id=effect.call_id,
            tool=WRITE_TOOL,
            cwd=CWD,
            reason=effect.decision.reason,
            requests=plan.requests,
            resolved_requests=effect.decision.resolved_requests,
            available_decisions=("once", "no"),
            command=plan.full_text,
        )
    return PatchApprovalRequest(
        id=effect.id,
        agent=PRIMARY,
        turn=turn,
        call_id=effect.call_id,
        tool=WRITE_TOOL,
        cwd=CWD,
        reason=effect.decision.reason,
        requests=plan.requests,
        resolved_requests=effect.decision.resolved_requests,
        available_decisions=("once", "no"),
        path=plan.patch.path,
        diff=plan.patch.diff,
    )


def approve(approval_id: str) -> ApprovalDecided:
    return ApprovalDecided(id=approval_id, agent=PRIMARY, decision="once")


def deny(approval_id: str, feedback: str = "") -> ApprovalDecided:
    return ApprovalDecided(id=approval_id, agent=PRIMARY, decision="no", feedback=feedback)


def extend_limit(question: AskAboutLimit) -> ApprovalDecided:
    """Return the user's answer that extends a limit."""
    answers = (question.question.choices[0].label,)
    return ApprovalDecided(id=question.id, agent=PRIMARY, decision="once", answers=answers)


def stop_at_limit(question: AskAboutLimit) -> ApprovalDecided:
    """Return the user's answer that ends the work."""
    answers = (question.question.choices[1].label,)
    return ApprovalDecided(id=question.id, agent=PRIMARY, decision="once", answers=answers)


def is_extension(decided: ApprovalDecided, question: AskAboutLimit) -> bool:
    return decided.answers == (question.question.choices[0].label,)


def make_limit_question(effect: AskAboutLimit, turn: int = 1) -> QuestionRequest:
    """Return the request an agent would build, as `make_approval_request` does."""
    return QuestionRequest(
        id=effect.id,
        agent=PRIMARY,
        turn=turn,
        call_id="",
        tool="",
        cwd=CWD,
        reason=effect.reason,
        requests=(),
        available_decisions=("once", "no"),
        questions=(effect.question,),
        limit=effect.limit,
    )


def make_tool_failed(call_id: str, reason: str, detail: str | None = None) -> ToolFailed:
    if detail is None:
        detail = "" if reason == "cancelled" else "why"
    return ToolFailed.model_validate({"call_id": call_id, "reason": reason, "detail": detail})
