"""What goes into a session's file, and the talk with the journal that writes it."""

from typing import Annotated, Literal

from pydantic import Field

from messages.address import Address
from messages.approvals import (
    ApprovalDecided,
    ApprovalWithdrawn,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.base import Message
from messages.permissions import SessionSettings
from messages.subagents import SubagentEnded, SubagentStarted
from messages.turns import (
    AgentSwitched,
    ModelChanged,
    ModelRetrying,
    ReplyCompleted,
    TodosUpdated,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)

FORMAT_VERSION = 1
"""Version of the session file; older ones stay readable."""


class SessionHeader(Message):
    """The first record of a session file."""

    type: Literal["session_header"] = "session_header"
    format: int = FORMAT_VERSION
    session_id: str
    workspace: str
    """The workspace root, absolute."""


class SessionOpened(Message):
    """A program opened the session; its number is part of every id it mints."""

    type: Literal["session_opened"] = "session_opened"
    run: int
    pid: int
    version: str


Record = Annotated[
    SessionHeader
    | SessionOpened
    | SessionSettings
    | TurnStarted
    | ReplyCompleted
    | ModelChanged
    | AgentSwitched
    | ModelRetrying
    | ToolStarted
    | ToolEnded
    | TodosUpdated
    | TurnCompleted
    | TurnInterrupted
    | TurnFailed
    | SubagentStarted
    | SubagentEnded
    | ExecApprovalRequest
    | PatchApprovalRequest
    | QuestionRequest
    | ApprovalDecided
    | ApprovalWithdrawn,
    Field(discriminator="type"),
]


class Append(Message):
    """Write records and sync them; answered by `Appended` or `AppendFailed` to the sender."""

    notify_undelivered = True
    type: Literal["append"] = "append"
    id: int
    """The sender's own count; an unanswered one is sent again and written once."""
    records: tuple[Record, ...]
    after_id: int = 0
    """The sender's append that comes first on disk; 0: none. Behind one that was refused it is
    refused too, so that no record is on disk without those before it; behind one that was lost in a
    restart it is passed over, since both are sent again."""


class Appended(Message):
    """The records of an `Append` are on disk."""

    type: Literal["appended"] = "appended"
    id: int


class AppendFailed(Message):
    """The records are not on disk; no effect they announce may happen."""

    type: Literal["append_failed"] = "append_failed"
    id: int
    detail: str


class ReadRecords(Message):
    """Read the session back; answered by `RecordsRead` or `ReadRecordsFailed` to the sender.

    What the sender appended before is on disk when it is answered.
    """

    notify_undelivered = True
    type: Literal["read_records"] = "read_records"
    id: int
    """The sender's life: an answer to an earlier one is late."""
    agent: Address | None = None
    """Only what concerns this agent; None: everything."""


class RecordsRead(Message):
    """The records that were asked for, in their order."""

    type: Literal["records_read"] = "records_read"
    id: int
    records: tuple[Record, ...]


class ReadRecordsFailed(Message):
    """The session cannot be read."""

    type: Literal["read_records_failed"] = "read_records_failed"
    id: int
    detail: str
