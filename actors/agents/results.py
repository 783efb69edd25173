"""What a subagent's end means to the model that gave it the task."""

import re
from typing import Literal, get_args

from actors.agents.family import SubagentEntry
from messages.agents import ChildCancelled, ChildEnded, ChildFailed
from messages.models import LimitReason
from messages.subagents import SubagentStatus
from messages.turns import ToolStatus, TurnCompleted, TurnFailed, TurnInterrupted

_FRAME = re.compile(r"<(?=\s*/?\s*task_)", re.IGNORECASE)

NO_WORDS = "(it ended without words)"
STOPPED = "The subagent was stopped before it was done."
GO_ON = "Call task with this task_id to let it go on."
INTERRUPTED = "interrupted; continue with task_id"
"""After a resume: what became of a task that was at work when the program ended."""

Outcome = tuple[SubagentStatus, str]
"""How it ended, and why unless it completed."""


def outcome_of(child: SubagentEntry, end: ChildEnded | None) -> Outcome:
    """Say what became of a task; `end` is the child's own, None: it lives on."""
    match child.end:
        case TurnCompleted():
            return "completed", ""
        case TurnInterrupted():
            return "cancelled", STOPPED
        case TurnFailed() as failed if failed.reason in get_args(LimitReason):
            return "limited", failed.detail
        case TurnFailed() as failed:
            return "failed", f"{failed.reason}: {failed.detail}"
        case None:
            return _without_a_word(end)


def result_text(child: SubagentEntry, status: SubagentStatus, detail: str) -> str:
    """Write the result of a `task` call, in a frame that no child can forge."""
    name = child.address.name
    text = framed(_text_of(child))
    match status:
        case "completed":
            return f"task_id: {name}\n{text}"
        case "cancelled":
            return f"task_id: {name}\n{detail} {GO_ON} What it had said so far:\n{text}"
        case "limited":
            why = f"The subagent {detail}."
            return f"task_id: {name}\n{why} {GO_ON} What it had said so far:\n{text}"
        case "failed":
            why = f"The subagent failed ({detail}). What it had said so far:"
            return f"task_id: {name}\n{why}\n{text}"


def interrupted_text(name: str) -> str:
    """Write the result of a task that the end of the program cut off."""
    return f"{INTERRUPTED} {name}"


def status_of(status: SubagentStatus) -> ToolStatus:
    """Say how the `task` call ended."""
    statuses: dict[SubagentStatus, Literal["ok", "cancelled", "error"]] = {
        "completed": "ok",
        "cancelled": "cancelled",
    }
    return statuses.get(status, "error")


def framed(text: str) -> str:
    """Put a child's words into their frame; what looks like the frame in them is escaped."""
    return f"<task_result>\n{_FRAME.sub('&lt;', text).strip() or NO_WORDS}\n</task_result>"


def _text_of(child: SubagentEntry) -> str:
    match child.end:
        case TurnCompleted():
            return child.end.text or child.said
        case TurnInterrupted() | TurnFailed():
            return "\n\n".join(each for each in (child.said, child.end.partial) if each.strip())
        case None:
            return child.said


def _without_a_word(end: ChildEnded | None) -> Outcome:
    match end:
        case ChildFailed():
            return "failed", f"{end.cause}: {end.detail}"
        case ChildCancelled():
            return "cancelled", STOPPED
        case _:
            return "failed", "it ended without an answer"
