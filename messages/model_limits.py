"""The limits of a model."""

from typing import Literal

from pydantic import Field

from messages.base import Message


class ModelLimitsFound(Message):
    """A model's limits, as reported by its server, else from our own table."""

    type: Literal["model_limits_found"] = "model_limits_found"
    model: str
    max_context_tokens: int = Field(gt=0)
    """Size of the context window, including the reply."""
    max_output_tokens: int = Field(gt=0)
    """Maximum length of one reply."""
