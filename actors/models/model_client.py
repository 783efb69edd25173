"""What the agents need of a model: one request, a stream of events, one end."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from messages.content import ContentBlock, Usage
from messages.model_events import ModelFailureReason, ModelLimitsFound


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request, in the shapes of the Messages API (`system`, `tools`, `messages`)."""

    model: str
    system: str
    tools: tuple[dict[str, JsonValue], ...]
    messages: tuple[dict[str, JsonValue], ...]
    max_tokens: int
    headers: dict[str, str] = field(default_factory=dict)
    """Extra headers, such as `x-greenroom-subagent`."""


@dataclass(frozen=True, slots=True)
class ReplyDelta:
    """Text that arrived in one read of the socket, joined."""

    text: str = ""
    thinking: str = ""
    usage: Usage | None = None
    """What the server has counted of this request so far, where it said."""
    tool_input_chars: int = 0
    """Of the arguments of calls; what they say comes with the `Reply` only."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The whole reply; comes last, and only after the stream's `message_stop`."""

    content: tuple[ContentBlock, ...]
    stop_reason: str
    usage: Usage
    model: str


class ModelError(Exception):
    """The request ended without a whole reply.

    The detail is for people: what happened, where, what to do.
    """

    def __init__(
        self,
        reason: ModelFailureReason,
        detail: str,
        *,
        is_retryable: bool = False,
        retry_after_s: float = 0.0,
    ) -> None:
        """Keep the closed reason beside the text; `retry`: the same may succeed later."""
        super().__init__(detail)
        self.reason: ModelFailureReason = reason
        self.detail = detail
        self.is_retryable = is_retryable
        self.retry_after_s = retry_after_s


class ModelClient(Protocol):
    """A server that speaks the Messages API, or a stand-in that plays one."""

    def stream(self, request: ModelRequest) -> AsyncIterator[ReplyDelta | Reply]:
        """Send `request`; yields `Streamed` as it arrives, then exactly one `Reply`.

        Cancelling the task that iterates closes the connection.

        Raises:
            ModelError: the request ended without a whole reply.
        """
        ...

    async def look_up_limits(self, model: str) -> ModelLimitsFound | None:
        """Ask what a model takes; None where nobody says, or not soon."""
        ...
