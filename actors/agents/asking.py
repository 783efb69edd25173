"""The request that a person will see, bound to exactly what would run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors.agents.effects import AskPerson
from messages.address import Address
from messages.approvals import (
    Answer,
    AnyApprovalRequest,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.content import ToolUseBlock
from messages.tools import Plan


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, and where the call would run."""

    agent: Address
    turn: int
    cwd: Path


def request_for(effect: AskPerson, use: ToolUseBlock, asking: Asking) -> AnyApprovalRequest:
    """Write the request; it may be granted for longer where an exact rule can be offered."""
    plan, grants = effect.plan, effect.verdict.grants
    lasting: tuple[Answer, ...] = ("session", "project") if grants else ()
    answers: tuple[Answer, ...] = ("once", *lasting, "no")
    common: dict[str, Any] = {
        "id": effect.id,
        "agent": asking.agent,
        "turn": asking.turn,
        "call_id": use.id,
        "tool": use.name,
        "cwd": str(asking.cwd),
        "description": str(use.input.get("description", "")),
        "reason": effect.verdict.reason,
        "generation": effect.verdict.generation,
        "requests": plan.requests,
        "parts": effect.verdict.parts,
        "answers": answers,
        "grants": grants,
        "wider": effect.verdict.wider,
    }
    if plan.questions:
        return QuestionRequest(questions=plan.questions, switch=plan.switch, **common)
    if plan.patch is not None:
        return PatchApprovalRequest(path=plan.patch.path, diff=plan.patch.diff, **common)
    return ExecApprovalRequest(command=command_of(plan), runs=plan.runs, **common)


def command_of(plan: Plan) -> str:
    """Write out what a person must see of a plan; a title may be shortened, a command never is."""
    return plan.shown or plan.title
