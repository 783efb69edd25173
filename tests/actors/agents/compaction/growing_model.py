"""A model whose conversations grow as the test says, and whose summaries are scripted."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from actors.models.model_client import (
    SUBAGENT_HEADER,
    ModelError,
    ModelRequest,
    Reply,
    ReplyDelta,
)
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.model_limits import ModelLimitsFound

CONTEXT_TOKENS, OUTPUT_TOKENS = 100_000, 1_000
USABLE_TOKENS = 79_000
"""The window without the longest reply and 20,000 tokens."""

Line = str | Reply | ModelError | ToolUseBlock | Callable[[], Awaitable[str]]


@dataclass
class GrowingModel:
    """Answers with scripted lines, and reports scripted sizes of the conversation."""

    lines: list[Line] = field(default_factory=list[Line])
    """Replies to the agent; `ok` and its number if there are none left."""
    sizes: list[int] = field(default_factory=list[int])
    """Tokens of the conversation after each reply; the last one stays."""
    window_tokens: int = CONTEXT_TOKENS
    summaries: list[Line] = field(default_factory=list[Line])
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])
    """Of the agent itself."""
    summary_requests: list[ModelRequest] = field(default_factory=list[ModelRequest])

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply, None]:
        if request.headers.get(SUBAGENT_HEADER) == "compact":
            self.summary_requests.append(request)
            line: Line = self.summaries.pop(0) if self.summaries else "What was done: a lot."
            usage = Usage(input_tokens=1, output_tokens=1, requests=1)
        else:
            self.requests.append(request)
            line = self.lines.pop(0) if self.lines else f"ok {len(self.requests)}"
            size = self.sizes.pop(0) if len(self.sizes) > 1 else (self.sizes or [10])[0]
            usage = Usage(input_tokens=size - 1, output_tokens=1, requests=1)
        yield ReplyDelta(usage=usage)
        yield await make_reply(line, usage)

    async def look_up_limits(self, model: str) -> ModelLimitsFound:
        return ModelLimitsFound(
            model=model, max_context_tokens=self.window_tokens, max_output_tokens=OUTPUT_TOKENS
        )


async def make_reply(line: Line, usage: Usage) -> Reply:
    """Return the reply for a line of the script.

    Raises:
        ModelError: the line is one.
    """
    if callable(line):
        line = await line()
    if isinstance(line, ModelError):
        raise line
    if isinstance(line, Reply):
        return line
    if isinstance(line, ToolUseBlock):
        return Reply((line,), "tool_use", usage, "m")
    return Reply((TextBlock(text=line),), "end_turn", usage, "m")


def wait_for(event: threading.Event, text: str) -> Callable[[], Awaitable[str]]:
    """Return a line: this text, once `event` is set."""

    async def reply() -> str:
        return await asyncio.to_thread(lambda: text if event.wait(5) else "")

    return reply


def make_too_long_error() -> ModelError:
    return ModelError("context_too_long", "prompt is too long: 1 tokens > 2 maximum")


def get_texts(request: ModelRequest) -> list[str]:
    """Return all text that the model reads in a request."""
    messages: Any = request.messages
    return [
        block["text"]
        for message in messages
        for block in message["content"]
        if block["type"] == "text"
    ]
