"""What a session's records say about an agent and its subagents."""

from dataclasses import replace

from pydantic import JsonValue

from actors.agents.turn.subagent_table import SubagentTable
from messages.address import Address
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalWithdrawn,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.content import ToolUseBlock
from messages.journal import Record
from messages.subagents import (
    NotificationDelivered,
    SubagentBackgrounded,
    SubagentEnded,
    SubagentStarted,
)
from messages.turns import ReplyCompleted, TurnStarted

ToolInput = dict[str, JsonValue]


def filter_own_records(records: tuple[Record, ...], agent: str) -> tuple[Record, ...]:
    """Drop approval records of subagents: calls of two agents may have the same id."""
    return tuple(record for record in records if not _is_approval_of_other(record, agent))


def _is_approval_of_other(record: Record, agent: str) -> bool:
    return isinstance(record, AnyApprovalRequest | ApprovalDecided) and record.agent != agent


def find_last_task_number(records: tuple[Record, ...]) -> int:
    """Return the number of the last task whose turn this agent started; 0: none."""
    started = (record.task_number for record in records if isinstance(record, TurnStarted))
    return max(started, default=0)


def _list_tool_inputs(reply: ReplyCompleted) -> dict[str, ToolInput]:
    return {block.id: block.input for block in reply.content if isinstance(block, ToolUseBlock)}


def _with_prompt(table: SubagentTable, child: Address, tool_input: ToolInput) -> SubagentTable:
    """Store the prompt of a task, which may not have reached the subagent's own records."""
    entry = table.find(child)
    if entry is None or entry.task is None:
        return table
    task = replace(entry.task, prompt=str(tool_input.get("prompt", "")))
    return table.with_entry(replace(entry, task=task))


def _with_ended(table: SubagentTable, ended: SubagentEnded) -> SubagentTable:
    child = table.find(ended.child)
    if child is not None:
        child = replace(child, task=None, last_notification=ended.notification)
        table = table.with_entry(child)
    queued = (ended,) if ended.notification else ()
    return replace(table, notifications=(*table.notifications, *queued))


def _without_notification(table: SubagentTable, delivered: NotificationDelivered) -> SubagentTable:
    remaining = tuple(
        ended
        for ended in table.notifications
        if (ended.child, ended.task_number) != (delivered.child, delivered.task_number)
    )
    return replace(table, notifications=remaining)


def build_subagent_table(records: tuple[Record, ...], agent: str) -> SubagentTable:
    """Return an agent's subagents and which of them have an open approval request below them."""
    table, requesters, inputs = SubagentTable(), dict[str, Address](), dict[str, ToolInput]()
    for record in records:
        match record:
            case ReplyCompleted():
                inputs |= _list_tool_inputs(record)
            case SubagentStarted() if record.parent == agent and _has_tasks(record):
                table = table.with_started(record, is_alive=False)
                table = _with_prompt(table, record.child, inputs.get(record.call_id, {}))
            case SubagentBackgrounded() if record.child.parent == agent:
                table = table.with_backgrounded(record.child)
            case SubagentEnded() if record.child.parent == agent:
                table = _with_ended(table, record)
            case NotificationDelivered() if record.child.parent == agent:
                table = _without_notification(table, record)
            case ExecApprovalRequest() | PatchApprovalRequest() | QuestionRequest():
                requesters[record.id] = record.agent
            case ApprovalDecided() | ApprovalWithdrawn():
                requesters.pop(record.id, None)
            case _:
                pass
    names_to_resume = frozenset(
        name
        for name, child in table.entries.items()
        if child.task is not None
        and any(requester.is_under(child.address) for requester in requesters.values())
    )
    return replace(table, names_to_resume=names_to_resume)


def _has_tasks(started: SubagentStarted) -> bool:
    """Return whether the subagent works on tasks; a compaction is not part of the turn."""
    return started.subagent_source.kind != "compact"
