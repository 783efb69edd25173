"""The `ModelClient` protocol: one request, a stream of deltas, and one reply or error."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from messages.content import ContentBlock, Usage
from messages.effort import Effort
from messages.failure_reasons import ModelFailureReason
from messages.model_limits import ModelLimitsFound

SUBAGENT_HEADER = "x-greenroom-subagent"
"""Names the kind of subagent that sends a request; the primary agent sends none."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request, in the shapes of the Messages API (`system`, `tools`, `messages`)."""

    model: str
    system: str
    tools: tuple[dict[str, JsonValue], ...]
    messages: tuple[dict[str, JsonValue], ...]
    max_tokens: int
    effort: Effort | None = None
    """None: the model's default."""
    headers: dict[str, str] = field(default_factory=dict)
    """Extra headers, such as `x-greenroom-subagent`."""
    compaction: dict[str, JsonValue] | None = None
    """Asks for a compaction block instead of a reply; the server must announce that it can."""


@dataclass(frozen=True, slots=True)
class ReplyDelta:
    """Text that arrived in one read of the socket, joined; none, if only a ping arrived."""

    text: str = ""
    thinking: str = ""
    usage: Usage | None = None
    """The server's count for this request so far, if it sent one."""
    tool_input_chars: int = 0
    """Characters of tool call arguments; their content comes only with the `Reply`."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The complete reply; comes last, and only after the stream's `message_stop`."""

    content: tuple[ContentBlock, ...]
    stop_reason: str
    usage: Usage
    model: str
    compaction_block: str = ""
    """As JSON, exactly as received; empty: none."""


class ModelError(Exception):
    """A request that ended without a complete reply.

    The detail is for the user: what happened, where, and what to do.
    """

    def __init__(
        self,
        reason: ModelFailureReason,
        detail: str,
        *,
        is_retryable: bool = False,
        retry_after_s: float = 0.0,
    ) -> None:
        """Create an error; `is_retryable`: the same request may succeed later."""
        super().__init__(detail)
        self.reason: ModelFailureReason = reason
        self.detail = detail
        self.is_retryable = is_retryable
        self.retry_after_s = retry_after_s


class ModelClient(Protocol):
    """A server that speaks the Messages API, or a stand-in for one."""

    def stream(self, request: ModelRequest) -> AsyncIterator[ReplyDelta | Reply]:
        """Send `request`; yield `ReplyDelta`s as they arrive, then exactly one `Reply`.

        Cancelling the iterating task closes the connection.

        Raises:
            ModelError: the request ended without a complete reply.
        """
        ...

    async def look_up_limits(self, model: str) -> ModelLimitsFound | None:
        """Ask the server for a model's token limits; None if it does not answer in time."""
        ...
