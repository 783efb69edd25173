"""What a model request reports back to the agent that made it."""

from typing import Literal

from pydantic import Field

from messages.base import Message

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
"""unauthorized: the key · rejected: any other 4xx · too_long: the context · server_failed: the
service itself · unavailable: it takes nothing now · gateway: somebody on the way answered, or
waited in vain · unreachable: no answer · cut_off: the stream ended early · protocol: not the
Messages API · cancelled: by us."""

LimitReason = Literal["max_turns", "token_budget", "time_limit"]
"""Which limit of the user's ended a turn: requests, tokens or seconds."""


MAX_DURATION_S = 31_536_000.0
"""A year: nobody waits longer, whatever they say."""


class ModelLimitsFound(Message):
    """What a model takes and gives, as its server says, or as we know it."""

    type: Literal["model_limits_found"] = "model_limits_found"
    model: str
    max_context_tokens: int = Field(gt=0)
    """Longest conversation, the reply included."""
    max_output_tokens: int = Field(gt=0)
    """Longest reply."""
