"""What goes into a session's file, and the talk with the journal that writes it."""

from typing import Annotated, Literal

from pydantic import Field

from messages.address import Address
from messages.approvals import (
    ApprovalAnswered,
    ApprovalWithdrawn,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.base import Message
from messages.permissions import Config
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

FORMAT = 1
"""Version of the session file; older ones stay readable."""


class Session(Message):
    """The first record of a session file."""

    type: Literal["session"] = "session"
    format: int = FORMAT
    session_id: str
    workspace: str
    """The workspace root, absolute."""


class RunStarted(Message):
    """A program opened the session; its number is part of every id it mints."""

    type: Literal["run_started"] = "run_started"
    run: int
    pid: int
    version: str


Record = Annotated[
    Session
    | RunStarted
    | Config
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
    | ApprovalAnswered
    | ApprovalWithdrawn,
    Field(discriminator="type"),
]


class Append(Message):
    """Write records and sync them; answered by `Appended` or `AppendFailed` to the sender."""

    bounces = True
    type: Literal["append"] = "append"
    id: int
    """The sender's own count; an unanswered one is sent again and written once."""
    records: tuple[Record, ...]
    after: int = 0
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


class AppendLate(Message):
    """The sender's note to itself: it has waited for the disk for a while."""

    type: Literal["append_late"] = "append_late"
    id: int
    """The append that was the oldest without an answer; 0: all had one."""


class Recall(Message):
    """Read the session back; answered by `Recalled` or `RecallFailed` to the sender.

    What the sender appended before is on disk when it is answered.
    """

    bounces = True
    type: Literal["recall"] = "recall"
    id: int
    """The sender's life: an answer to an earlier one is late."""
    of: Address | None = None
    """Only what concerns this agent; None: everything."""


class Recalled(Message):
    """The records that were asked for, in their order."""

    type: Literal["recalled"] = "recalled"
    id: int
    records: tuple[Record, ...]


class RecallFailed(Message):
    """The session cannot be read."""

    type: Literal["recall_failed"] = "recall_failed"
    id: int
    detail: str
