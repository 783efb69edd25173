"""Short words for the messages that the tests of a turn are made of."""

from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.effects import RequestApproval
from actors.agents.turn.limits import Limits, TimerState, UsageTotals
from actors.agents.turn.self_messages import ModelReplied, ToolFailed
from messages.address import PRIMARY
from messages.approvals import ApprovalDecided, ExecApprovalRequest, PatchApprovalRequest
from messages.content import ContentBlock, TextBlock, ToolUseBlock, Usage
from messages.permissions import PermissionDecision
from messages.policy import Action, PermissionRequest
from messages.tool_calls import CallPlan, FileDigest, Patch

READ_TOOL, WRITE_TOOL = "look", "change"
"""A tool that only reads, and one that does not."""
READ_ONLY_TOOLS = frozenset({READ_TOOL})
CWD = "/repo"
USAGE = Usage(input_tokens=3, output_tokens=2, requests=1)


NO_LIMITS = Limits()


def make_state(run: int = 1, limits: Limits = NO_LIMITS) -> AgentState:
    return AgentState(
        agent_address=PRIMARY,
        run=run,
        read_only_tools=READ_ONLY_TOOLS,
        cwd=CWD,
        model="m",
        totals=UsageTotals(limits),
        timer=TimerState(remaining_s=limits.seconds),
    )


def make_tool_use(call_id: str, name: str = WRITE_TOOL) -> ToolUseBlock:
    return ToolUseBlock(id=call_id, name=name)


def make_reply(request: int, *content: ContentBlock, stop_reason: str = "") -> ModelReplied:
    """Make a reply whose stop reason fits its content unless one is given."""
    called = any(isinstance(block, ToolUseBlock) for block in content)
    fitting = "tool_use" if called else "end_turn"
    return ModelReplied(
        request_number=request,
        content=content or (TextBlock(text="done"),),
        stop_reason=stop_reason or fitting,
        usage=USAGE,
        model="script",
    )


def make_plan(call_id: str, version: int = 1, *, has_patch: bool = False) -> CallPlan:
    target = f"{call_id}.txt"
    text = f"version {version}"
    before = FileDigest(path=f"{CWD}/{target}", digest="")
    patch = Patch(path=before.path, original=before, new_text=text, diff=f"+{text}")
    return CallPlan(
        title=f"change {target}",
        full_text="" if has_patch else text,
        requests=(PermissionRequest(permission="write", target=target),),
        patch=patch if has_patch else None,
    )


def make_write_requests(*targets: str) -> tuple[PermissionRequest, ...]:
    return tuple(PermissionRequest(permission="write", target=each) for each in targets)


def make_decision(query: str, action: Action, *led_to: str) -> PermissionDecision:
    return PermissionDecision(
        id=query,
        action=action,
        reason="a rule",
        policy_version=1,
        resolved_requests=make_write_requests(*led_to),
    )


def make_approval_request(
    asked: RequestApproval, turn: int = 1
) -> ExecApprovalRequest | PatchApprovalRequest:
    """Make the request as the agent would; by hand, so that the agent's own is tested apart."""
    plan = asked.plan
    if plan.patch is None:
        return ExecApprovalRequest(
            id=asked.id,
            agent=PRIMARY,
            turn=turn,
            call_id=asked.call_id,
            tool=WRITE_TOOL,
            cwd=CWD,
            reason=asked.decision.reason,
            requests=plan.requests,
            resolved_requests=asked.decision.resolved_requests,
            available_decisions=("once", "no"),
            command=plan.full_text,
        )
    return PatchApprovalRequest(
        id=asked.id,
        agent=PRIMARY,
        turn=turn,
        call_id=asked.call_id,
        tool=WRITE_TOOL,
        cwd=CWD,
        reason=asked.decision.reason,
        requests=plan.requests,
        resolved_requests=asked.decision.resolved_requests,
        available_decisions=("once", "no"),
        path=plan.patch.path,
        diff=plan.patch.diff,
    )


def approve(approval: str) -> ApprovalDecided:
    return ApprovalDecided(id=approval, agent=PRIMARY, decision="once")


def deny(approval: str, feedback: str = "") -> ApprovalDecided:
    return ApprovalDecided(id=approval, agent=PRIMARY, decision="no", feedback=feedback)


def make_tool_failed(call_id: str, reason: str, detail: str = "why") -> ToolFailed:
    return ToolFailed.model_validate({"call_id": call_id, "reason": reason, "detail": detail})
