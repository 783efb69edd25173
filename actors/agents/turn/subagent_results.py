"""What a subagent's end means to the model that gave it the task."""

import re
from typing import Literal, get_args

from actors.agents.turn.subagent_table import SubagentEntry
from messages.child_lifecycle import ChildCancelled, ChildEnded, ChildFailed
from messages.model_events import LimitReason
from messages.subagents import SubagentStatus
from messages.turns import ToolStatus, TurnCompleted, TurnFailed, TurnInterrupted

_FRAME = re.compile(r"<(?=\s*/?\s*task_)", re.IGNORECASE)

NO_TEXT = "(it ended without words)"
STOPPED = "The subagent was stopped before it was done."
HOW_TO_CONTINUE = "Call task with this task_id to let it go on."
INTERRUPTED = "interrupted; continue with task_id"
"""After a resume: what became of a task that was at work when the program ended."""

TaskOutcome = tuple[SubagentStatus, str]
"""How it ended, and why unless it completed."""


def get_outcome(child: SubagentEntry, end: ChildEnded | None) -> TaskOutcome:
    """Say what became of a task; `end` is the child's own, None: it lives on."""
    match child.turn_end:
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


def format_result(child: SubagentEntry, status: SubagentStatus, detail: str) -> str:
    """Write the result of a `task` call, in a frame that no child can forge."""
    name = child.address.name
    text = frame_text(_text_of(child))
    match status:
        case "completed":
            return f"task_id: {name}\n{text}"
        case "cancelled":
            return f"task_id: {name}\n{detail} {HOW_TO_CONTINUE} What it had said so far:\n{text}"
        case "limited":
            why = f"The subagent {detail}."
            return f"task_id: {name}\n{why} {HOW_TO_CONTINUE} What it had said so far:\n{text}"
        case "failed":
            why = f"The subagent failed ({detail}). What it had said so far:"
            return f"task_id: {name}\n{why}\n{text}"


def format_interrupted(name: str) -> str:
    """Write the result of a task that the end of the program cut off."""
    return f"{INTERRUPTED} {name}"


def to_tool_status(status: SubagentStatus) -> ToolStatus:
    """Say how the `task` call ended."""
    statuses: dict[SubagentStatus, Literal["ok", "cancelled", "error"]] = {
        "completed": "ok",
        "cancelled": "cancelled",
    }
    return statuses.get(status, "error")


def frame_text(text: str) -> str:
    """Put a child's words into their frame; what looks like the frame in them is escaped."""
    return f"<task_result>\n{_FRAME.sub('&lt;', text).strip() or NO_TEXT}\n</task_result>"


def _text_of(child: SubagentEntry) -> str:
    match child.turn_end:
        case TurnCompleted():
            return child.turn_end.text or child.last_text
        case TurnInterrupted() | TurnFailed():
            return "\n\n".join(
                each for each in (child.last_text, child.turn_end.partial_text) if each.strip()
            )
        case None:
            return child.last_text


def _without_a_word(end: ChildEnded | None) -> TaskOutcome:
    match end:
        case ChildFailed():
            return "failed", f"{end.cause}: {end.detail}"
        case ChildCancelled():
            return "cancelled", STOPPED
        case _:
            return "failed", "it ended without an answer"
