"""What an agent's records say of it and of those below it."""

from dataclasses import replace

from actors.agents.turn.subagent_table import Family
from messages.address import Address
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalWithdrawn,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.journal import Record
from messages.subagents import SubagentEnded, SubagentStarted
from messages.turns import TurnStarted


def filter_own_records(records: tuple[Record, ...], agent: str) -> tuple[Record, ...]:
    """Leave out what those below were asked: two agents' calls may have one id."""
    return tuple(each for each in records if not _is_asked_of_others(each, agent))


def _is_asked_of_others(record: Record, agent: str) -> bool:
    return isinstance(record, AnyApprovalRequest | ApprovalDecided) and record.agent != agent


def find_last_task_number(records: tuple[Record, ...], agent: str) -> int:
    """Say which start of this agent has had its prompt; 0: none."""
    taken = start = 0
    for record in records:
        if isinstance(record, SubagentStarted) and record.child == agent:
            start = record.task_number
        elif isinstance(record, TurnStarted):
            taken = start
    return taken


def build_subagent_table(records: tuple[Record, ...], agent: str) -> Family:
    """Find out whom an agent has started, and below whom a question is open."""
    family, waiting = Family(), dict[str, Address]()
    for record in records:
        match record:
            case SubagentStarted() if record.parent == agent:
                family = family.with_started(record, is_alive=False)
            case SubagentEnded() if record.child.parent == agent:
                child = family.find(record.child)
                family = family.with_entry(replace(child, call_id="")) if child else family
            case ExecApprovalRequest() | PatchApprovalRequest() | QuestionRequest():
                waiting[record.id] = record.agent
            case ApprovalDecided() | ApprovalWithdrawn():
                waiting.pop(record.id, None)
            case _:
                pass
    names = [name for name, child in family.entries.items() if child.call_id]
    returning = frozenset(
        name
        for name in names
        if any(asker.is_under(family.entries[name].address) for asker in waiting.values())
    )
    return replace(family, names_to_resume=returning)
