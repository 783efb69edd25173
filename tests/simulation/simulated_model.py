"""A model that replies at random, in valid and invalid ways, and fails in every possible way."""

import asyncio
from collections.abc import AsyncIterator, Callable
from random import Random
from typing import get_args

from pydantic import JsonValue

from actors.models.model_client import ModelError, ModelRequest, Reply, ReplyDelta
from actors.models.model_names import get_default_limits
from messages.content import ContentBlock, TextBlock, ThinkingBlock, ToolUseBlock, Usage
from messages.failure_reasons import ModelFailureReason
from messages.model_limits import ModelLimitsFound
from tests.simulation.in_memory_workspace import CHANGE_TOOL, FILE_NAMES, LOOK_TOOL

REQUEST_USAGE = Usage(input_tokens=3, output_tokens=2, requests=1)
STOP_REASONS = ("max_tokens", "refusal", "pause_turn", "end_turn", "tool_use", "stop_sequence")
MAX_TURN_REQUESTS = 5
"""Requests in one turn; after them the model ends it."""
MAX_CALLS_PER_REPLY = 4


class SimulatedModel:
    """A `ModelClient` that draws a new random behavior for each request.

    Its sleeps are the delays of a server, in virtual time of the simulated loop.
    """

    def __init__(
        self,
        random: Random,
        on_request: Callable[[ModelRequest], None],
        on_tool_use: Callable[[str, ToolUseBlock], None],
        cancel_delay_s: float = 0.0,
        ask_chance: float = 0.0,
    ) -> None:
        """Create a model.

        `on_request` observes each request, `on_tool_use` each tool call with its tag. A cancelled
        request may end only after `cancel_delay_s`. `ask_chance` is the chance that a tool call
        needs an approval.
        """
        self._random = random
        self._on_request = on_request
        self._on_tool_use = on_tool_use
        self._cancel_delay_s = cancel_delay_s
        self._ask_chance = ask_chance
        self._call_count = 0
        self.is_armed = False
        self.violates_port = True
        """May fail as no `ModelClient` should: without a reply, or by another exception."""
        self.ends_turns = False
        """Replies without tool calls, so that every turn ends."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ReplyDelta | Reply]:
        """Stream deltas, then a reply; see `ModelClient`."""
        self._on_request(request)
        try:
            await self._pause()
            for _ in range(self._random.choice((0, 1, 3))):
                yield ReplyDelta(text="so ")
                await self._pause()
                self._maybe_raise()
            if self.is_armed and self.violates_port and self._random.random() < 0.03:
                return
            yield self._reply(request)
        finally:
            if self._cancel_delay_s and self._random.random() < 0.6:
                await asyncio.shield(asyncio.sleep(self._cancel_delay_s))

    async def look_up_limits(self, model: str) -> ModelLimitsFound | None:
        """Return the model's limits, or None; see `ModelClient`."""
        await self._pause()
        return None if self._random.random() < 0.5 else get_default_limits(model)

    async def _pause(self) -> None:
        max_delay_s = 30.0 if self.is_armed and self._random.random() < 0.02 else 0.5
        await asyncio.sleep(self._random.random() * max_delay_s)

    def _maybe_raise(self) -> None:
        if not self.is_armed:
            return
        chance = self._random.random()
        if chance < 0.1:
            reasons: tuple[ModelFailureReason, ...] = get_args(ModelFailureReason)
            is_retryable = self._random.random() < 0.8
            raise ModelError(self._random.choice(reasons), "injected", is_retryable=is_retryable)
        if self.violates_port and chance < 0.105:
            message = "injected in the model client"
            raise RuntimeError(message)

    def _reply(self, request: ModelRequest) -> Reply:
        thinking, text = ThinkingBlock(thinking="hm", signature="s"), TextBlock(text="I will")
        blocks: list[ContentBlock] = [
            block for block in (thinking, text, TextBlock(text=" ")) if self._random.random() < 0.4
        ]
        is_last = self.ends_turns or count_turn_requests(request) >= MAX_TURN_REQUESTS
        call_count = min(
            0 if is_last else MAX_CALLS_PER_REPLY, self._random.choice((0, 1, 2, 3, 4, 4))
        )
        calls = [self._call() for _ in range(call_count)]
        if self.is_armed and len(calls) > 1 and self._random.random() < 0.03:
            calls[1] = calls[0]
        content = (*blocks, *calls) or (text,)
        stop_reason = "tool_use" if calls else "end_turn"
        if self.is_armed and self._random.random() < 0.04:
            stop_reason = self._random.choice(STOP_REASONS)
        return Reply(
            content=content, stop_reason=stop_reason, usage=REQUEST_USAGE, model="simulated"
        )

    def _call(self) -> ToolUseBlock:
        self._call_count += 1
        tag = f"e{self._call_count}"
        name, arguments = self._random.choice((self._look, self._change, self._bash))(tag)
        if self._ask_chance and self._random.random() < self._ask_chance:
            name, arguments = self._look_at(tag, ".env")
        if self.is_armed and self._random.random() < 0.03:
            if self._random.random() < 0.5:
                name = "unknown"
            else:
                arguments["unknown"] = True
        call = ToolUseBlock(id=f"call-{self._call_count}", name=name, input=arguments)
        self._on_tool_use(tag, call)
        return call

    def _look(self, tag: str) -> tuple[str, dict[str, JsonValue]]:
        return self._look_at(tag, self._random.choice(FILE_NAMES))

    def _look_at(self, tag: str, path: str) -> tuple[str, dict[str, JsonValue]]:
        return LOOK_TOOL, {"tag": tag, "path": path}

    def _change(self, tag: str) -> tuple[str, dict[str, JsonValue]]:
        text = f"{self._random.randrange(4)}\n"
        return CHANGE_TOOL, {"tag": tag, "path": self._random.choice(FILE_NAMES), "text": text}

    def _bash(self, tag: str) -> tuple[str, dict[str, JsonValue]]:
        seconds = self._random.choice(("0.1", "1", "4"))
        variant = self._random.choice(("", "", " ignoring-term", " failing"))
        arguments: dict[str, JsonValue] = {"command": f"work {tag} for {seconds}{variant}"}
        if self._random.random() < 0.2:
            arguments["timeout_s"] = 0.5
        return "bash", arguments


def count_turn_requests(request: ModelRequest) -> int:
    """Return the number of replies in the history since the user's last prompt."""
    count = 0
    for message in reversed(request.messages):
        content = message["content"]
        blocks = content if isinstance(content, list) else []
        block_types = [block["type"] for block in blocks if isinstance(block, dict)]
        if message["role"] == "user" and "tool_result" not in block_types:
            break
        count += message["role"] == "assistant"
    return count
