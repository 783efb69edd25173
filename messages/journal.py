"""The records of a session file, and requests to the journal that writes them."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from messages.address import Address
from messages.approvals import (
    ApprovalDecided,
    ApprovalWithdrawn,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.base import Message
from messages.compaction import Compacted
from messages.permissions import SessionSettings
from messages.reviews import ReviewEnded, ReviewStarted
from messages.snapshots import ChangesUndone, SnapshotTaken
from messages.steering import PromptDelivered
from messages.subagents import (
    NotificationDelivered,
    SubagentBackgrounded,
    SubagentEnded,
    SubagentStarted,
)
from messages.turns import (
    AgentSwitched,
    EffortChanged,
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
"""Version of the session file format."""


class SessionHeader(Message):
    """The first record of a session file."""

    type: Literal["session_header"] = "session_header"
    format: int = FORMAT_VERSION
    session_id: str
    workspace: str
    """The workspace root, absolute."""


class SessionOpened(Message):
    """A process opened the session; the run number is part of every id created in it."""

    type: Literal["session_opened"] = "session_opened"
    run: int
    pid: int
    version: str


class RequestPrefix(Message):
    """What precedes the messages of a model request; recorded before the first reply to it.

    A model may accept its own thinking only after the same prefix, so an unfinished turn continues
    with the recorded one. It is written once per session file, whichever agent used it first.
    """

    type: Literal["request_prefix"] = "request_prefix"
    id: str
    """Fingerprint of the other fields."""
    model: str
    system: str
    tools: tuple[dict[str, JsonValue], ...]
    """The tools offered to the model, as in the Messages API."""


Record = Annotated[
    SessionHeader
    | SessionOpened
    | RequestPrefix
    | SessionSettings
    | TurnStarted
    | ReplyCompleted
    | ModelChanged
    | EffortChanged
    | AgentSwitched
    | ModelRetrying
    | ToolStarted
    | ToolEnded
    | TodosUpdated
    | Compacted
    | PromptDelivered
    | TurnCompleted
    | TurnInterrupted
    | TurnFailed
    | SubagentStarted
    | SubagentBackgrounded
    | SubagentEnded
    | ReviewStarted
    | ReviewEnded
    | SnapshotTaken
    | ChangesUndone
    | NotificationDelivered
    | ExecApprovalRequest
    | PatchApprovalRequest
    | QuestionRequest
    | ApprovalDecided
    | ApprovalWithdrawn,
    Field(discriminator="type"),
]


class Append(Message):
    """Write and sync records; answered by `Appended` or `AppendFailed`."""

    notify_undelivered = True
    type: Literal["append"] = "append"
    id: int
    """Assigned by the sender; an unanswered append is resent and written once."""
    records: tuple[Record, ...]
    after_id: int = 0
    """The sender's append that must be on disk first; 0: none. If that one failed, this one fails
    too, so that no record is on disk without its predecessors. If it was lost in a restart, this
    one is skipped, because both are resent."""


class Appended(Message):
    """The records of an `Append` are on disk."""

    type: Literal["appended"] = "appended"
    id: int


class AppendFailed(Message):
    """The records are not on disk, so the effects they announce must not happen."""

    type: Literal["append_failed"] = "append_failed"
    id: int
    detail: str


class ReadRecords(Message):
    """Read the session's records; answered by `RecordsRead` or `ReadRecordsFailed`.

    Everything the sender appended before is on disk when the answer arrives.
    """

    notify_undelivered = True
    type: Literal["read_records"] = "read_records"
    id: int
    """The sender's incarnation, so that it can ignore answers to an earlier one."""
    agent: Address | None = None
    """Only records that concern this agent; None: all records."""


class RecordsRead(Message):
    """The requested records, in order."""

    type: Literal["records_read"] = "records_read"
    id: int
    records: tuple[Record, ...]


class ReadRecordsFailed(Message):
    """The session cannot be read."""

    type: Literal["read_records_failed"] = "read_records_failed"
    id: int
    detail: str
