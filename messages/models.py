"""What a model request reports back to the agent that made it."""

from typing import Literal

from messages.base import Message
from messages.content import Block, Usage

ModelFailureReason = Literal[
    "unauthorized",
    "rejected",
    "too_long",
    "rate_limited",
    "overloaded",
    "unreachable",
    "cut_off",
    "protocol",
    "cancelled",
]
"""unauthorized: the key · rejected: any other 4xx · too_long: the context · unreachable: no
answer · cut_off: the stream ended early · protocol: not the Messages API · cancelled: by us."""


class ModelReplied(Message):
    """One whole reply: its `message_stop` was seen."""

    type: Literal["model_replied"] = "model_replied"
    request: int
    """Counts the agent's requests; late replies of cancelled ones are told apart by it."""
    content: tuple[Block, ...]
    stop_reason: str
    usage: Usage
    model: str


class ModelFailed(Message):
    """The request ended without a whole reply; no part of it may act."""

    type: Literal["model_failed"] = "model_failed"
    request: int
    reason: ModelFailureReason
    detail: str
    """For people: what happened, where, what to do."""
    partial: str = ""
    """Text that had arrived before."""
