"""The result of a `task` call: what the model reads when a subagent's task ends."""

from typing import Literal, get_args

from actors.agents.turn.result_frame import escape_tags, frame_text
from actors.agents.turn.subagent_table import AssignedTask
from messages.child_lifecycle import ChildCancelled, ChildEnded, ChildFailed
from messages.failure_reasons import LimitReason
from messages.subagents import SubagentStatus, TaskDropped
from messages.turns import ToolStatus, TurnCompleted, TurnFailed, TurnInterrupted

STOPPED = "The subagent was stopped before it finished."
HOW_TO_CONTINUE = "Call task with this task_id to let it continue."
PARTIAL_TEXT = "Its text so far:"
STARTED_IN_BACKGROUND = (
    "It works in the background. You are notified when it ends: continue with other work or end "
    "your turn, and do not poll or wait."
)
INTERRUPTED = "interrupted; continue with task_id"
"""Result of a task that was running when its parent stopped; the subagent's name follows."""

TaskOutcome = tuple[SubagentStatus, str]
"""How a task ended, and why unless it completed."""


def get_outcome(task: AssignedTask, end: ChildEnded | None) -> TaskOutcome:
    """Return how a task ended; `end` is the child's own end, None if the child still runs."""
    match task.end:
        case TurnCompleted():
            return "completed", ""
        case TurnInterrupted() | TaskDropped():
            return "cancelled", STOPPED
        case TurnFailed() as failed if failed.reason in get_args(LimitReason):
            return "limit_reached", failed.detail
        case TurnFailed() as failed:
            return "failed", f"{failed.reason}: {failed.detail}"
        case None:
            return _get_outcome_without_turn_end(end)


def format_result(name: str, task: AssignedTask, status: SubagentStatus, detail: str) -> str:
    """Return the result of a `task` call, in a frame that the subagent's text cannot forge."""
    text = frame_text(get_text(task))
    detail = escape_tags(detail)
    match status:
        case "completed":
            return f"task_id: {name}\n{text}"
        case "cancelled":
            return f"task_id: {name}\n{detail} {HOW_TO_CONTINUE} {PARTIAL_TEXT}\n{text}"
        case "limit_reached":
            reason = f"The subagent {detail}."
            return f"task_id: {name}\n{reason} {HOW_TO_CONTINUE} {PARTIAL_TEXT}\n{text}"
        case "failed":
            return f"task_id: {name}\nThe subagent failed ({detail}). {PARTIAL_TEXT}\n{text}"


def format_background_start(name: str) -> str:
    """Return the result of a `task` call whose subagent works in the background."""
    return f"task_id: {name}\n{STARTED_IN_BACKGROUND}"


def format_backgrounding(name: str) -> str:
    """Return the result of a `task` call whose subagent the user moved to the background."""
    return f"task_id: {name}\nThe user moved it to the background. {STARTED_IN_BACKGROUND}"


def format_notification(name: str, task: AssignedTask, status: SubagentStatus, detail: str) -> str:
    """Return the notification of a background task's end, which its text cannot forge."""
    result = format_result(name, task, status, detail)
    return f"<task_notification>\nA background task has ended.\n{result}\n</task_notification>"


def format_interrupted(name: str) -> str:
    """Return the result of a task that was running when its parent stopped."""
    return f"{INTERRUPTED} {name}"


def to_tool_status(status: SubagentStatus) -> ToolStatus:
    """Return the status of the `task` call."""
    statuses: dict[SubagentStatus, Literal["ok", "cancelled", "error"]] = {
        "completed": "ok",
        "cancelled": "cancelled",
    }
    return statuses.get(status, "error")


def get_text(task: AssignedTask) -> str:
    """Return the text of a task's last reply, also of one that is not complete."""
    match task.end:
        case TurnCompleted():
            return task.end.text or task.last_text
        case TurnInterrupted() | TurnFailed():
            texts = (task.last_text, task.end.partial_text)
            return "\n\n".join(text for text in texts if text.strip())
        case TaskDropped() | None:
            return task.last_text


def _get_outcome_without_turn_end(end: ChildEnded | None) -> TaskOutcome:
    match end:
        case ChildFailed():
            return "failed", f"{end.cause}: {end.detail}"
        case ChildCancelled():
            return "cancelled", STOPPED
        case _:
            return "failed", "it ended without a reply"
