"""Who may write which record. Checked when a record is written, and again when it is read.

A file decides on resume which mode and which grants apply, and which calls the user approved. So an
agent, whose behavior is steered by what it reads, can write neither of these records.
"""

from messages.address import Address, is_agent
from messages.approvals import AnyApprovalRequest, ApprovalDecided, ApprovalWithdrawn
from messages.journal import Record, SessionHeader, SessionOpened
from messages.permissions import SessionSettings
from messages.subagents import SubagentEnded, SubagentStarted

_NOT_BY_AGENTS = (
    SessionHeader
    | SessionOpened
    | SessionSettings
    | AnyApprovalRequest
    | ApprovalDecided
    | ApprovalWithdrawn
)
"""Written by the program, the permission engine and the approval broker."""


def find_author_problem(record: Record, author: Address) -> str:
    """Return why this actor may not write the record; empty if it may."""
    if not is_agent(author):
        return ""
    is_of_another = isinstance(record, SubagentStarted | SubagentEnded) and (
        record.child.parent != author
    )
    if is_of_another or isinstance(record, _NOT_BY_AGENTS):
        return f"{author} may not write a record of type {record.type}"
    return ""
