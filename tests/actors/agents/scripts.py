"""Short words for the messages that the tests of a turn are made of."""

from actors.agents.effects import RequestApproval
from actors.agents.limits import Limits, TimerState, UsageTotals
from actors.agents.state import AgentState
from messages.address import PRIMARY
from messages.approvals import ApprovalDecided, ExecApprovalRequest, PatchApprovalRequest
from messages.content import ContentBlock, TextBlock, ToolUseBlock, Usage
from messages.models import ModelReplied
from messages.permissions import PermissionDecision
from messages.rules import Action, PermissionRequest
from messages.tools import CallPlan, FileDigest, Patch, ToolFailed

LOOK, CHANGE = "look", "change"
"""A tool that only reads, and one that does not."""
READING = frozenset({LOOK})
CWD = "/repo"
USED = Usage(input_tokens=3, output_tokens=2, requests=1)


NO_LIMITS = Limits()


def blank(run: int = 1, limits: Limits = NO_LIMITS) -> AgentState:
    return AgentState(
        asker=PRIMARY,
        run=run,
        reading=READING,
        cwd=CWD,
        model="m",
        account=UsageTotals(limits),
        clock=TimerState(left_s=limits.seconds),
    )


def use(call_id: str, name: str = CHANGE) -> ToolUseBlock:
    return ToolUseBlock(id=call_id, name=name)


def reply(request: int, *content: ContentBlock, stop_reason: str = "") -> ModelReplied:
    """Make a reply whose stop reason fits its content unless one is given."""
    called = any(isinstance(block, ToolUseBlock) for block in content)
    fitting = "tool_use" if called else "end_turn"
    return ModelReplied(
        request=request,
        content=content or (TextBlock(text="done"),),
        stop_reason=stop_reason or fitting,
        usage=USED,
        model="script",
    )


def plan_for(call_id: str, version: int = 1, *, patched: bool = False) -> CallPlan:
    target = f"{call_id}.txt"
    text = f"version {version}"
    before = FileDigest(path=f"{CWD}/{target}", digest="")
    patch = Patch(path=before.path, before=before, after=text, diff=f"+{text}")
    return CallPlan(
        title=f"change {target}",
        full_text="" if patched else text,
        requests=(PermissionRequest(permission="write", target=target),),
        patch=patch if patched else None,
    )


def parts(*targets: str) -> tuple[PermissionRequest, ...]:
    return tuple(PermissionRequest(permission="write", target=each) for each in targets)


def verdict(query: str, action: Action, *led_to: str) -> PermissionDecision:
    return PermissionDecision(
        id=query, action=action, reason="a rule", policy_version=1, resolved_requests=parts(*led_to)
    )


def question(asked: RequestApproval, turn: int = 1) -> ExecApprovalRequest | PatchApprovalRequest:
    """Make the request as the agent would; by hand, so that the agent's own is tested apart."""
    plan = asked.plan
    if plan.patch is None:
        return ExecApprovalRequest(
            id=asked.id,
            agent=PRIMARY,
            turn=turn,
            call_id=asked.call_id,
            tool=CHANGE,
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
        tool=CHANGE,
        cwd=CWD,
        reason=asked.decision.reason,
        requests=plan.requests,
        resolved_requests=asked.decision.resolved_requests,
        available_decisions=("once", "no"),
        path=plan.patch.path,
        diff=plan.patch.diff,
    )


def yes(approval: str) -> ApprovalDecided:
    return ApprovalDecided(id=approval, agent=PRIMARY, decision="once")


def no(approval: str, feedback: str = "") -> ApprovalDecided:
    return ApprovalDecided(id=approval, agent=PRIMARY, decision="no", feedback=feedback)


def failed(call_id: str, reason: str, detail: str = "why") -> ToolFailed:
    return ToolFailed.model_validate({"call_id": call_id, "reason": reason, "detail": detail})
