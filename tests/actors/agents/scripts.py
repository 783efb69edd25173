"""Short words for the messages that the tests of a turn are made of."""

from actors.agents.effects import AskPerson
from actors.agents.limits import Account, Clock, Limits
from actors.agents.state import Turn
from messages.address import PRIMARY
from messages.approvals import ApprovalAnswered, ExecApprovalRequest, PatchApprovalRequest
from messages.content import Block, TextBlock, ToolUseBlock, Usage
from messages.models import ModelReplied
from messages.permissions import PermissionVerdict
from messages.rules import Action, PermissionRequest
from messages.tools import FileState, Patch, Plan, ToolFailed

LOOK, CHANGE = "look", "change"
"""A tool that only reads, and one that does not."""
READING = frozenset({LOOK})
CWD = "/repo"
USED = Usage(input_tokens=3, output_tokens=2, requests=1)


NO_LIMITS = Limits()


def blank(run: int = 1, limits: Limits = NO_LIMITS) -> Turn:
    return Turn(
        asker=PRIMARY,
        run=run,
        reading=READING,
        cwd=CWD,
        model="m",
        account=Account(limits),
        clock=Clock(left_s=limits.seconds),
    )


def use(call_id: str, name: str = CHANGE) -> ToolUseBlock:
    return ToolUseBlock(id=call_id, name=name)


def reply(request: int, *content: Block, stop_reason: str = "") -> ModelReplied:
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


def plan_for(call_id: str, version: int = 1, *, patched: bool = False) -> Plan:
    target = f"{call_id}.txt"
    text = f"version {version}"
    before = FileState(path=f"{CWD}/{target}", digest="")
    patch = Patch(path=before.path, before=before, after=text, diff=f"+{text}")
    return Plan(
        title=f"change {target}",
        shown="" if patched else text,
        requests=(PermissionRequest(permission="write", target=target),),
        patch=patch if patched else None,
    )


def parts(*targets: str) -> tuple[PermissionRequest, ...]:
    return tuple(PermissionRequest(permission="write", target=each) for each in targets)


def verdict(query: str, action: Action, *led_to: str) -> PermissionVerdict:
    return PermissionVerdict(
        id=query, action=action, reason="a rule", generation=1, parts=parts(*led_to)
    )


def question(asked: AskPerson, turn: int = 1) -> ExecApprovalRequest | PatchApprovalRequest:
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
            reason=asked.verdict.reason,
            requests=plan.requests,
            parts=asked.verdict.parts,
            answers=("once", "no"),
            command=plan.shown,
        )
    return PatchApprovalRequest(
        id=asked.id,
        agent=PRIMARY,
        turn=turn,
        call_id=asked.call_id,
        tool=CHANGE,
        cwd=CWD,
        reason=asked.verdict.reason,
        requests=plan.requests,
        parts=asked.verdict.parts,
        answers=("once", "no"),
        path=plan.patch.path,
        diff=plan.patch.diff,
    )


def yes(approval: str) -> ApprovalAnswered:
    return ApprovalAnswered(id=approval, agent=PRIMARY, answer="once")


def no(approval: str, feedback: str = "") -> ApprovalAnswered:
    return ApprovalAnswered(id=approval, agent=PRIMARY, answer="no", feedback=feedback)


def failed(call_id: str, reason: str, detail: str = "why") -> ToolFailed:
    return ToolFailed.model_validate({"call_id": call_id, "reason": reason, "detail": detail})
