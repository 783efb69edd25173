"""Compaction: replacing the earlier messages of a conversation with a summary."""

from typing import Literal

from pydantic import Field

from messages.base import Message
from messages.content import Usage

CompactionTrigger = Literal["user", "automatic", "overflow"]
"""user: `/compact` · automatic: the context is nearly full · overflow: the model refused a request
because it was too long."""
CompactionMethod = Literal["local", "remote", "ledger"]
"""local: a summary by the model · remote: a compaction block by the provider · ledger: no summary,
because none could be made."""


class StartCompaction(Message):
    """Compact the conversation now, while the agent continues."""

    notify_undelivered = True
    type: Literal["start_compaction"] = "start_compaction"
    instructions: str = ""
    """What the summary should concentrate on, in the user's words."""


class Compacted(Message):
    """Recorded: from here on, the model reads a summary and a ledger instead of earlier messages.

    The messages themselves stay in the session file.
    """

    type: Literal["compacted"] = "compacted"
    number: int = Field(ge=1)
    """Counts the agent's compactions, failed ones included."""
    trigger: CompactionTrigger
    method: CompactionMethod
    message_count: int = Field(ge=1)
    """The messages of the conversation that are replaced, from its start."""
    summary: str = ""
    """local: written by the model · remote: the text of the block, for requests without it."""
    block: str = ""
    """remote: the provider's block as JSON, sent back verbatim."""
    block_prefix: str = ""
    """remote: id of the `RequestPrefix` that the block was made with; no other request has it."""
    ledger: str
    """Written by the program: what must not be lost, word for word."""
    tokens_before: int = Field(ge=0)
    """Estimated size of the conversation before."""
    tokens_after: int = Field(ge=0)
    usage: Usage = Usage()
    """Usage of the requests for the summary."""


class CompactionFailed(Message):
    """No message was replaced, or compaction stops; the conversation is unchanged."""

    type: Literal["compaction_failed"] = "compaction_failed"
    trigger: CompactionTrigger
    detail: str
    """Shown to the user: what happened, why, and what to do."""


class GetContextUsage(Message):
    """Ask what fills the context window; answered by `ContextUsage`."""

    type: Literal["get_context_usage"] = "get_context_usage"


class ContextUsage(Message):
    """What fills the context window with the next request."""

    type: Literal["context_usage"] = "context_usage"
    model: str
    context_window_tokens: int = Field(ge=1)
    compaction_tokens: int = Field(ge=0)
    """The size at which the conversation is compacted."""
    parts: dict[str, int]
    """Estimated tokens by name, in the order of the request."""


class SummaryWritten(Message):
    """The `compact` subagent has a replacement for the earlier messages."""

    type: Literal["summary_written"] = "summary_written"
    compacted: Compacted


class SummaryFailed(Message):
    """The `compact` subagent has none."""

    type: Literal["summary_failed"] = "summary_failed"
    number: int
    """As in `Compacted`."""
    detail: str
    is_final: bool = False
    """Another attempt would fail for the same reason."""
