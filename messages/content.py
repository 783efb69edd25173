"""Content blocks of a conversation, named as in the Anthropic Messages API."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from messages.base import Value


class TextBlock(Value):
    """Text from the model."""

    type: Literal["text"] = "text"
    text: str


class ThinkingBlock(Value):
    """The model's reasoning, sent back verbatim with its signature."""

    type: Literal["thinking"] = "thinking"
    thinking: str
    signature: str = ""


class RedactedThinkingBlock(Value):
    """Encrypted reasoning, sent back verbatim."""

    type: Literal["redacted_thinking"] = "redacted_thinking"
    data: str


MAX_COST = 1e300
"""Upper bound of a cost in a message, so that it is a number in JSON."""
THINKING_TYPES = ("thinking", "redacted_thinking")
"""Types of blocks with the model's reasoning."""


class ToolUseBlock(Value):
    """One complete tool call: its block was closed and its input was parsed strictly."""

    type: Literal["tool_use"] = "tool_use"
    id: str
    """The model's id for the call; the result refers to it."""
    name: str
    input: dict[str, JsonValue] = {}
    input_error: str = ""
    """Why the streamed input is not a JSON object; a call with an error never runs."""


ContentBlock = Annotated[
    TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock, Field(discriminator="type")
]


def _is_zero(value: float) -> bool:
    return value == 0


class Usage(Value):
    """Token usage of one or more requests, as reported by the API."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0
    requests: int = 0
    cost: float = Field(default=0.0, ge=0, le=MAX_COST, exclude_if=_is_zero)
    """At the user's prices, in their currency; 0: no price is known."""

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum, field by field."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_creation_input_tokens=(
                self.cache_creation_input_tokens + other.cache_creation_input_tokens
            ),
            cache_read_input_tokens=self.cache_read_input_tokens + other.cache_read_input_tokens,
            requests=self.requests + other.requests,
            cost=self.cost + other.cost,
        )


CONTEXT_TAGS = ("env", "attachment")
"""Tags around the text that accompanies a prompt: the environment, and each attachment."""


def join_text(content: tuple[ContentBlock, ...]) -> str:
    """Concatenate the text blocks of one reply."""
    return "".join(block.text for block in content if isinstance(block, TextBlock))
