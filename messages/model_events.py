"""Values and results that describe model requests."""

from typing import Literal

from pydantic import Field

from messages.base import Message
from messages.content import ContentBlock, Usage

ModelFailureReason = Literal[
    "unauthorized",
    "rejected",
    "too_long",
    "rate_limited",
    "overloaded",
    "server_failed",
    "unavailable",
    "gateway",
    "unreachable",
    "cut_off",
    "protocol",
    "cancelled",
]
"""unauthorized: bad key · rejected: another 4xx · context_too_long: the conversation exceeds the
window · rate_limited, overloaded: try later · server_failed: the service failed · unavailable: it
accepts no requests now · gateway: a proxy answered or timed out · unreachable: no connection ·
cut_off: the stream ended early · protocol: not the Messages API · cancelled: by us."""

LimitReason = Literal["max_turns", "token_budget", "time_limit"]
"""The user's limit that ended a turn: requests, tokens or seconds."""


MAX_DURATION_S = 31_536_000.0
"""One year, in seconds: the upper bound of every duration in a message."""


class ModelReplied(Message):
    """One whole reply: its `message_stop` was seen."""

    type: Literal["model_replied"] = "model_replied"
    request_number: int
    """Counts the agent's requests; late replies of cancelled ones are told apart by it."""
    content: tuple[ContentBlock, ...]
    stop_reason: str
    usage: Usage
    model: str


class ModelFailed(Message):
    """The request ended without a whole reply; no part of it may act."""

    type: Literal["model_failed"] = "model_failed"
    request_number: int
    reason: ModelFailureReason
    detail: str
    """For people: what happened, where, what to do."""
    partial_text: str = ""
    """Text that had arrived before."""
    usage: Usage = Usage()
    """What the server had counted by then."""
    retry: bool = False
    """The same request may succeed when it is sent again."""
    retry_after_s: float = Field(default=0, ge=0, le=MAX_DURATION_S)
    """The server wishes to be left alone for so long; 0: it wishes nothing."""


class RetryDelayElapsed(Message):
    """The wait before a request is sent again is over, or was cut short."""

    type: Literal["retry_delay_elapsed"] = "retry_delay_elapsed"
    request_number: int
    """The request that had failed."""


class TurnTimerStopped(Message):
    """The clock of a turn's time limit has run out, or was held."""

    type: Literal["turn_timer_stopped"] = "turn_timer_stopped"
    turn: int
    remaining_s: float = Field(ge=0, le=MAX_DURATION_S)
    """0: the time is up."""


class ModelLimitsFound(Message):
    """A model's limits, as reported by its server, else from our own table."""

    type: Literal["model_limits_found"] = "model_limits_found"
    model: str
    max_context_tokens: int = Field(gt=0)
    """Size of the context window, including the reply."""
    max_output_tokens: int = Field(gt=0)
    """Maximum length of one reply."""
